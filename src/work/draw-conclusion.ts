/** What a contract makes of a report; where it breaks over it, what the run left is kept all the same. */
import type { Conclusion } from '../contracts/contract.ts'
import type { Carryover, Outcome } from '../model/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import type { Assembled } from './assemble.ts'
import type { WorkReport } from './work-report.ts'

/** Never throws: an operation whose run is over ends with its reason. */
export function drawConclusion(
  log: WorkReport,
  { contract, situation, order }: Assembled,
  report: Report,
): Conclusion {
  const tell = (error: unknown): void =>
    log.event({ kind: 'fault', operation: situation.operation.id, doing: 'draw the conclusion', error })
  try {
    return contract.conclude(order.action, situation, report)
  } catch (error) {
    tell(error)
  }
  try {
    // What is kept of a run that nothing is known of asks less of what the run has left.
    const kept = contract.conclude(order.action, situation, { ...report, end: { kind: 'lost' } })
    if (kept.kind === 'next') return done({ carryover: kept.unstarted ?? kept.carryover })
    const { problems: _guessed, message: _told, binding: _credentials, ...rest } = kept.outcome
    return done(rest)
  } catch (error) {
    tell(error)
  }
  return done(filesOf({ situation, order }, report))
}

const inconclusive: Problem = { code: 'operation.inconclusive' }

function done(kept: Omit<Outcome, 'problems'>): Conclusion {
  return { kind: 'done', outcome: { ...kept, problems: [inconclusive] } }
}

/** The files that the run left, by their names, over what was kept before. */
function filesOf(
  { situation, order }: Pick<Assembled, 'situation' | 'order'>,
  { got }: Report,
): Pick<Outcome, 'carryover' | 'bindingCarryover'> {
  const files: Carryover = Object.fromEntries(
    [...got].flatMap(([name, found]) => (found.kind === 'bytes' ? [[name, found.bytes]] : [])),
  )
  switch (order.action.kind) {
    case 'bind':
    case 'unbind':
      return { bindingCarryover: { ...situation.binding?.carryover, ...files } }
    default:
      return { carryover: { ...situation.carryover, ...files } }
  }
}
