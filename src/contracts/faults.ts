/** Collects what is wrong and what is doubtful in one document, each with its place and what mends it. */
import { present } from '../kit/present.ts'
import type { Problem } from '../model/problem.ts'
import type { ProblemCode } from '../model/problem-codes.ts'

export interface Faults {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  problem(code: ProblemCode, pointer: string, detail: string, hint?: string): void
  warning(code: ProblemCode, pointer: string, detail: string, hint?: string): void
}

type PlaceOf = (pointer: string) => { readonly line: number; readonly column: number } | undefined

/** An empty collection for a document; lines are told where its places can be found by pointer. */
export function collectFaults(source: string, place?: PlaceOf): Faults {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const where = (pointer: string) => ({
    where: { source, ...(pointer === '' ? {} : { pointer }), ...place?.(pointer) },
  })
  return {
    problems,
    warnings,
    problem: (code, pointer, detail, hint) =>
      problems.push({ code, detail, ...where(pointer), ...present({ hint }) }),
    warning: (code, pointer, detail, hint) =>
      warnings.push({ code, detail, ...where(pointer), ...present({ hint }) }),
  }
}
