/** All instances, filtered, ordered and paged by the broker. */

import type { Instance } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { instancesIn } from '../first-asks.ts'
import { instanceLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { NoInstances } from '../parts/no-instances.tsx'
import { NoneFit } from '../parts/none-fit.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { State, stateWord } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { useTitle } from '../parts/title.ts'
import { address } from '../router.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'

const instanceStates = [
  'ready',
  'failed',
  'provisioning',
  'updating',
  'deprovisioning',
  'gone',
] as const satisfies readonly Instance['state'][]

export function InstancesPage() {
  useTitle(t('instances.title'))
  const { query } = address.value
  const list = useLoaded(`instances ${query}`, (manner) =>
    send(calls.instances, { path: {}, query: instancesIn(query), ...manner }),
  )
  return (
    <>
      <h1>{t('instances.title')}</h1>
      <Filters />
      {list.problem === undefined || list.value === undefined ? null : (
        <ProblemNote problem={list.problem} again={list.reload} />
      )}
      {list.value === undefined ? (
        <NotYet of={list} />
      ) : (
        <>
          <Table items={list.value.items} isFiltered={[...query.keys()].length > 0} />
          <Paging next={list.value.next} />
        </>
      )}
    </>
  )
}

function Filters() {
  const catalog = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const services = (catalog.value?.services ?? []).map(({ name }) => [name, name] as const)
  return (
    <search class="narrowing">
      <TextFilter name="q" label={t('list.search')} />
      <ChoiceFilter
        name="state"
        label={t('list.state')}
        choices={[
          ['', t('instances.notGone')],
          ['any', t('list.any')],
          ...instanceStates.map((state) => [state, stateWord(state)] as const),
        ]}
      />
      <ChoiceFilter
        name="service"
        label={t('instances.service')}
        choices={[['', t('list.any')], ...services]}
      />
      <ChoiceFilter
        name="order"
        label={t('list.order')}
        choices={[
          ['', t('list.latest')],
          ['id', t('list.byId')],
        ]}
      />
    </search>
  )
}

interface TableProps {
  readonly items: readonly Instance[]
  readonly isFiltered: boolean
}

function Table({ items, isFiltered }: TableProps) {
  if (items.length === 0)
    return isFiltered ? (
      <NoneFit path="/instances" />
    ) : (
      <NoInstances text={t('instances.empty')} hint={t('instances.emptyHint')} />
    )
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('instances.name')}</th>
          <th scope="col">{t('instances.state')}</th>
          <th scope="col" class="spare">
            {t('instances.service')}
          </th>
          <th scope="col" class="spare">
            {t('instances.platform')}
          </th>
          <th scope="col" class="spare">
            {t('instances.changed')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr key={`${one.platform} ${one.id}`}>
            <th scope="row">
              <a href={instanceLink({ platform: one.platform, instance: one.id })}>{one.name ?? one.id}</a>
              {one.name === undefined || one.name === one.id ? null : <code class="below">{one.id}</code>}
              <span class="below narrow-only">
                {one.service.name ?? one.service.id} · {one.plan.name ?? one.plan.id}
              </span>
            </th>
            <td>
              <State of={one.state} />
            </td>
            <td class="spare">
              {one.service.name ?? one.service.id}
              <span class="below">{one.plan.name ?? one.plan.id}</span>
            </td>
            <td class="spare">{one.platform}</td>
            <td class="spare">
              <Ago at={one.updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
