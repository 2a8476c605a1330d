/** The rows that a log has on the page: the head of each section, and below it its lines where it is open. */
import type { Section } from './lines.ts'

/** What stands in a row: the head of a section, or a line of the log; both counted from 0. */
export type Row =
  | { readonly kind: 'head'; readonly section: number }
  | { readonly kind: 'line'; readonly line: number }

export interface Rows {
  readonly count: number
  /** Those from a row to another, which is not among them. */
  slice(from: number, to: number): readonly Row[]
  /** Where a line stands; of a folded section, its head. */
  rowOf(line: number): number
  /** The section that a line belongs to. */
  sectionOf(line: number): number
}

interface Placed {
  readonly row: number
  readonly line: number
  /** Lines that are shown. */
  readonly shown: number
}

/** A log of one section needs no head, and cannot be folded. */
export function rowsOf(
  sections: readonly Section[],
  lines: number,
  isOpen: (section: number) => boolean,
): Rows {
  const heads = sections.length > 1 ? 1 : 0
  const placed: Placed[] = []
  let count = 0
  for (const [i, { line }] of sections.entries()) {
    const length = (sections[i + 1]?.line ?? lines) - line
    const shown = heads === 0 || isOpen(i) ? Math.max(0, length) : 0
    placed.push({ row: count, line, shown })
    count += heads + shown
  }
  const sectionOf = (line: number): number =>
    Math.max(
      0,
      sections.findLastIndex((one) => one.line <= line),
    )
  const rowAt = (row: number): Row => {
    const section = placed.findLastIndex((one) => one.row <= row)
    const { row: first = 0, line = 0 } = placed[section] ?? {}
    return row < first + heads
      ? { kind: 'head', section }
      : { kind: 'line', line: line + row - first - heads }
  }
  return {
    count,
    slice: (from, to) =>
      Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, i) => rowAt(from + i)),
    rowOf(line) {
      const { row = 0, line: first = 0, shown = 0 } = placed[sectionOf(line)] ?? {}
      return line < first + shown ? row + heads + line - first : row
    },
    sectionOf,
  }
}
