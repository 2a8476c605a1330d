/** Tells apart what SQLite complains about: a rule of ours that was broken, or a file that cannot be used. */
import { ProblemError } from '../../model/problem.ts'
import { conflictProblem } from '../conflict.ts'

interface SqliteError extends Error {
  readonly errcode: number
}

/** Whether SQLite itself raised this. */
function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

const busy = 5
const constraint = 19
const inputOutput = 10
const programmed = [0, 1, 20, 21, 25]

/** Whether the file itself failed to be read, written or synced. */
export function isInputOutput(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === inputOutput
}

/** What is read is no database, or not a whole one: trying again cannot help. */
const damaged = [11, 26]

/** Whether the file holds what no database would have written. */
export function isDamaged(error: unknown): boolean {
  return isSqliteError(error) && damaged.includes(error.errcode & 0xff)
}

/** Whether another process holds a lock. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === busy
}

/** The problem behind an error; what is not of SQLite stays as it is. */
export function sqliteProblem(error: unknown): unknown {
  if (!isSqliteError(error)) return error
  const code = error.errcode & 0xff
  if (code === constraint) return conflictProblem(error.message, error)
  if (programmed.includes(code)) return error
  if (damaged.includes(code))
    return new ProblemError({ code: 'store.corrupt', detail: error.message, cause: error })
  return new ProblemError({ code: 'store.unavailable', detail: error.message, cause: error })
}
