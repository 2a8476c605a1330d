/** Keeps a second process away from a file, by a lock the system takes back when the owner dies. */
import { DatabaseSync } from 'node:sqlite'
import { fail } from '../../model/problem.ts'
import { isBusy, sqliteProblem } from './problem.ts'

/** Takes the lock for one process alone and answers how to give it back; another holder is waited for so long. Problems: store.locked. */
export function lockFile(path: string, waitMs = 0): () => void {
  return hold(path, waitMs, ['BEGIN EXCLUSIVE'])
}

/** Takes the lock beside other processes that share it; one that wants it alone is kept out. Problems: store.locked. */
export function shareLock(path: string): () => void {
  // A transaction that has read holds the shared lock until it ends.
  return hold(path, 0, ['BEGIN', 'SELECT count(*) FROM sqlite_schema'])
}

function hold(path: string, waitMs: number, commands: readonly string[]): () => void {
  // Node knows no file locks, but SQLite does: a transaction on a file of its own.
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(`${path}.lock`, { timeout: waitMs })
    for (const command of commands) lock.exec(command)
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
