/** A YAML text as its scanner walks over it: the sign at hand, line and column, and the kinds of signs. */

/** Why a text is no document. */
export class DocumentFault {
  readonly message: string
  readonly source: string
  readonly line: number
  readonly column: number
  constructor(message: string, source: string, place: { line: number; column: number }) {
    this.message = message
    this.source = source
    this.line = place.line
    this.column = place.column
  }
}

/** A position in a text; lines and columns count from 0. */
export interface Mark {
  readonly at: number
  readonly line: number
  readonly column: number
}

export const sign = {
  tab: 9,
  lf: 10,
  cr: 13,
  space: 32,
  nel: 0x85,
  ls: 0x2028,
  ps: 0x2029,
} as const

/** The end of the text counts as blank wherever a blank is asked for. */
const end = Number.NaN

export class Text {
  readonly text: string
  readonly source: string
  at = 0
  line = 0
  column = 0

  constructor(text: string, source: string) {
    this.text = text
    this.source = source
    if (text.charCodeAt(0) === 0xfeff) this.at = 1
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    const odd = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]/.exec(text)
    if (odd !== null) this.failAt(odd.index, 'control characters are not allowed')
  }

  /** The code unit some places on; NaN behind the end. */
  peek(ahead = 0): number {
    const at = this.at + ahead
    return at < this.text.length ? this.text.charCodeAt(at) : end
  }

  get atEnd(): boolean {
    return this.at >= this.text.length
  }

  mark(): Mark {
    return { at: this.at, line: this.line, column: this.column }
  }

  /** Steps over signs of the same line. */
  skip(count = 1): void {
    this.at += count
    this.column += count
  }

  /** Steps over one line break, and says what it counts as. */
  skipBreak(): string {
    const code = this.peek()
    this.at += code === sign.cr && this.peek(1) === sign.lf ? 2 : 1
    this.line++
    this.column = 0
    return code === sign.ls || code === sign.ps ? String.fromCharCode(code) : '\n'
  }

  /** Steps over what is left of the line. */
  skipLine(): void {
    while (!isBreakOrEnd(this.peek())) this.skip()
  }

  /** `---` or `...` at the beginning of a line. */
  get atDocumentMark(): boolean {
    if (this.column !== 0 || !isBlankOrEnd(this.peek(3))) return false
    return this.text.startsWith('---', this.at) || this.text.startsWith('...', this.at)
  }

  fail(message: string, mark: Mark = this.mark()): never {
    throw new DocumentFault(message, this.source, { line: mark.line + 1, column: mark.column + 1 })
  }

  private failAt(index: number, message: string): never {
    const before = this.text.slice(0, index).split('\n')
    const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 }
    throw new DocumentFault(message, this.source, place)
  }
}

export function isBlank(code: number): boolean {
  return code === sign.space || code === sign.tab
}

export function isBreak(code: number): boolean {
  return code === sign.lf || code === sign.cr || code === sign.nel || code === sign.ls || code === sign.ps
}

export function isBreakOrEnd(code: number): boolean {
  return isBreak(code) || Number.isNaN(code)
}

export function isBlankOrEnd(code: number): boolean {
  // Most signs are ones that can be seen.
  if (code > sign.space && code < sign.nel) return false
  return isBlank(code) || isBreakOrEnd(code)
}
