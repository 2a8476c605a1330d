/** Faults of documents of the model as problems of ours. */
import { present } from '../../kit/present.ts'
import type { OcmFault } from '../../languages/ocm/index.ts'
import { failAll, type Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'

const shownMax = 50

/** One problem per fault, each with its place. */
export function problemsOf(
  faults: readonly OcmFault[],
  code: ProblemCode,
  source: string,
): readonly Problem[] {
  return faults.slice(0, shownMax).map(({ path, message, line, column, hint }) => ({
    code,
    detail: path === '' ? message : `${path} ${message}`,
    where: {
      source,
      ...present({ line, column }),
    },
    ...present({ hint }),
  }))
}

/** Throws them all at once. */
export function refuse(faults: readonly [OcmFault, ...OcmFault[]], code: ProblemCode, source: string): never {
  const [first, ...rest] = problemsOf(faults, code, source)
  return failAll([first ?? { code, where: { source } }, ...rest])
}
