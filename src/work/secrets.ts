/** What an operation knows that nobody may read in its log, its errors or its events. */
import { secretNames } from '../broker/parameters.ts'
import { secretTexts } from '../kit/redact.ts'
import { Secret } from '../kit/secret.ts'
import type { Job } from '../model/job.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Situation } from '../model/situation.ts'

/** Every secret text: of the parameters, of what the operator lends, of the job, and of what came out. */
export function secretsOf(situation: Situation, job?: Job, outcome?: Outcome): readonly string[] {
  const { plan, parameters, instance, infrastructure, binding } = situation
  const marked = new Set([...secretNames(plan.schemas.create), ...secretNames(plan.schemas.bind)])
  const given = [parameters, instance.parameters, plan.operator.inputs, plan.operator.defaults].flatMap(
    (values) => [...marked].map((name) => values[name]),
  )
  return [
    ...secretTexts(given),
    ...revealed(infrastructure),
    ...revealed(job),
    ...secretTexts(binding?.credentials),
    ...secretTexts(outcome?.binding?.credentials),
  ]
}

/** What nobody may read in the log of a job. */
export function secretsInLog(situation: Situation, job: Job): readonly string[] {
  const { binding: _, ...rest } = situation
  return secretsOf(job.logShowsCredentials ? rest : situation, job)
}

function* revealed(value: unknown): Generator<string> {
  if (value instanceof Secret) yield* secretTexts(value.reveal())
  else if (value instanceof Uint8Array) return
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* revealed(item)
}
