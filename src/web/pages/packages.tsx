/** The packages of the catalog; those that are not offered first, each with the reason. */
import type { Package } from '../../api/package.ts'
import { calls } from '../calls.ts'
import { packageLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { NotYet } from '../parts/not-yet.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { State } from '../parts/state.tsx'
import { useTitle } from '../parts/title.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'

export function PackagesPage() {
  useTitle(t('packages.title'))
  const list = useLoaded('packages', (manner) => send(calls.packages, { path: {}, ...manner }))
  return (
    <>
      <h1>{t('packages.title')}</h1>
      {list.problem === undefined || list.value === undefined ? null : (
        <ProblemNote problem={list.problem} again={list.reload} />
      )}
      {list.value === undefined ? <NotYet of={list} /> : <PackageTable packages={list.value.items} />}
    </>
  )
}

function PackageTable({ packages }: { readonly packages: readonly Package[] }) {
  if (packages.length === 0) return <p class="calm">{t('packages.empty')}</p>
  const sorted = packages.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('packages.name')}</th>
          <th scope="col">{t('list.state')}</th>
          <th scope="col">{t('packages.contract')}</th>
          <th scope="col" class="spare">
            {t('packages.reference')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((one) => (
          <tr key={one.name}>
            <th scope="row">
              <a href={packageLink(one.name)}>{one.name}</a>
            </th>
            <td>
              <State of={one.state} />
              <span class="below">
                {one.problems?.[0]?.message ??
                  (one.warnings && t('packages.warnings', { n: one.warnings.length }))}
              </span>
            </td>
            <td>{one.contract}</td>
            <td class="spare">
              <code>{one.reference}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function rank({ state }: Package): number {
  return state === 'refused' ? 0 : 1
}
