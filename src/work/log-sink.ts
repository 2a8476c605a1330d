/** Keeps a run's log: redacted before it is stored, in order, bounded to its beginning and its end; the program waits when the store is slow. */
import type { LogPiece } from '../engines/engine.ts'
import { type Mask, type Redactor, type Stretch, shownIn } from '../kit/redact.ts'
import type { LogEnd, Store } from '../store/store.ts'
import { type KeptStream, type LogRowsOptions, lengthOf, openLogRows } from './log-rows.ts'
import { isPlain, openLogTail } from './log-tail.ts'
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

export interface LogOptions extends LogRowsOptions {
  readonly store: Store
  readonly mask: Mask
  readonly bytesMax: number
}

/** The end of a long log waits in memory until the run is over, so it is the lesser part. */
const tailBytes = 1024 * 1024

const shortBytes = 4096

/** In place of a piece that could not be judged. */
const lostMark = Buffer.from('[left out]\n')

interface Stream extends KeptStream {
  redactor: Redactor
}

/** Opens the sink behind what is already kept. */
export async function openLogSink(options: LogOptions): Promise<LogSink> {
  const { store, operation, run, mask, bytesMax } = options
  const ends = await store.look.logEnds(run)
  const streams = openStreams(mask, ends)
  const tailMax = Math.min(Math.floor(bytesMax * 0.9), tailBytes)
  const tail = openLogTail<Stream>(tailMax)
  const rows = openLogRows(options)
  const shown = openShownTail()
  let kept = ends.reduce((sum, { end }) => sum + end, 0)
  if (kept > 0) await shown.read(store, operation, run)

  /** What the redactor still holds back is not kept, so that after a crash it is read again. */
  function add(of: Stream, parts: readonly Stretch[], span: number): void {
    if (span <= 0) return
    rows.add(of, parts, span)
    kept += span
  }

  /** The beginning of a log is kept at once, its end at the end. */
  function addOrHold(of: Stream, redactedParts: readonly Stretch[], span: number): void {
    const room = Math.max(0, bytesMax - tailMax - kept)
    const parts = lightened(redactedParts, tail.isEmpty() ? room : tailMax)
    if (tail.isEmpty() && lengthOf(parts) <= room) add(of, parts, span)
    else if (tail.isEmpty() && isPlain(parts, span)) {
      const bytes = shownIn(parts)
      add(of, [{ shown: bytes.subarray(0, room) }], room)
      tail.push(of, [{ shown: bytes.subarray(room) }], span - room)
    } else tail.push(of, parts, span)
  }

  return {
    had: (step, stream) => streams.had(step, stream)?.position ?? 0,
    async take({ step, stream, bytes }) {
      const of = streams.of(step, stream)
      const before = of.redactor.held
      const parts = redacted(of, bytes, options)
      for (const part of parts) shown.add(step, stream, part.shown)
      addOrHold(of, parts, before + bytes.length - of.redactor.held)
      await rows.keep()
    },
    async end() {
      for (const of of streams.all()) {
        const { held } = of.redactor
        const rest = of.redactor.end()
        shown.add(of.step, of.stream, shownIn(rest))
        if (tail.isEmpty()) add(of, rest, held)
        else tail.push(of, rest, held)
      }
      const { left, pieces } = tail.take()
      if (left.bytes > 0) {
        const mark = Buffer.from(`\n[${left.bytes} bytes of the log are left out here]\n`)
        add(streams.of(left.step, 'system'), [{ shown: mark }], mark.length)
      }
      for (const { of, parts, span, before } of pieces) {
        of.position += before
        add(of, parts, span)
      }
      await rows.end()
    },
    shownTail: () => shown.text(),
  }
}

/**
 * Much that is hidden does not take the room of what is shown. What is short stays: a secret that is learned later may begin in it,
 * and is found by its beginning.
 */
function lightened(parts: readonly Stretch[], most: number): readonly Stretch[] {
  if (lengthOf(parts) <= most) return parts
  return parts.map((part) => ((part.hidden?.length ?? 0) > shortBytes ? { shown: part.shown } : part))
}

interface Streams {
  had(step: string, stream: LogPiece['stream']): Stream | undefined
  /** That stream, new where nothing of it came yet. */
  of(step: string, stream: LogPiece['stream']): Stream
  all(): Iterable<Stream>
}

function openStreams(mask: Mask, ends: readonly LogEnd[]): Streams {
  const streams = new Map<string, Stream>()
  const keyOf = (step: string, stream: LogPiece['stream']): string => `${stream} ${step}`
  const open = (step: string, stream: LogPiece['stream'], position: number): Stream => {
    const opened = { redactor: mask.open(), step, stream, position }
    streams.set(keyOf(step, stream), opened)
    return opened
  }
  for (const { step, stream, end } of ends) open(step, stream, end)
  return {
    had: (step, stream) => streams.get(keyOf(step, stream)),
    of: (step, stream) => streams.get(keyOf(step, stream)) ?? open(step, stream, 0),
    all: () => streams.values(),
  }
}

/** What can be shown of these bytes. What cannot be judged is not shown; the run and its report do not depend on it. */
function redacted(of: Stream, bytes: Uint8Array, { mask, lost }: LogOptions): readonly Stretch[] {
  try {
    return of.redactor.push(bytes)
  } catch (error) {
    lost(error)
    of.redactor = mask.open()
    return [{ shown: lostMark }]
  }
}
