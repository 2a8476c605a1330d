/** A line of a log for the page: what terminals would colour becomes classes, what else they would do is left out. */

export interface Span {
  readonly text: string
  /** Names of classes, with blanks between them; empty: plain. */
  readonly look: string
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const escapes = /\u001b(?:\[([0-9;:?]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g

/** Of a line that has no end a page shows its beginning, and how many characters are left out. */
export function beginningOf(
  line: string,
  most: number,
): { readonly spans: readonly Span[]; readonly left: number } {
  const last = lastOf(line)
  return { spans: spansOf(last.slice(0, most)), left: Math.max(0, last.length - most) }
}

/** A progress bar writes its line again and again; what stands there at the end is what a terminal shows. */
function lastOf(line: string): string {
  return line.replace(/\r$/, '').split('\r').at(-1) ?? ''
}

/** Each line begins plain: one that forgot to end its colour does not colour the rest. */
function spansOf(line: string): readonly Span[] {
  const last = lastOf(line)
  const spans: Span[] = []
  let look: ReadonlySet<string> = new Set()
  let from = 0
  const add = (text: string): void => {
    const shown = text.replaceAll(controls, '')
    if (shown !== '') spans.push({ text: shown, look: [...look].join(' ') })
  }
  for (const match of last.matchAll(escapes)) {
    add(last.slice(from, match.index))
    from = match.index + match[0].length
    if (match[2] === 'm') look = changed(look, match[1] ?? '')
  }
  add(last.slice(from))
  return spans
}

/** The text alone, for searching and copying. */
export function plainOf(line: string): string {
  return spansOf(line)
    .map(({ text }) => text)
    .join('')
}

function changed(look: ReadonlySet<string>, codes: string): ReadonlySet<string> {
  const now = new Set(look)
  for (const code of codes.split(/[;:]/).map(Number)) {
    if (code === 0) now.clear()
    else if (code === 1) now.add('strong')
    else if (code === 22) now.delete('strong')
    else if (code === 39 || isColour(code)) {
      for (const colour of colours) now.delete(`ansi-${colour}`)
      if (isColour(code)) now.add(`ansi-${colours[code % 10]}`)
    } else if (code === 38 || code === 48) break
  }
  return now
}

function isColour(code: number): boolean {
  return (code >= 30 && code <= 37) || (code >= 90 && code <= 97)
}
