/** Problems in tests. */
import { type Problem, ProblemError } from '../../src/model/problem.ts'

/** The code of the problem that a promise fails with. */
export async function codeOf(failing: Promise<unknown>): Promise<string> {
  try {
    await failing
    return 'nothing failed'
  } catch (error) {
    return error instanceof ProblemError ? error.problem.code : String(error)
  }
}

/** The whole of it. */
export async function problemOf(failing: Promise<unknown>): Promise<Partial<Problem>> {
  try {
    await failing
    return {}
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}
