/** Endings: what an outcome comes to, and how it may be told. */
import { maskedProblem } from '../broker/masked.ts'
import type { Ending } from '../broker/settle.ts'
import { present } from '../kit/present.ts'
import type { Mask } from '../kit/redact.ts'
import { lastLines } from '../kit/text.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'

/** An outcome without problems has succeeded. */
export function endingOf(outcome: Outcome): Ending {
  return { state: outcome.problems.length === 0 ? 'succeeded' : 'failed', outcome }
}

/** A failure with nothing to keep. */
export function failedWith(...problems: readonly Problem[]): Ending {
  return { state: 'failed', outcome: { problems } }
}

/** What a person reads must not repeat what went in or came out as a secret. */
export function withoutSecrets({ state, outcome }: Ending, mask: Mask): Ending {
  const problems = outcome.problems.map((problem) => maskedProblem(problem, mask))
  const message = outcome.message === undefined ? {} : { message: mask.text(outcome.message) }
  const lines = outcome.lastLines?.map((line) => mask.text(line))
  return {
    state,
    outcome: { ...outcome, ...message, problems, ...present({ lastLines: lines }) },
  }
}

const toldLines = { lines: 3, characters: 400 }

/** A failure with what the program said last. */
export function withLastLines({ state, outcome }: Ending, { logTail }: Report): Ending {
  if (state !== 'failed') return { state, outcome }
  return { state, outcome: { ...outcome, lastLines: lastLines(logTail, toldLines) } }
}
