/** The log of an operation for readers: a piece of it, or all of it as it grows until the operation ends. */
import { type LogLine, toLogLine, toOperation } from '../../api/operation.ts'
import type { Ports } from '../../broker/ports.ts'
import { lastLines } from '../../kit/text.ts'
import { hasEnded } from '../../model/operation.ts'
import type { LogRow, Store } from '../../store/store.ts'
import type { ServerEvent } from './route.ts'

const pieceRows = 500
const lookAgainMs = 100

/** Log lines after a number. */
export async function readLog(
  broker: Ports,
  operation: string,
  { after, most }: { readonly after: number; readonly most: number },
): Promise<{ readonly items: readonly LogLine[]; readonly next?: number }> {
  const rows = await broker.store.look.log(operation, after, most)
  const decode = decoder()
  const last = rows.at(-1)
  const more = rows.length === most && last ? { next: last.number } : {}
  return { items: rows.map((row) => toLogLine(row, decode(row))), ...more }
}

const lastPieces = 40
const shownLines = { lines: 20, characters: 4096 }

/** What a program said last. */
export async function lastLinesOf(
  { store }: { readonly store: Pick<Store, 'look'> },
  operation: string,
): Promise<readonly string[]> {
  const rows = await store.look.lastLog(operation, lastPieces)
  const text = Buffer.concat(rows.filter(({ stream }) => stream !== 'system').map(({ bytes }) => bytes))
  return lastLines(text.toString(), shownLines)
}

/**
 * Events `operation` (its state changed), `log`, and `end`; a reader resumes by the id of the last `log`.
 * `reconnect` ends a stream that is not done: the process is on its way out.
 */
export async function* followLog(
  broker: Ports,
  operation: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { look } = broker.store
  const decode = decoder()
  let after = from
  let told = ''
  while (!signal.aborted) {
    // The state is read before the log: what was logged before the end is then never missed.
    const now = await look.operation(operation)
    const state = now && `${now.state} ${now.reason} ${now.cancelRequestedAt}`
    if (now && state !== undefined && state !== told) {
      told = state
      yield { event: 'operation', data: toOperation(now) }
    }
    const rows = await look.log(operation, after, pieceRows)
    for (const row of rows) {
      after = row.number
      yield { event: 'log', id: row.number, data: toLogLine(row, decode(row)) }
    }
    if (rows.length === pieceRows) continue
    if (now === undefined || hasEnded(now.state)) {
      yield { event: 'end', data: now ? toOperation(now) : {} }
      return
    }
    await broker.clock.sleep(lookAgainMs, signal)
  }
  yield { event: 'reconnect', data: {} }
}

/** A character may lie across two pieces of a stream. */
function decoder(): (row: LogRow) => string {
  const decoders = new Map<string, InstanceType<typeof TextDecoder>>()
  return ({ run, stream, bytes }) => {
    const key = `${run} ${stream}`
    const known = decoders.get(key) ?? new TextDecoder()
    decoders.set(key, known)
    return known.decode(bytes, { stream: true })
  }
}
