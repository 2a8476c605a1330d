/** Writes the pieces of all logs of this broker: many programs that say a little share a transaction. */

import type { Clock } from '../kit/clock.ts'
import { enough } from '../kit/enough.ts'
import type { NewLogRow, Store } from '../store/store.ts'

export interface LogWriter {
  /** Resolves when the rows are kept, which is soon, or sooner when many bytes wait. */
  write(rows: readonly NewLogRow[]): Promise<void>
  /** What waits is written now: somebody has nothing else to wait for. */
  hurry(): void
}

interface Entry {
  readonly rows: readonly NewLogRow[]
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Who reads along notices nothing of it. */
const gatherMs = 25
const bytesMax = 64 * 1024
const rowsMax = 8

export function makeLogWriter(store: Store, clock: Clock): LogWriter {
  let waiting: Entry[] = []
  let bytes = 0
  let due: AbortController | undefined

  async function gather(signal: AbortSignal): Promise<void> {
    await clock.sleep(gatherMs, signal)
    const entries = waiting
    waiting = []
    bytes = 0
    due = undefined
    // One after the other, each in a turn of its own: the requests want to be answered in between.
    for (const share of shares(entries)) await keep(share)
  }

  async function keep(entries: readonly Entry[]): Promise<void> {
    // A power cut that takes the last of it takes the run, too.
    const add = (rows: readonly NewLogRow[]) => store.write((tx) => tx.addLog(rows), { how: 'loose' })
    try {
      await add(entries.flatMap(({ rows }) => rows))
      for (const { done } of entries) done()
    } catch (error) {
      // What one of them has wrong is not the others' fault.
      if (entries.length === 1) entries[0]?.failed(error)
      else await Promise.all(entries.map((entry) => keep([entry])))
    }
  }

  return {
    write: (rows) =>
      new Promise((done, failed) => {
        waiting.push({ rows, done, failed })
        bytes += rows.reduce((sum, row) => sum + row.bytes.length, 0)
        if (due === undefined) {
          due = new AbortController()
          void gather(due.signal)
        }
        if (bytes > bytesMax) due.abort(enough)
      }),
    hurry: () => due?.abort(enough),
  }
}

/** In the order given, so many rows at a time; what was given together stays together. */
function shares(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const made: Entry[][] = []
  let room = 0
  for (const entry of entries) {
    const last = made.at(-1)
    if (last === undefined || entry.rows.length > room) {
      made.push([entry])
      room = rowsMax - entry.rows.length
    } else {
      last.push(entry)
      room -= entry.rows.length
    }
  }
  return made
}
