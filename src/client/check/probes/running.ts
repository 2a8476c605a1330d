/** Requests while an operation runs: judged only when a poll afterwards shows that it still ran. */
import { type Exchange, member } from '../exchange.ts'
import { follow, pollOnce, type Work, workOf } from '../follow.ts'
import type { RuleId } from '../rules.ts'
import type { Sent, Session } from '../session.ts'

export interface WhileRunning {
  readonly rule: RuleId
  readonly sent: Sent
  readonly expected: string
  fits(exchange: Exchange): boolean
}

/** Sends one request while work runs; answers whether it still ran afterwards. */
export async function probeRunning(session: Session, work: Work, probe: WhileRunning): Promise<boolean> {
  const exchange = await session.send(probe.sent)
  const { state } = await pollOnce(session, work)
  if (state === 'in progress') {
    session.judge(probe.rule, exchange, probe.fits(exchange), probe.expected)
    return true
  }
  session.miss(probe.rule, 'the operation ended too soon')
  // What met an instance at rest may have begun something of its own.
  const begun = workOf(work.kind, work.thing, exchange)
  if (exchange.answer.status === 202 && begun.operation !== work.operation) await follow(session, begun)
  return false
}

/** 202 with the operation that runs. */
export function isSameOperation({ answer }: Exchange, { operation }: Work): boolean {
  return answer.status === 202 && member(answer, 'operation') === operation
}
