/** Endings: what an outcome comes to, and how it may be told. */
import type { Ending } from '../broker/settle.ts'
import { redactText } from '../kit/redact.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Problem } from '../model/problem.ts'

/** An outcome without problems has succeeded. */
export function endingOf(outcome: Outcome): Ending {
  return { state: outcome.problems.length === 0 ? 'succeeded' : 'failed', outcome }
}

/** A failure with nothing to keep. */
export function failedWith(...problems: readonly Problem[]): Ending {
  return { state: 'failed', outcome: { problems } }
}

/** What a person reads must not repeat what went in or came out as a secret. */
export function withoutSecrets({ state, outcome }: Ending, secrets: readonly string[]): Ending {
  const clean = (text: string) => redactText(text, secrets)
  const problems = outcome.problems.map((problem) =>
    problem.detail === undefined ? problem : { ...problem, detail: clean(problem.detail) },
  )
  const message = outcome.message === undefined ? {} : { message: clean(outcome.message) }
  return { state, outcome: { ...outcome, ...message, problems } }
}
