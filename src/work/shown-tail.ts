/** The last lines that a program has written, as they may be shown: what its failure is told by. */
import type { LogPiece } from '../engines/engine.ts'
import type { Store } from '../store/store.ts'

export interface ShownTail {
  add(step: string, stream: LogPiece['stream'], bytes: Uint8Array): void
  /** Takes up what an earlier follower of the run has kept. */
  read(store: Store, operation: string, run: string): Promise<void>
  text(): string
}

/** Of each stream, so that much output beside an error does not push the error out. */
const bytesMax = 8 * 1024
const pageRows = 100

interface Part {
  /** The place among the parts of all streams. */
  readonly at: number
  readonly bytes: Uint8Array
}

interface StreamEnd {
  readonly parts: Part[]
  /** Of all its parts. */
  bytes: number
}

/** An empty tail; a new step that writes something begins it anew. */
export function openShownTail(): ShownTail {
  const ends = new Map<LogPiece['stream'], StreamEnd>()
  let of: string | undefined
  let count = 0

  function add(step: string, stream: LogPiece['stream'], piece: Uint8Array): void {
    if (stream === 'system' || piece.length === 0) return
    if (of !== step) ends.clear()
    of = step
    const end = ends.get(stream) ?? { parts: [], bytes: 0 }
    ends.set(stream, end)
    // A copy, for the piece may be a small part of a large buffer.
    const last = new Uint8Array(piece.subarray(-bytesMax))
    end.parts.push({ at: count++, bytes: last })
    end.bytes += last.length
    const { parts } = end
    for (let first = parts[0]; first && end.bytes - first.bytes.length >= bytesMax; first = parts[0]) {
      parts.shift()
      end.bytes -= first.bytes.length
    }
  }

  return {
    add,
    async read(store, operation, run) {
      for (let after = 0, isMore = true; isMore; ) {
        const rows = await store.look.log(operation, after, pageRows)
        for (const row of rows) if (row.run === run) add(row.step, row.stream, row.bytes)
        after = rows.at(-1)?.number ?? after
        isMore = rows.length === pageRows
      }
    },
    text() {
      const parts = [...ends.values()].flatMap(lastOf).toSorted((a, b) => a.at - b.at)
      return Buffer.concat(parts.map(({ bytes }) => bytes)).toString()
    },
  }
}

/** The parts of one stream, the first cut to what there is room for. */
function lastOf({ parts, bytes }: StreamEnd): readonly Part[] {
  const [first, ...rest] = parts
  if (first === undefined) return []
  return [{ ...first, bytes: first.bytes.subarray(Math.max(0, bytes - bytesMax)) }, ...rest]
}

/** The tail of a run as it is kept. */
export async function shownTailOf(store: Store, operation: string, run: string): Promise<string> {
  const tail = openShownTail()
  await tail.read(store, operation, run)
  return tail.text()
}
