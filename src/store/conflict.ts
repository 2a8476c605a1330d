/** What it means when the database refuses a row because of a rule of the schema. */
import { type Problem, ProblemError } from '../model/problem.ts'

const meanings: readonly (readonly [RegExp, Problem['code']])[] = [
  [/\boperations[._](active|waiting|instance)/, 'instance.busy'],
  [/\binstances[._](pkey|platform|id)\b/, 'instance.exists'],
  [/\bbindings[._](pkey|platform|id)\b/, 'binding.exists'],
]

/** The problem for a broken rule; `rule` names it, or its columns. */
export function conflictProblem(rule: string, cause: unknown): unknown {
  const meaning = meanings.find(([pattern]) => pattern.test(rule))
  return meaning === undefined ? cause : new ProblemError({ code: meaning[1], cause })
}

/** Whether the rule says something about what people ordered. */
export function isMeant(rule: string): boolean {
  return meanings.some(([pattern]) => pattern.test(rule))
}
