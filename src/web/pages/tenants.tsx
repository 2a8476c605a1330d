/** Tenants, each with how much it has of what it may have; found and paged by the broker. */
import { useState } from 'preact/hooks'
import { calls } from '../calls.ts'
import { tenantsIn } from '../first-asks.ts'
import { useLoaded } from '../load.ts'
import { Command } from '../parts/copy.tsx'
import { TextFilter } from '../parts/filters.tsx'
import { NoneFit } from '../parts/none-fit.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { useTitle } from '../parts/title.ts'
import { address } from '../router.ts'
import { send } from '../send.ts'
import { mayEverywhere } from '../session.ts'
import { NewDecision } from '../tenant/decide.tsx'
import { TenantTable } from '../tenant/table.tsx'
import { t } from '../texts.ts'

export function TenantsPage() {
  useTitle(t('tenants.title'))
  const { query } = address.value
  const list = useLoaded(`tenants ${query}`, (manner) =>
    send(calls.tenants, { path: {}, query: tenantsIn(query), ...manner }),
  )
  const beginning = query.get('q') ?? ''
  const { items, next } = list.value ?? {}
  return (
    <>
      <h1>{t('tenants.title')}</h1>
      <search class="narrowing">
        <TextFilter name="q" label={t('tenants.search')} />
      </search>
      {list.problem === undefined || items === undefined ? null : (
        <ProblemNote problem={list.problem} again={list.reload} />
      )}
      {items === undefined ? <NotYet of={list} /> : null}
      {items?.length === 0 ? <None isFiltered={[...query.keys()].length > 0} /> : null}
      {items === undefined || items.length === 0 ? null : (
        <>
          <TenantTable tenants={items} />
          <Paging next={next} />
        </>
      )}
      {mayEverywhere('change:tenants') ? <NewTenant /> : null}
      <Command
        words={['chandler', 'tenant', 'list', ...(beginning === '' ? [] : ['--beginning', beginning])]}
      />
    </>
  )
}

function None({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <NoneFit path="/tenants" />
  return (
    <>
      <p class="calm">{t('tenants.empty')}</p>
      <p class="quiet">{t('tenants.emptyHint')}</p>
    </>
  )
}

function NewTenant() {
  const [isAsked, setAsked] = useState(false)
  return (
    <div class="acts">
      <button type="button" onClick={() => setAsked(true)}>
        {t('tenants.new')}
      </button>
      {isAsked ? <NewDecision close={() => setAsked(false)} /> : null}
    </div>
  )
}
