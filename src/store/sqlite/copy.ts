/** Copies of a running database, each marked so that a broker that is given one knows how old its knowledge is. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { fail, ProblemError } from '../../model/problem.ts'
import type { Freeze } from '../store.ts'
import { sqliteProblem } from './problem.ts'

const copiedPages = 256

/**
 * A small step at a time, so that requests are answered in between. From a connection of its own that keeps looking at
 * one moment: whatever is written meanwhile does not disturb it.
 */
export async function copyTo(source: string, file: string, now: number): Promise<void> {
  if (existsSync(file)) fail('file.unwritable', `${file} is there already`)
  const unfinished = `${file}.part`
  const from = new DatabaseSync(source, { readOnly: true })
  try {
    from.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    await backup(from, unfinished, { rate: copiedPages })
    mark(unfinished, now)
    renameSync(unfinished, file)
  } catch (cause) {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + end, { force: true })
    // A copy that cannot be trusted is none; the file it was made of is what is damaged.
    const problem = sqliteProblem(cause)
    if (problem instanceof ProblemError && problem.problem.code === 'store.corrupt') throw problem
    fail('file.unwritable', file, { cause })
  } finally {
    from.close()
  }
}

/**
 * A broker that starts with a copy believes what was true once. So its work is held back, nothing is ordered or cleared away
 * until an operator has compared it with the world, and processes of before have no say over it.
 */
function mark(file: string, now: number): void {
  const moment = new Date(now).toISOString()
  const freeze: Freeze = {
    reason: `this is the copy of ${moment}; compare it with what was made since, then thaw`,
    by: 'backup',
    all: true,
    isCopy: true,
  }
  const copy = new DatabaseSync(file)
  try {
    copy.exec('BEGIN IMMEDIATE')
    copy.prepare('UPDATE cluster SET epoch = epoch + 1, frozen = ? WHERE one = 1').run(JSON.stringify(freeze))
    const reason = `held back: it was under way in the copy of ${moment}`
    copy
      .prepare(
        `UPDATE operations SET state = 'quarantined', reason = ?, fence = fence + 1, lease_owner = NULL, lease_until = NULL
          WHERE ended = 0`,
      )
      .run(reason)
    copy
      .prepare(
        `INSERT INTO history (operation, line, at, state, reason, node, fence)
          SELECT id, coalesce((SELECT max(line) FROM history WHERE operation = id), 0) + 1, ?, state, reason, 'backup', fence
          FROM operations WHERE ended = 0`,
      )
      .run(now)
    copy.exec('COMMIT')
    // One file, whole: nothing of it is left beside it.
    copy.exec('PRAGMA journal_mode = DELETE')
    refuseDamaged(copy)
  } finally {
    copy.close()
  }
}

/** Reads all of it once: damage that no question has met yet would be copied with it. Problems: store.corrupt. */
export function refuseDamaged(db: DatabaseSync): void {
  let found: unknown
  try {
    found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  } catch (error) {
    throw sqliteProblem(error)
  }
  if (found !== 'ok') fail('store.corrupt', String(found))
}
