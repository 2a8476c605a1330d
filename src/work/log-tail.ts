/** The newest bytes of a log that has become too long; what is older is counted and let go. */

export interface LogTail<S> {
  isEmpty(): boolean
  /** Takes shown bytes of a stream that stand for a number of bytes of the run. */
  push(of: S, bytes: Uint8Array, span: number): void
  /** What is left, in order, and how much was let go. */
  take(): {
    readonly left: { readonly bytes: number; readonly step: string }
    readonly pieces: readonly TailPiece<S>[]
  }
}

export interface TailPiece<S> {
  readonly of: S
  readonly bytes: Uint8Array
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

  function letGo({ of, bytes: old, span, before }: TailPiece<S>): void {
    bytes -= old.length
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
    push(of, shown, span) {
      if (span <= 0) return
      const before = goneOf.get(of) ?? 0
      goneOf.delete(of)
      // A copy, for the piece may be a small part of a large buffer.
      pieces.push({ of, bytes: shown.slice(), span, before })
      bytes += shown.length
      while (bytes > bytesMax) {
        const first = pieces.shift()
        if (first === undefined) return
        const most = bytesMax - (bytes - first.bytes.length)
        if (most > 0 && first.span === first.bytes.length) {
          const cut = first.bytes.length - most
          bytes -= cut
          gone += cut
          step = first.of.step
          pieces.unshift({ ...first, bytes: first.bytes.slice(cut), span: most, before: first.before + cut })
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
