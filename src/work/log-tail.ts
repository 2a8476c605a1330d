/** The newest bytes of a log that has become too long; what is older is counted and let go. */
import { type Stretch, shownIn } from '../kit/redact.ts'
import { lengthOf } from './log-rows.ts'

export interface LogTail<S> {
  isEmpty(): boolean
  /** Takes stretches of a stream that stand for a number of bytes of the run. */
  push(of: S, parts: readonly Stretch[], span: number): void
  /** What is left, in order, and how much was let go. */
  take(): {
    readonly left: { readonly bytes: number; readonly step: string }
    readonly pieces: readonly TailPiece<S>[]
  }
}

export interface TailPiece<S> {
  readonly of: S
  readonly parts: readonly Stretch[]
  readonly span: number
  /** How many bytes of its stream were let go right before it. */
  readonly before: number
}

/** Opens a tail of at most so many bytes. */
export function openLogTail<S extends { readonly step: string }>(bytesMax: number): LogTail<S> {
  let pieces: TailPiece<S>[] = []
  let bytes = 0
  let gone = 0
  let step = ''
  const goneOf = new Map<S, number>()

  function letGo({ of, parts, span, before }: TailPiece<S>): void {
    bytes -= lengthOf(parts)
    gone += span
    step = of.step
    const more = span + before
    // Its stream goes on later in the tail, or not at all.
    const next = pieces.findIndex((piece) => piece.of === of)
    const following = pieces[next]
    if (following) pieces[next] = { ...following, before: following.before + more }
    else goneOf.set(of, (goneOf.get(of) ?? 0) + more)
  }

  return {
    isEmpty: () => pieces.length === 0 && gone === 0,
    push(of, parts, span) {
      if (span <= 0) return
      const before = goneOf.get(of) ?? 0
      goneOf.delete(of)
      pieces.push({ of, parts: parts.map(copied), span, before })
      bytes += lengthOf(parts)
      while (bytes > bytesMax) {
        const first = pieces.shift()
        if (first === undefined) return
        const length = lengthOf(first.parts)
        const most = bytesMax - (bytes - length)
        if (most > 0 && isPlain(first.parts, first.span)) {
          const cut = length - most
          bytes -= cut
          gone += cut
          step = first.of.step
          const rest = plain(shownIn(first.parts).subarray(cut))
          pieces.unshift({ ...first, parts: [rest], span: most, before: first.before + cut })
          return
        }
        letGo(first)
      }
    },
    take() {
      const taken = { left: { bytes: gone, step }, pieces }
      pieces = []
      bytes = 0
      gone = 0
      return taken
    },
  }
}

/** A copy, for the bytes may be a small part of a large buffer. */
function copied({ shown, hidden }: Stretch): Stretch {
  return hidden === undefined ? plain(shown.slice()) : { shown: shown.slice(), hidden: hidden.slice() }
}

function plain(shown: Uint8Array): Stretch {
  return { shown }
}

/** Only bytes that stand for themselves can be parted. */
export function isPlain(parts: readonly Stretch[], span: number): boolean {
  return lengthOf(parts) === span && parts.every(({ hidden }) => hidden === undefined)
}
