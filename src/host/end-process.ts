/** Ends this process when it can no longer trust the file of its database. */
import { ProblemError } from '../model/problem.ts'

/** After a failed sync it is unknown what the file holds: the next start finds out, this process does not go on. */
export function endProcess(cause: unknown): void {
  const detail = 'the database file failed to be read, written or synced'
  setImmediate(() => {
    throw new ProblemError({ code: 'store.unavailable', detail, cause })
  })
}
