/** Places in a text and the faults found there, for both languages. */

export interface Place {
  /** Both count from 1; columns count code points. */
  readonly line: number
  readonly column: number
}

/** What a language raises inside itself; its doors hand it out as a value. It is an answer, so it has no stack: that costs more than an evaluation. */
export class Fault extends Error {
  override readonly name = 'Fault'
  /** Undefined until it is known; what raises a fault often knows no places. */
  place: Place | undefined
  constructor(message: string, place?: Place) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.place = place
  }
}

/** Line and column of an offset (in UTF-16 units) of a text. */
export function placeOf(text: string, offset: number): Place {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++
    start = at + 1
  }
  return { line, column: codePoints(text, start, offset) + 1 }
}

/** How many code points lie between two offsets. */
export function codePoints(text: string, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}

/** The line of a place, shortened around it, with a caret below. */
export function excerpt(text: string, place: Place, width = 72): string {
  const line = [...(text.split('\n', place.line)[place.line - 1] ?? '').replaceAll('\t', ' ')]
  const from = Math.max(0, Math.min(place.column - 1 - Math.floor(width / 2), line.length - width))
  return `${line.slice(from, from + width).join('')}\n${' '.repeat(Math.max(0, place.column - 1 - from))}^`
}
