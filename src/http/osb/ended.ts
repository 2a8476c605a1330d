/** The answer to a request that waited for its work: what the work came to. */
import type { Operation } from '../../model/operation.ts'
import type { Answer } from '../answer.ts'

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
