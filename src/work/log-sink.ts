/** Keeps a run's log: redacted before it is stored, in order, bounded to its beginning and its end; the program waits when the store is slow. */
import type { LogPiece } from '../engines/engine.ts'
import type { Mask, Redactor } from '../kit/redact.ts'
import type { NewLogRow, Store } from '../store/store.ts'
import { openLogTail } from './log-tail.ts'
import type { LogWriter, Writing } from './log-writer.ts'
import { openShownTail } from './shown-tail.ts'

export interface LogSink {
  /** Bytes of a stream that are already kept; the engine goes on from there. */
  had(step: string, stream: LogPiece['stream']): number
  take(piece: LogPiece): Promise<void>
  /** Stores what was held back. */
  end(): Promise<void>
  /** The last of what the program has written, as it may be shown; complete after the end. */
  shownTail(): string
}

export interface LogOptions {
  readonly store: Store
  readonly writer: LogWriter
  readonly operation: string
  readonly run: string
  readonly mask: Mask
  readonly bytesMax: number
  /** A log that cannot be kept never fails the operation. */
  lost(error: unknown): void
}

const batchBytes = 64 * 1024
/** The end of a long log waits in memory until the run is over, so it is the lesser part. */
const tailBytes = 1024 * 1024

/** In place of a piece that could not be judged. */
const lostMark = Buffer.from('[left out]\n')

interface Stream {
  redactor: Redactor
  readonly step: string
  readonly stream: LogPiece['stream']
  /** How far it is kept. */
  position: number
}

/** Successive bytes of a stream that are not kept yet; of a log that waits long they become one row. */
interface Piece {
  readonly of: Stream
  readonly position: number
  readonly parts: Uint8Array[]
  span: number
  bytes: number
}

/** Opens the sink behind what is already kept. */
export async function openLogSink(options: LogOptions): Promise<LogSink> {
  const { store, writer, operation, run, mask, bytesMax } = options
  const streams = new Map<string, Stream>()
  const tailMax = Math.min(Math.floor(bytesMax * 0.9), tailBytes)
  const tail = openLogTail<Stream>(tailMax)
  let kept = 0
  for (const { step, stream, end } of await store.look.logEnds(run)) {
    streams.set(`${stream} ${step}`, { redactor: mask.open(), step, stream, position: end })
    kept += end
  }
  const shown = openShownTail()
  if (kept > 0) await shown.read(store, operation, run)
  let waiting: Piece[] = []
  let waitingBytes = 0
  let writing: Writing | undefined
  let flushing: Promise<void> | undefined
  let isEnding = false

  function streamOf(step: string, stream: LogPiece['stream']): Stream {
    const known = streams.get(`${stream} ${step}`)
    if (known) return known
    const fresh = { redactor: mask.open(), step, stream, position: 0 }
    streams.set(`${stream} ${step}`, fresh)
    return fresh
  }

  /** What the redactor still holds back is not kept, so that after a crash it is read again. */
  function add(of: Stream, parts: readonly Uint8Array[], span: number): void {
    if (span <= 0) return
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
    kept += span
  }

  function rowOf({ of: { step, stream }, position, parts, span }: Piece): NewLogRow {
    const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
    return { operation, run, stream, step, position, span, bytes }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const isMuch = waitingBytes > batchBytes
      const rows = waiting.map(rowOf)
      waiting = []
      waitingBytes = 0
      writing = writer.write(rows)
      if (isMuch || isEnding) writing.hurry()
      await writing.kept.catch(options.lost)
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
    had: (step, stream) => streams.get(`${stream} ${step}`)?.position ?? 0,
    async take(piece) {
      const of = streamOf(piece.step, piece.stream)
      const before = of.redactor.held
      let parts: readonly Uint8Array[] = [lostMark]
      try {
        parts = of.redactor.push(piece.bytes)
      } catch (error) {
        // What cannot be judged is not shown; the run and its report do not depend on it.
        options.lost(error)
        of.redactor = mask.open()
      }
      const span = before + piece.bytes.length - of.redactor.held
      for (const part of parts) shown.add(piece.step, piece.stream, part)
      const room = Math.max(0, bytesMax - tailMax - kept)
      if (tail.isEmpty() && lengthOf(parts) <= room) add(of, parts, span)
      else {
        const bytes = Buffer.concat(parts)
        // Only bytes that stand for themselves can be parted.
        const fits = tail.isEmpty() && span === bytes.length ? room : 0
        add(of, [bytes.subarray(0, fits)], fits)
        tail.push(of, bytes.subarray(fits), span - fits)
      }
      await keep()
    },
    async end() {
      for (const of of streams.values()) {
        const { held } = of.redactor
        const rest = Buffer.concat(of.redactor.end())
        shown.add(of.step, of.stream, rest)
        if (tail.isEmpty()) add(of, [rest], held)
        else tail.push(of, rest, held)
      }
      const { left, pieces } = tail.take()
      if (left.bytes > 0) {
        const mark = Buffer.from(`\n[${left.bytes} bytes of the log are left out here]\n`)
        add(streamOf(left.step, 'system'), [mark], mark.length)
      }
      for (const { of, bytes, span, before } of pieces) {
        of.position += before
        add(of, [bytes], span)
      }
      isEnding = true
      await keep()
    },
    shownTail: () => shown.text(),
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
