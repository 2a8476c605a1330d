/** The time that a file was last told, kept in it: a wall clock that is set between two processes must not move it either. */
import { readFileSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** How long this machine has been running: it goes on from one process to the next. */
export interface Uptime {
  /** Which start of the machine it counts from; empty where that is not known. */
  readonly boot: string
  readonly ms: number
}

/** What the next process goes on from. */
interface LastTime {
  readonly told: number
  readonly uptime: Uptime
}

const keepEveryMs = 1000

/** How long this machine has been running. */
export function uptimeOfMachine(): Uptime {
  try {
    // On Linux this counts from the start of the machine.
    const ms = Number(process.hrtime.bigint() / 1_000_000n)
    return { boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), ms }
  } catch {
    return { boot: '', ms: 0 }
  }
}

/**
 * From when on a process counts. While operations are under way, whose deadlines are compared with this time, only what has
 * really passed counts, as far as the machine knows that. Else the wall clock does; but time never goes back, for ids are
 * made of it.
 */
export function firstTime(db: DatabaseSync, wall: number, uptime: Uptime): number {
  const last = hasLastTime(db) ? lastTimeIn(db) : undefined
  if (last === undefined) return wall
  const passed = uptime.ms - last.uptime.ms
  const isKnown = uptime.boot === last.uptime.boot && uptime.boot !== '' && passed >= 0
  if (isKnown && isBusy(db)) return last.told + passed
  return Math.max(wall, last.told + keepEveryMs)
}

/** Keeps the time in the transaction that is open, now and then. */
export function lastTimeWriter(db: DatabaseSync, now: () => number, uptime: () => Uptime): () => void {
  let kept = Number.NEGATIVE_INFINITY
  let keep: StatementSync | undefined
  return () => {
    const told = now()
    if (told - kept < keepEveryMs) return
    if (keep === undefined && !hasLastTime(db)) return
    keep ??= db.prepare(
      `INSERT INTO last_time (one, told, boot, since_boot) VALUES (1, ?, ?, ?) ON CONFLICT (one)
        DO UPDATE SET told = excluded.told, boot = excluded.boot, since_boot = excluded.since_boot`,
    )
    const { boot, ms } = uptime()
    keep.run(told, boot, Math.floor(ms))
    kept = told
  }
}

/** It is not there before the schema is. */
function hasLastTime(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'last_time'").get() !== undefined
}

function lastTimeIn(db: DatabaseSync): LastTime | undefined {
  const row = db.prepare('SELECT told, boot, since_boot FROM last_time').get()
  if (row === undefined) return undefined
  return { told: Number(row['told']), uptime: { boot: String(row['boot']), ms: Number(row['since_boot']) } }
}

function isBusy(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM operations WHERE ended = 0 LIMIT 1').get() !== undefined
}
