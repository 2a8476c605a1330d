/** Keeps a second process away from a file, by a lock the system takes back when the owner dies. */
import { DatabaseSync } from 'node:sqlite'
import { fail } from '../../model/problem.ts'
import { isBusy, sqliteProblem } from './problem.ts'

/** Takes the lock and answers how to give it back; another holder is waited for so long. Problems: store.locked. */
export function lockFile(path: string, waitMs = 0): () => void {
  // Node knows no file locks, but SQLite does: an exclusive transaction on a file of its own.
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(`${path}.lock`, { timeout: waitMs })
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    if (isBusy(error)) fail('store.locked', path, { cause: error })
    throw sqliteProblem(error)
  }
  const held = lock
  return () => {
    held.exec('ROLLBACK')
    held.close()
  }
}
