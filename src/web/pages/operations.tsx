/** All operations, the latest first; those that wait, each with its reason. */
import { calls } from '../calls.ts'
import { operationsIn } from '../first-asks.ts'
import { useLoaded } from '../load.ts'
import { OperationTable } from '../operation/table.tsx'
import { ChoiceFilter } from '../parts/filters.tsx'
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
          {list.value.items.length === 0 ? (
            <p class="calm">{t(query.size > 0 ? 'list.noneFit' : 'operations.empty')}</p>
          ) : (
            <OperationTable operations={list.value.items} />
          )}
          <Paging next={list.value.next} />
        </>
      )}
    </>
  )
}
