/** Problems in tests. */
import { ProblemError } from '../../src/model/problem.ts'

/** The code of the problem that a promise fails with. */
export async function codeOf(failing: Promise<unknown>): Promise<string> {
  try {
    await failing
    return 'nothing failed'
  } catch (error) {
    return error instanceof ProblemError ? error.problem.code : String(error)
  }
}
