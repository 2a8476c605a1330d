/** Collects what is wrong and what is doubtful in one document, each with its pointer. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'

export interface Faults {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  problem(code: ProblemCode, pointer: string, detail: string, hint?: string): void
  warning(code: ProblemCode, pointer: string, detail: string, hint?: string): void
}

/** An empty collection for a document. */
export function collectFaults(source: string): Faults {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const where = (pointer: string) => ({ where: { source, ...(pointer === '' ? {} : { pointer }) } })
  return {
    problems,
    warnings,
    problem: (code, pointer, detail, hint) =>
      problems.push({ code, detail, ...where(pointer), ...present({ hint }) }),
    warning: (code, pointer, detail, hint) =>
      warnings.push({ code, detail, ...where(pointer), ...present({ hint }) }),
  }
}
