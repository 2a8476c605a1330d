/** The last lines that a program has written, as they may be shown: what its failure is told by. */
import type { LogPiece } from '../engines/engine.ts'
import type { Store } from '../store/store.ts'

export interface ShownTail {
  add(step: string, stream: LogPiece['stream'], bytes: Uint8Array): void
  /** Takes up what an earlier follower of the run has kept. */
  read(store: Store, operation: string, run: string): Promise<void>
  text(): string
}

const bytesMax = 8 * 1024
const pageRows = 100

/** An empty tail; a new step that writes something begins it anew. */
export function openShownTail(): ShownTail {
  let of: string | undefined
  let parts: Uint8Array[] = []
  let bytes = 0

  function add(step: string, stream: LogPiece['stream'], piece: Uint8Array): void {
    if (stream === 'system' || piece.length === 0) return
    if (of !== step) {
      of = step
      parts = []
      bytes = 0
    }
    // A copy, for the piece may be a small part of a large buffer.
    const last = new Uint8Array(piece.subarray(-bytesMax))
    parts.push(last)
    bytes += last.length
    for (let first = parts[0]; first && bytes - first.length >= bytesMax; first = parts[0]) {
      parts.shift()
      bytes -= first.length
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
    text: () => Buffer.concat(parts).subarray(-bytesMax).toString(),
  }
}

/** The tail of a run as it is kept. */
export async function shownTailOf(store: Store, operation: string, run: string): Promise<string> {
  const tail = openShownTail()
  await tail.read(store, operation, run)
  return tail.text()
}
