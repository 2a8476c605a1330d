/** All operations, the latest first; those that wait, each with its reason. */
import type { Operation } from '../../api/operation.ts'
import { calls } from '../calls.ts'
import { operationsIn } from '../first-asks.ts'
import { useLoaded } from '../load.ts'
import { OperationTable } from '../operation/table.tsx'
import { ChoiceFilter } from '../parts/filters.tsx'
import { NoneFit } from '../parts/none-fit.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { stateWord } from '../parts/state.tsx'
import { useTitle } from '../parts/title.ts'
import { address } from '../router.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'

const single = ['queued', 'running', 'quarantined', 'succeeded', 'failed', 'cancelled'] as const

export function OperationsPage() {
  useTitle(t('operations.title'))
  const { query } = address.value
  const list = useLoaded(`operations ${query}`, (manner) =>
    send(calls.operations, { path: {}, query: operationsIn(query), ...manner }),
  )
  const choices = [
    ['', t('list.any')],
    ['active', t('operations.waiting')],
    ['ended', t('operations.ended')],
    ...single.map((state) => [state, stateWord(state)] as const),
  ] as const
  return (
    <>
      <h1>{t('operations.title')}</h1>
      <search class="narrowing">
        <ChoiceFilter name="state" label={t('list.state')} choices={choices} />
      </search>
      {list.problem === undefined || list.value === undefined ? null : (
        <ProblemNote problem={list.problem} again={list.reload} />
      )}
      {list.value === undefined ? (
        <NotYet of={list} />
      ) : (
        <>
          <Operations items={list.value.items} isFiltered={query.size > 0} />
          <Paging next={list.value.next} />
        </>
      )}
    </>
  )
}

interface Props {
  readonly items: readonly Operation[]
  readonly isFiltered: boolean
}

function Operations({ items, isFiltered }: Props) {
  if (items.length > 0) return <OperationTable operations={items} />
  return isFiltered ? <NoneFit path="/operations" /> : <p class="calm">{t('operations.empty')}</p>
}
