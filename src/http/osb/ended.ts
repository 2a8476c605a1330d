/** The answer to a request that waited for its work: what the work came to. */
import { hasEnded, type Operation } from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import type { Answer } from '../answer.ts'
import { type OsbSurroundings, stopWaitMs } from './surroundings.ts'

/** A failure is a 5xx: work was begun, so the platform must not believe that nothing changed. */
export async function answerOfEnd(ended: Operation, success: () => Promise<Answer>): Promise<Answer> {
  if (ended.state === 'succeeded') return success()
  const { kind } = ended.action
  const judged = kind === 'update' || kind === 'deprovision'
  return {
    status: 500,
    body: {
      description: ended.description ?? ended.reason,
      ...(judged ? { instance_usable: ended.usable ?? true } : {}),
      ...(kind === 'update' ? { update_repeatable: ended.repeatable ?? true } : {}),
    },
  }
}

/** The answer to an order that takes something away, maybe after what it stops has come to its end. */
export async function answerOfRemoval(
  around: OsbSurroundings,
  { operation, wait, stops }: { readonly operation: string; readonly wait: boolean; readonly stops?: string },
  mayWait: boolean,
): Promise<Answer> {
  const accepted: Answer = { status: 202, body: { operation } }
  if (stops !== undefined) await around.waitForEnd(stops, stopWaitMs)
  if (!wait) return accepted
  const ended = await around.waitForEnd(operation, around.options.syncWaitMs)
  if (ended && hasEnded(ended.state))
    return answerOfEnd(ended, () => Promise.resolve({ status: 200, body: {} }))
  return mayWait ? accepted : fail('instance.busy')
}
