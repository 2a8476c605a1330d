/** From text to tokens, in two modes: literal text and the inside of an interpolation. */

type TokenKind =
  | 'literal'
  | 'string'
  | 'begin'
  | 'end'
  | 'open-quote'
  | 'close-quote'
  | 'integer'
  | 'float'
  | 'bool'
  | 'identifier'
  | 'sign'
  | 'invalid'
  | 'end-of-text'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Where it starts, in UTF-16 units. */
  readonly at: number
  /** How many columns too far the original sees it; places in its messages are compared. */
  readonly off?: number
}

const star = 0x2a
const dot = 0x2e
const dollar = 0x24
const quotation = 0x22
const backslash = 0x5c
/** What may begin an operator, and those of two signs. */
const signs = '()[],.+-*/%?:!<>'
const pairs: ReadonlySet<string> = new Set(['&&', '||', '!=', '<=', '>=', '=='])
/** A star belongs to a name only as a whole segment between dots. */
const identifier = /[\p{L}_](?:[\p{L}\p{N}\p{M}_.-]|(?<=\.)\*(?![\p{L}\p{N}\p{M}_-]))*/uy
const takenBack = /^\.\*[\p{L}\p{N}\p{M}_-]/u

/** Gives one token after the other; behind an invalid one only the end. */
export function scanner(text: string): () => Token {
  // Inside an interpolation a literal can only be the inside of quotes.
  let nesting = 0
  let mode: 'literal' | 'expression' | 'over' = 'literal'
  let at = 0
  let off = 0
  return () => {
    if (mode === 'over') return { kind: 'end-of-text', text: '', at }
    const token = mode === 'literal' ? scanLiteral(text, at, nesting > 0) : scanExpression(text, at)
    if (off > 0 && text.slice(at, token.at).includes('\n')) off = 0
    at = token.at + token.text.length
    if (token.kind === 'begin') nesting++
    if (token.kind === 'end') nesting--
    if (token.kind === 'end' || token.kind === 'open-quote') mode = 'literal'
    if (token.kind === 'begin' || token.kind === 'close-quote') mode = 'expression'
    if (token.kind === 'invalid' || token.kind === 'end-of-text') mode = 'over'
    const seen = off > 0 ? { ...token, off } : token
    // The original counts a dot and star that it takes back from a name, and then once more.
    if (token.kind === 'identifier' && text.charCodeAt(at) === dot && takenBack.test(text.slice(at, at + 4)))
      off += 2
    return seen
  }
}

function scanLiteral(text: string, start: number, quoted: boolean): Token {
  let at = start
  for (;;) {
    at = quoted ? specialAt(text, at) : text.indexOf('$', at)
    if (at < 0 || at >= text.length) break
    const sign = text.charCodeAt(at)
    const next = text[at + 1]
    if (sign === quotation || (sign === dollar && next === '{')) {
      if (at > start) return piece(text, start, at, quoted)
      return sign === quotation ? { kind: 'close-quote', text: '"', at } : { kind: 'begin', text: '${', at }
    }
    const escapes = sign === dollar ? next === '$' : next === '"' || next === '\\'
    at += escapes ? 2 : 1
  }
  if (quoted) return { kind: 'invalid', text: text.slice(start), at: start }
  const end = text.length
  return end > start ? piece(text, start, end, quoted) : { kind: 'end-of-text', text: '', at: end }
}

/** Where the next sign stands that means something in quotes. */
function specialAt(text: string, start: number): number {
  let at = start
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === dollar || code === quotation || code === backslash) break
  }
  return at
}

function piece(text: string, start: number, end: number, quoted: boolean): Token {
  return { kind: quoted ? 'string' : 'literal', text: text.slice(start, end), at: start }
}

function scanExpression(text: string, start: number): Token {
  let at = start
  while (isBlank(text.charCodeAt(at))) at++
  const sign = text[at]
  if (sign === undefined) return { kind: 'end-of-text', text: '', at }
  if (sign === '}') return { kind: 'end', text: '}', at }
  if (sign === '"') return { kind: 'open-quote', text: '"', at }
  if (isDigit(text.charCodeAt(at))) return numberToken(text, at)
  const name = nameAt(text, at)
  if (name !== undefined) {
    return { kind: name === 'true' || name === 'false' ? 'bool' : 'identifier', text: name, at }
  }
  const pair = text.slice(at, at + 2)
  if (pairs.has(pair)) return { kind: 'sign', text: pair, at }
  if (signs.includes(sign)) return { kind: 'sign', text: sign, at }
  return { kind: 'invalid', text: String.fromCodePoint(text.codePointAt(at) ?? 0), at }
}

function nameAt(text: string, start: number): string | undefined {
  let at = start
  if (isLetter(text.charCodeAt(at))) {
    do at++
    while (isNameSign(text.charCodeAt(at)))
  }
  const next = text.charCodeAt(at)
  if (next !== star && !(next > 0x7f)) return at > start ? text.slice(start, at) : undefined
  identifier.lastIndex = start
  const found = identifier.exec(text)?.[0]
  // A star that begins a segment of several signs ends the name before its dot.
  return found?.endsWith('.') && text[start + found.length] === '*' ? found.slice(0, -1) : found
}

/** A dot that no digit follows is not part of the number, but for a second dot, where the original leaves it. */
function numberToken(text: string, start: number): Token {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  const whole = at
  if (text.charCodeAt(at) === dot) {
    at++
    while (isDigit(text.charCodeAt(at))) at++
  }
  const next = text[at]
  if (at === whole + 1 && next !== undefined && next !== '.') at = whole
  return { kind: at > whole ? 'float' : 'integer', text: text.slice(start, at), at: start }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** An ASCII letter or underscore. */
function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}

function isNameSign(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === dot || code === 0x2d
}
