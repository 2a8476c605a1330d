/**
 * Lets the reads of one turn of this process share a transaction: a read on its own costs several calls of the system,
 * for it takes a lock and lets it go again. It may be used only where no other process writes, and `end` is called around
 * everything that this one commits: then a read sees what it would have seen alone.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface Turn {
  /** A read comes. */
  read(): void
  /** The next read sees what is committed by then. */
  end(): void
}

/** `later` calls back when this turn is over. */
export function openTurn(db: DatabaseSync, later: (end: () => void) => void): Turn {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  let isOver = true
  const end = (): void => {
    if (isOver) return
    isOver = true
    // Some errors have ended it already.
    if (!db.isTransaction) return
    try {
      commit.run()
    } catch {
      // Nothing was changed that could be lost.
      if (db.isTransaction) db.exec('ROLLBACK')
    }
  }
  return {
    read() {
      if (!isOver) return
      begin.run()
      isOver = false
      later(end)
    },
    end,
  }
}
