/** Collects problems and warnings of one document, each with its place. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'

export interface Faults {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  problem(code: ProblemCode, pointer: string, detail: string): void
  warning(code: ProblemCode, pointer: string, detail: string, hint?: string): void
}

/** An empty collection for a document whose places are found by pointer. */
export function collectFaults(
  source: string,
  place: (pointer: string) => { readonly line: number; readonly column: number } | undefined,
): Faults {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const at = (pointer: string) => ({ where: { source, pointer, ...place(pointer) } })
  return {
    problems,
    warnings,
    problem: (code, pointer, detail) => problems.push({ code, detail, ...at(pointer) }),
    warning: (code, pointer, detail, hint) =>
      warnings.push({ code, detail, ...at(pointer), ...present({ hint }) }),
  }
}
