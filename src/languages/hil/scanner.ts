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
const signs = /&&|\|\||[!<>=]=|[()[\],.+\-*/%?:!<>]/y
const digits = /[0-9]+(?:\.[0-9]*)?/y
const plainName = /[A-Za-z_][A-Za-z0-9_.-]*/y
/** A star belongs to a name only as a whole segment between dots. */
const identifier = /[\p{L}_](?:[\p{L}\p{N}\p{M}_.-]|(?<=\.)\*(?![\p{L}\p{N}\p{M}_-]))*/uy

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
    if (token.kind === 'identifier' && /^\.\*[\p{L}\p{N}\p{M}_-]/u.test(text.slice(at, at + 4))) off += 2
    return seen
  }
}

function scanLiteral(text: string, start: number, quoted: boolean): Token {
  let at = start
  while (at < text.length) {
    const sign = text[at]
    const next = text[at + 1]
    if (sign === '$' && next === '$') at += 2
    else if (sign === '$' && next === '{') {
      return at > start ? piece(text, start, at, quoted) : { kind: 'begin', text: '${', at }
    } else if (quoted && sign === '"') {
      return at > start ? piece(text, start, at, quoted) : { kind: 'close-quote', text: '"', at }
    } else if (quoted && sign === '\\' && (next === '"' || next === '\\')) at += 2
    else at++
  }
  if (quoted) return { kind: 'invalid', text: text.slice(start), at: start }
  return at > start ? piece(text, start, at, quoted) : { kind: 'end-of-text', text: '', at }
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
  if (sign >= '0' && sign <= '9') return numberToken(text, at, match(digits, text, at) ?? '')
  const name = nameAt(text, at)
  if (name !== undefined) {
    return { kind: name === 'true' || name === 'false' ? 'bool' : 'identifier', text: name, at }
  }
  const operator = match(signs, text, at)
  if (operator !== undefined) return { kind: 'sign', text: operator, at }
  return { kind: 'invalid', text: String.fromCodePoint(text.codePointAt(at) ?? 0), at }
}

function nameAt(text: string, at: number): string | undefined {
  const plain = match(plainName, text, at)
  const next = plain === undefined ? text.charCodeAt(at) : text.charCodeAt(at + plain.length)
  if (next !== star && !(next > 0x7f)) return plain
  const found = match(identifier, text, at)
  // A star that begins a segment of several signs ends the name before its dot.
  return found?.endsWith('.') && text[at + found.length] === '*' ? found.slice(0, -1) : found
}

/** A dot that no digit follows is not part of the number, but for a second dot, where the original leaves it. */
function numberToken(text: string, at: number, number: string): Token {
  const next = text[at + number.length]
  if (number.endsWith('.') && next !== undefined && next !== '.') {
    return { kind: 'integer', text: number.slice(0, -1), at }
  }
  return { kind: number.includes('.') ? 'float' : 'integer', text: number, at }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
