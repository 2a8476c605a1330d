/** Tables that fit the terminal: long cells are cut, the state of a thing never. */
import { printable } from '../kit/text.ts'
import { cutTo, padTo, widthOf } from '../kit/width.ts'
import { coloured, columns, hasColour, isTerminal, print } from './terminal.ts'

const gap = '  '

/** What is narrower tells nothing; an id is still found by its first eight characters. */
const narrowest = 9

/** Columns that decide what a person does next. */
const neverCut: ReadonlySet<string> = new Set(['STATE'])

/** Prints rows in columns as wide as their widest cell; on a terminal they are cut to its width, unless all is wanted. */
export function printTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { whole = false }: { readonly whole?: boolean } = {},
): void {
  const cells = rows.map((row) => row.map((cell) => printable(cell).replaceAll(/[\n\t]/g, ' ')))
  const natural = titles.map((title, i) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[i] ?? ''))),
  )
  const fits = isTerminal('stdout') && !whole
  const widths = fits ? fitted(natural, titles, columns()) : natural
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => {
        const shown = fits ? cutTo(cell, widths[i] ?? 0) : cell
        return i === row.length - 1 ? shown : padTo(shown, widths[i] ?? 0)
      })
      .join(gap)
  print(coloured('stdout', 'bold', line(titles)))
  for (const row of cells) print(hasColour('stdout') ? highlight(line(row)) : line(row))
}

/** First the last column gives way, which describes; then whichever is widest. */
export function fitted(
  natural: readonly number[],
  titles: readonly string[],
  room: number,
): readonly number[] {
  const widths = [...natural]
  const least = titles.map((title, i) =>
    neverCut.has(title) ? (natural[i] ?? 0) : Math.max(narrowest, widthOf(title)),
  )
  let over = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - room
  const narrow = (i: number, by: number) => {
    const given = Math.min(by, Math.max(0, (widths[i] ?? 0) - (least[i] ?? 0)))
    widths[i] = (widths[i] ?? 0) - given
    over -= given
    return given
  }
  if (over > 0) narrow(widths.length - 1, over)
  while (over > 0) {
    const byWidth = widths.map((_, i) => i).sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (!byWidth.some((i) => narrow(i, 1) > 0)) break
  }
  return widths
}

const stateColours = [
  ['green', /\b(ready|bound|succeeded|offered|ok)\b/],
  ['red', /\b(failed|quarantined|refused|fail)\b/],
  [
    'yellow',
    /\b(provisioning|updating|deprovisioning|binding|unbinding|queued|running|stopping|cancelled|warn)\b/,
  ],
] as const

function highlight(line: string): string {
  for (const [colour, pattern] of stateColours) {
    if (pattern.test(line)) return line.replace(pattern, (word) => coloured('stdout', colour, word))
  }
  return line
}
