/** The states an operation went through, each with the time it took. */
import type { HistoryLine, Operation } from '../../api/operation.ts'
import { calls } from '../calls.ts'
import { useLoaded } from '../load.ts'
import { State } from '../parts/state.tsx'
import { Lasting, moment } from '../parts/time.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'

export function StageStrip({ operation }: { readonly operation: Operation }) {
  const { id, state, reason } = operation
  const history = useLoaded(`history ${id} ${state} ${reason}`, (manner) =>
    send(calls.history, { path: { operation: id }, ...manner }),
  )
  const lines = merged(history.value?.items ?? [])
  if (lines.length === 0) return null
  return (
    <ol class="stages" aria-label={t('operation.stages')}>
      {lines.map((line, i) => {
        const next = lines[i + 1]
        const hasEnded = next === undefined && operation.finishedAt !== undefined
        return (
          <li key={line.at} class={next === undefined ? 'last' : ''} title={line.reason}>
            <State of={line.state} isPast={next !== undefined} />
            <span class="below">{hasEnded ? moment(line.at) : <Lasting from={line.at} to={next?.at} />}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** Reasons within one state follow each other; the strip has the state once. */
function merged(history: readonly HistoryLine[]): readonly HistoryLine[] {
  return history.filter(({ state }, i) => state !== history[i - 1]?.state)
}
