/** The answer to a request that waited for its work: what the work came to. */
import { hasEnded, type Operation } from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import type { Answer } from '../answer.ts'
import { type OsbRequest, type OsbSurroundings, stopWaitMs } from './surroundings.ts'

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

/**
 * Work that goes on beyond the patience of its platform. A 4xx would say that nothing was changed; after a 5xx the
 * platform looks again, or cleans up.
 */
export function answerOfStillRunning(judgement: Readonly<Record<string, boolean>> = {}): Answer {
  const description =
    'The work goes on, and took longer than a request may wait; send it with accepts_incomplete=true'
  return { status: 500, body: { description, ...judgement } }
}

interface Creation {
  readonly operation: string
  /** It was under way before. */
  readonly again: boolean
  /** The platform takes a 202. */
  readonly patient: boolean
  readonly accepted: Answer
  /** The answer when it has ended well. */
  success(): Promise<Answer>
  /** Takes it back. */
  undo(): Promise<unknown>
}

/** The answer to a request whose platform polls: what it was told is remembered, so that no repetition takes the work back. */
export function answerOfPromise(
  { waits }: Pick<OsbSurroundings, 'waits'>,
  { operation, accepted }: Pick<Creation, 'operation' | 'accepted'>,
): Answer {
  waits.promised(operation)
  return accepted
}

/** The answer to a request that waits for what it creates; what is not done in time is taken back. */
export async function answerOfCreation(
  around: OsbSurroundings,
  request: OsbRequest,
  creation: Creation,
): Promise<Answer> {
  const { operation, again, patient } = creation
  const gone = request.gone()
  const turn = around.waits.join(operation, { patient, again, gone })
  const ended = await around.waitForEnd(operation, around.options.syncWaitMs, gone)
  if (ended && hasEnded(ended.state)) return answerOfEnd(ended, () => creation.success())
  if (patient) return creation.accepted
  const verdict = turn.atDeadline()
  if (verdict === 'left') return fail('instance.busy')
  if (verdict === 'unknown') return answerOfStillRunning()
  if (verdict === 'undo') await creation.undo()
  return fail('instance.async-required')
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
  return mayWait ? accepted : answerOfStillRunning()
}
