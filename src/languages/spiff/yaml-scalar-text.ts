/** The text of scalars: plain, quoted and block ones, with their lines folded. */
import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, type Mark, sign, type Text } from './yaml-text.ts'

/** What stands between two words of a scalar that spans lines. */
class Gap {
  blanks = ''
  first = ''
  rest = ''
  broken = false

  /** Takes in blanks and line breaks. */
  collect(text: Text, tabs: (mark: Mark) => void): void {
    for (let code = text.peek(); isBlank(code) || isBreak(code); code = text.peek()) {
      if (isBreak(code)) {
        const line = text.skipBreak()
        if (this.broken) this.rest += line
        else this.first = line
        this.broken = true
        this.blanks = ''
      } else {
        if (this.broken && code === sign.tab) tabs(text.mark())
        if (!this.broken) this.blanks += String.fromCharCode(code)
        text.skip()
      }
    }
  }

  /** One line break is a blank; further ones stay. */
  folded(): string {
    if (!this.broken) return this.blanks
    if (this.first !== '\n') return this.first + this.rest
    return this.rest === '' ? ' ' : this.rest
  }
}

const noTabs = (): void => {}

export interface PlainScalar {
  readonly text: string
  /** It ended behind a line break, so a key may follow. */
  readonly broken: boolean
}

const flowEnds = new Set([...',?[]{}'].map((one) => one.charCodeAt(0)))
const colon = 58
const hash = 35

/** A plain scalar; in block context its lines are indented by `indent` at least. */
export function plainScalar(text: Text, indent: number, inFlow: boolean): PlainScalar {
  let value = ''
  let gap = new Gap()
  while (!text.atDocumentMark && text.peek() !== hash) {
    const word = plainWord(text, inFlow)
    if (word !== '') {
      value += gap.folded() + word
      gap = new Gap()
    }
    const code = text.peek()
    if (!(isBlank(code) || isBreak(code))) break
    gap.collect(text, (mark) => {
      if (mark.column < indent) text.fail('found a tab character that violate indentation', mark)
    })
    if (!inFlow && text.column < indent) break
  }
  return { text: value, broken: gap.broken }
}

/** The signs up to a blank, a colon that ends a key, or an indicator of a flow collection. */
function plainWord(text: Text, inFlow: boolean): string {
  const { text: all, at: start } = text
  let end = start
  for (let code = all.charCodeAt(end); !isBlankOrEnd(code); code = all.charCodeAt(++end)) {
    if (code === colon) {
      if (isBlankOrEnd(all.charCodeAt(end + 1))) break
      if (!inFlow) continue
      text.skip(end - start)
      text.fail("found unexpected ':'")
    }
    if (inFlow && flowEnds.has(code)) break
  }
  text.skip(end - start)
  return all.slice(start, end)
}

/** A scalar in single or double quotes, from its opening quote on. */
export function quotedScalar(text: Text): string {
  const quote = text.peek()
  const start = text.mark()
  text.skip()
  let value = ''
  for (;;) {
    if (text.atDocumentMark) text.fail('found unexpected document indicator', start)
    if (text.atEnd) text.fail('found unexpected end of stream', start)
    const gap = new Gap()
    value += quote === 39 ? singleWords(text) : doubleWords(text, gap)
    if (text.peek() === quote) {
      text.skip()
      return value
    }
    gap.collect(text, noTabs)
    value += gap.folded()
  }
}

function singleWords(text: Text): string {
  let words = ''
  for (let code = text.peek(); !isBlankOrEnd(code); code = text.peek()) {
    if (code !== 39) words += String.fromCharCode(code)
    else if (text.peek(1) === 39) {
      words += "'"
      text.skip()
    } else break
    text.skip()
  }
  return words
}

function doubleWords(text: Text, gap: Gap): string {
  let words = ''
  for (let code = text.peek(); !isBlankOrEnd(code) && code !== 34; code = text.peek()) {
    if (code !== 92) {
      words += String.fromCharCode(code)
      text.skip()
    } else if (isBreak(text.peek(1))) {
      // A backslash at the end of a line joins it with the next without a blank.
      text.skip()
      text.skipBreak()
      gap.broken = true
      gap.first = '\u2028'
      gap.collect(text, noTabs)
      words += gap.rest
      gap.broken = false
      gap.rest = ''
      gap.blanks = ''
    } else words += escaped(text)
  }
  return words
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}

const codeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

function escaped(text: Text): string {
  const start = text.mark()
  const name = text.text[text.at + 1] ?? ''
  const known = Object.hasOwn(escapes, name) ? escapes[name] : undefined
  if (known !== undefined) {
    text.skip(2)
    return known
  }
  const length = Object.hasOwn(codeLengths, name) ? codeLengths[name] : undefined
  if (length === undefined) return text.fail('found unknown escape character', start)
  const digits = text.text.slice(text.at + 2, text.at + 2 + length)
  if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < length)
    text.fail('did not find expected hexdecimal number', start)
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    text.fail('found invalid Unicode character escape code', start)
  text.skip(2 + length)
  return String.fromCodePoint(code)
}

interface BlockHeader {
  readonly literal: boolean
  readonly chomp: '' | '+' | '-'
  readonly increment: number
}

/** A block scalar, from its `|` or `>` on; `parent` is the indentation of the collection around it. */
export function blockScalar(text: Text, parent: number): string {
  const header = blockHeader(text)
  const known = header.increment === 0 ? 0 : Math.max(parent, 0) + header.increment
  let value = ''
  let lead = ''
  let afterBlank = false
  const first = blockBreaks(text, known, parent)
  const { indent } = first
  let rest = first.breaks
  while (text.column === indent && !text.atEnd) {
    const blank = isBlank(text.peek())
    const folds = !header.literal && lead === '\n' && !afterBlank && !blank
    value += folds ? rest || ' ' : lead + rest
    afterBlank = blank
    const start = text.at
    text.skipLine()
    value += text.text.slice(start, text.at)
    lead = isBreak(text.peek()) ? text.skipBreak() : ''
    rest = blockBreaks(text, indent, parent).breaks
  }
  if (header.chomp !== '-') value += lead
  return header.chomp === '+' ? value + rest : value
}

function blockHeader(text: Text): BlockHeader {
  const start = text.mark()
  const literal = text.peek() === 124
  text.skip()
  let chomp: BlockHeader['chomp'] = ''
  let increment = 0
  for (let i = 0; i < 2; i++) {
    const one = text.text[text.at] ?? ''
    if (chomp === '' && (one === '+' || one === '-')) chomp = one
    else if (increment === 0 && one >= '0' && one <= '9') {
      if (one === '0') text.fail('found an indentation indicator equal to 0', start)
      increment = Number(one)
    } else break
    text.skip()
  }
  while (isBlank(text.peek())) text.skip()
  if (text.peek() === hash) text.skipLine()
  if (!isBreakOrEnd(text.peek())) text.fail('did not find expected comment or line break', start)
  if (isBreak(text.peek())) text.skipBreak()
  return { literal, chomp, increment }
}

/** Indentation and empty lines; without a known indentation the first line that is not empty decides. */
function blockBreaks(text: Text, known: number, parent: number): { breaks: string; indent: number } {
  let breaks = ''
  let widest = 0
  for (;;) {
    while ((known === 0 || text.column < known) && text.peek() === sign.space) text.skip()
    widest = Math.max(widest, text.column)
    if ((known === 0 || text.column < known) && text.peek() === sign.tab)
      text.fail('found a tab character where an indentation space is expected')
    if (!isBreak(text.peek())) break
    breaks += text.skipBreak()
  }
  return { breaks, indent: known === 0 ? Math.max(widest, parent + 1, 1) : known }
}
