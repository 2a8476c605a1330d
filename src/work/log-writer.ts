/** Writes the pieces of all logs: few at a time, so that requests are answered in between however many programs talk. */

import type { Clock } from '../kit/clock.ts'
import { enough } from '../kit/enough.ts'
import type { NewLogRow, Store } from '../store/store.ts'

export interface LogWriter {
  /** Takes rows of a log; it gives its next ones when these are kept. */
  write(rows: readonly NewLogRow[]): Writing
}

export interface Writing {
  /** Resolves when the rows are kept: soon, and the less soon the more logs there are. */
  readonly kept: Promise<void>
  /** They are written next: a caller waits for nothing else. */
  hurry(): void
}

interface Entry {
  readonly rows: readonly NewLogRow[]
  readonly bytes: number
  readonly done: () => void
  readonly failed: (error: unknown) => void
  isUrgent: boolean
}

/** The rest between two shares. Readers that follow the log notice nothing of it. */
const restMs = 25
const shareRows = 8
/** Many logs make the shares longer: in the long run no log waits for more turns than these, which are a second. */
const turnsMax = 40
/** More than that is not held in memory for the sake of the pace. */
const bytesMax = 256 * 1024

export function makeLogWriter(store: Store, clock: Clock): LogWriter {
  const waiting: Entry[] = []
  let bytes = 0
  let rest: AbortController | undefined
  let isBusy = false

  async function work(): Promise<void> {
    isBusy = true
    while (waiting.length > 0) {
      if (!isDue()) {
        rest = new AbortController()
        await clock.sleep(restMs, rest.signal)
        rest = undefined
      }
      await keep(takeShare())
    }
    isBusy = false
  }

  const isDue = (): boolean => bytes > bytesMax || waiting[0]?.isUrgent === true

  function takeShare(): readonly Entry[] {
    const rows = waiting.reduce((sum, entry) => sum + entry.rows.length, 0)
    let room = Math.max(shareRows, Math.ceil(rows / turnsMax))
    const beyond = waiting.findIndex((entry) => {
      room -= entry.rows.length
      return room < 0
    })
    // What was given together stays together, if need be in a share of its own.
    const share = waiting.splice(0, beyond < 0 ? waiting.length : Math.max(1, beyond))
    for (const entry of share) bytes -= entry.bytes
    return share
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

  function hurry(entry: Entry): void {
    const at = waiting.indexOf(entry)
    if (at < 0) return
    entry.isUrgent = true
    waiting.splice(at, 1)
    waiting.unshift(entry)
    rest?.abort(enough)
  }

  return {
    write(rows) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const size = rows.reduce((sum, row) => sum + row.bytes.length, 0)
      const entry: Entry = { rows, bytes: size, done: resolve, failed: reject, isUrgent: false }
      waiting.push(entry)
      bytes += size
      if (!isBusy) void work()
      else if (bytes > bytesMax) rest?.abort(enough)
      return { kept: promise, hurry: () => hurry(entry) }
    },
  }
}
