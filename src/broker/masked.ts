/** Problems of an order without its secrets, as platforms and viewers may read them. */
import type { Mask } from '../kit/redact.ts'
import type { Problem } from '../model/problem.ts'

/** The problem, and those that came with it, without secrets. */
export function maskedProblem(problem: Problem, mask: Mask): Problem {
  const { detail, hint, others, where } = problem
  return {
    ...problem,
    ...(detail === undefined ? {} : { detail: mask.text(detail) }),
    ...(hint === undefined ? {} : { hint: mask.text(hint) }),
    ...(where?.source === undefined ? {} : { where: { ...where, source: mask.text(where.source) } }),
    ...(others === undefined ? {} : { others: others.map((other) => maskedProblem(other, mask)) }),
  }
}
