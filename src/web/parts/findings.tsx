/** What doctor finds of a broker: what is wrong first, with what to do; what is well is folded. */
import type { Examination, Finding } from '../../api/findings.ts'
import { t } from '../texts.ts'
import { Shape } from './state.tsx'
import { Ago } from './time.tsx'

const tones = { ok: 'good', warn: 'wait', fail: 'bad', skip: 'quiet' } as const
const worstFirst = ['fail', 'warn', 'skip'] as const satisfies readonly Finding['state'][]

export function Findings({ examination }: { readonly examination: Examination }) {
  const { findings, node, at } = examination
  const well = findings.filter(({ state }) => state === 'ok')
  const rest = worstFirst.flatMap((wanted) => findings.filter(({ state }) => state === wanted))
  return (
    <>
      <h2>{t('nodes.doctor')}</h2>
      <p class="quiet">
        {t('nodes.examined', { node })} <Ago at={at} />
      </p>
      {rest.length === 0 ? null : <FindingTable findings={rest} />}
      <details>
        <summary>{t(rest.length === 0 ? 'nodes.allWell' : 'nodes.wellChecks', { n: well.length })}</summary>
        <FindingTable findings={well} />
      </details>
    </>
  )
}

function FindingTable({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('nodes.check')}</th>
          <th scope="col">{t('list.state')}</th>
          <th scope="col">{t('nodes.detail')}</th>
        </tr>
      </thead>
      <tbody>
        {findings.map(({ id, state, what, fix }) => (
          <tr key={`${id} ${what}`}>
            <th scope="row">{id}</th>
            <td>
              <span class={`state ${tones[state]}`}>
                <Shape tone={tones[state]} />
                {t(`nodes.${state}`)}
              </span>
            </td>
            <td>
              {what}
              {fix === undefined || state === 'ok' ? null : <span class="below">{fix}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
