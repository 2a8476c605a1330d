/** Which strings are expressions: the `((…))` form, interpolated parts, and their escapes. */
import { looksLikeCode } from './value.ts'

/** The text of the expression a string stands for; undefined for plain data. */
export function embedded(text: string, interpolation: boolean): string | undefined {
  if (looksLikeCode(text)) return text.slice(2, -2)
  if (!interpolation || !text.includes('((') || (text.startsWith('((') && text.endsWith('))')))
    return undefined
  const converted = interpolate(text)
  return converted === undefined ? undefined : converted.slice(3, -3)
}

/** A string with parts as one concatenation, or undefined when it has none. */
export function interpolate(text: string): string | undefined {
  const pieces = split(text)
  if (!pieces.some(({ kind, text: part }) => kind === 'code' && !part.startsWith('!'))) return undefined
  const joined: string[] = []
  let plain = ''
  for (const { kind, text: part } of pieces) {
    if (kind === 'text') plain += part
    else if (part.startsWith('!')) plain += `((${part}))`
    else {
      if (plain !== '') joined.push(JSON.stringify(plain))
      plain = ''
      joined.push(`( ${part.trim()} )`)
    }
  }
  if (plain !== '') joined.push(JSON.stringify(plain))
  return `(( ${joined.join(' ')} ))`
}

interface Piece {
  readonly kind: 'text' | 'code'
  readonly text: string
}

/** Cuts a string into text and the insides of its `((…))` parts. */
function split(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  for (let at = 0; at < text.length; ) {
    const start = opening(text, at)
    if (start === undefined) {
      plain += text.slice(at)
      break
    }
    const end = closing(text, start)
    if (end === undefined) {
      plain += text.slice(at)
      break
    }
    plain += text.slice(at, start - 2)
    if (plain !== '') pieces.push({ kind: 'text', text: plain })
    plain = ''
    pieces.push({ kind: 'code', text: text.slice(start, end) })
    at = end + 2
  }
  if (plain !== '') pieces.push({ kind: 'text', text: plain })
  return pieces
}

/** Where the inside of the next part starts: behind the last two of a row of parentheses. */
function opening(text: string, from: number): number | undefined {
  const found = text.indexOf('((', from)
  if (found < 0) return undefined
  let at = found + 2
  while (text[at] === '(') at++
  return at
}

/** Where the part that starts here ends: at `))` outside of quotes and inner parentheses. */
function closing(text: string, from: number): number | undefined {
  let level = 0
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (quoted) {
      if (sign === '\\') at++
      else if (sign === '"') quoted = false
    } else if (sign === '"') quoted = true
    else if (sign === '(') level++
    else if (sign === ')') {
      if (level > 0) level--
      else if (text[at + 1] === ')') return at
    }
  }
  return undefined
}

/** Takes one level of escaping off a string. */
export function unescapeText(text: string, interpolation: boolean): string {
  if (text.startsWith('((!') && text.endsWith('))') && text.length >= 5) return `((${text.slice(3)}`
  if (!interpolation || !text.includes('((!')) return text
  return split(text)
    .map(({ kind, text: part }) => {
      if (kind === 'text') return part
      return part.startsWith('!') ? `((${part.slice(1)}))` : `((${part}))`
    })
    .join('')
}

/** Takes one level of escaping off a merge or control key. */
export function unescapeKey(key: string): string {
  return /^<<<?!/.test(key) ? key.replace('!', '') : key
}

/** Puts one level of escaping on a string, so that it can never be taken for an expression. */
export function escapeText(text: string, interpolation: boolean): string {
  if (text.startsWith('((') && text.endsWith('))') && text.length >= 4) return `((!${text.slice(2)}`
  if (!interpolation || !text.includes('((')) return text
  return split(text)
    .map(({ kind, text: part }) => (kind === 'text' ? part : `((!${part}))`))
    .join('')
}

export type Data = null | boolean | number | string | readonly Data[] | { readonly [key: string]: Data }

/** Data of strangers with one level of escaping on all texts and on keys that would insert or control. */
export function escapeData(data: Data, interpolation: boolean): Data {
  if (typeof data === 'string') return escapeText(data, interpolation)
  if (Array.isArray(data)) return data.map((item) => escapeData(item, interpolation))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).map(([key, item]) => [escapeKey(key), escapeData(item, interpolation)]),
  )
}

function escapeKey(key: string): string {
  return key.replace(/^<<<?/, (start) => `${start}!`)
}
