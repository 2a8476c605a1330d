/** Actions of a pak played from their job to their conclusion. */

import { brokerpak } from '../../src/contracts/brokerpak/index.ts'
import type { Conclusion } from '../../src/contracts/contract.ts'
import type { Job } from '../../src/model/job.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { Action, Situation } from '../../src/model/situation.ts'
import { report } from './pak.ts'

export function job(action: Action, about: Situation): Job {
  const prepared = brokerpak.prepare(action, about)
  if (prepared.kind !== 'job') throw new Error(JSON.stringify(prepared))
  return prepared.job
}

export function outcome(conclusion: Conclusion): Outcome {
  if (conclusion.kind !== 'done') throw new Error(`not done: ${conclusion.kind}`)
  return conclusion.outcome
}

/** The conclusion of an action that ended so. */
export function ending(action: Action, about: Situation, end: Parameters<typeof report>[1] = {}): Conclusion {
  return brokerpak.conclude(action, about, report(job(action, about), end))
}
