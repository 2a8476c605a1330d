/** All instances, filtered, ordered and paged by the broker. */

import type { Instance } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { instancesIn } from '../first-asks.ts'
import { InstanceTable } from '../instance/table.tsx'
import { tenantLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { NoInstances } from '../parts/no-instances.tsx'
import { NoneFit } from '../parts/none-fit.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { stateWord } from '../parts/state.tsx'
import { useTitle } from '../parts/title.ts'
import { address, refine } from '../router.ts'
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
      <OfTenant />
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

/** Whose they are, where the address names a tenant. */
function OfTenant() {
  const tenant = address.value.query.get('tenant')
  if (tenant === null) return null
  return (
    <p>
      {t('instances.ofTenant')} <a href={tenantLink(tenant)}>{tenant}</a>{' '}
      <button type="button" class="small" onClick={() => refine({ tenant: undefined, cursor: undefined })}>
        {t('instances.ofAll')}
      </button>
    </p>
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
  return <InstanceTable items={items} />
}
