/** Rows of a log on their way to the store: neighbours become one, many share a write, and a program waits when the store is slow. */
import { type Stretch, shownIn } from '../kit/redact.ts'
import type { HiddenBytes } from '../model/sealed.ts'
import type { NewLogRow } from '../store/store.ts'
import type { LogWriter, Writing } from './log-writer.ts'

/** A stream of which rows are kept. */
export interface KeptStream {
  readonly step: string
  readonly stream: NewLogRow['stream']
  /** How far it is kept. */
  position: number
}

export interface LogRows {
  /** Appends successive stretches of a stream; they stand for `span` bytes of what the program wrote. */
  add(of: KeptStream, parts: readonly Stretch[], span: number): void
  /** Begins to keep what waits; resolves at once unless much of it does. */
  keep(): Promise<void>
  /** Keeps the rest. */
  end(): Promise<void>
}

export interface LogRowsOptions {
  readonly writer: LogWriter
  readonly operation: string
  readonly run: string
  /** A log that cannot be kept never fails the operation. */
  lost(error: unknown): void
}

const batchBytes = 64 * 1024

/** Successive bytes of a stream that are not kept yet; of a log that waits long they become one row. */
interface Piece {
  readonly of: KeptStream
  readonly position: number
  readonly parts: Stretch[]
  span: number
  bytes: number
}

export function openLogRows({ writer, operation, run, lost }: LogRowsOptions): LogRows {
  let waiting: Piece[] = []
  let waitingBytes = 0
  let writing: Writing | undefined
  let flushing: Promise<void> | undefined
  let isEnding = false

  function rowOf({ of: { step, stream }, position, parts, span }: Piece): NewLogRow {
    const bytes = parts.length === 1 && parts[0] ? parts[0].shown : shownIn(parts)
    const hidden = hiddenIn(parts)
    const row = { operation, run, stream, step, position, span, bytes }
    return hidden.length === 0 ? row : { ...row, hidden }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const isMuch = waitingBytes > batchBytes
      const rows = waiting.map(rowOf)
      waiting = []
      waitingBytes = 0
      writing = writer.write(rows)
      if (isMuch || isEnding) writing.hurry()
      await writing.kept.catch(lost)
    }
    writing = undefined
  }

  /** Pieces that come while the store is busy share the next write. */
  async function keep(): Promise<void> {
    flushing ??= flush().finally(() => {
      flushing = undefined
    })
    if (waitingBytes <= batchBytes && !isEnding) return
    writing?.hurry()
    await flushing
  }

  return {
    add(of, parts, span) {
      const bytes = lengthOf(parts)
      const last = waiting.at(-1)
      const goesOn = last?.of === of && last.position + last.span === of.position
      if (goesOn && last.bytes + bytes <= batchBytes) {
        last.parts.push(...parts)
        last.span += span
        last.bytes += bytes
      } else waiting.push({ of, position: of.position, parts: [...parts], span, bytes })
      waitingBytes += bytes
      of.position += span
    },
    keep,
    async end() {
      isEnding = true
      await keep()
    },
  }
}

/** How many bytes these take, with what is hidden. */
export function lengthOf(parts: readonly Stretch[]): number {
  return parts.reduce((sum, { shown, hidden }) => sum + shown.length + (hidden?.length ?? 0), 0)
}

/** What is hidden in a piece, by where its marks stand among the shown bytes. */
export function hiddenIn(parts: readonly Stretch[]): readonly HiddenBytes[] {
  let at = 0
  return parts.flatMap(({ shown, hidden }) => {
    at += shown.length
    return hidden === undefined ? [] : [{ at: at - shown.length, mark: shown.length, bytes: hidden }]
  })
}
