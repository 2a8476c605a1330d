/** Numbers and strings as Go prints them: floats in shortest form, quoted strings. */

/** The shortest digits; exponent form below 1e-4 and from 1e6 (spec section 16). */
export function floatText(value: number, exponentFrom = 6): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  // Digits beyond the limit do not push a number into plain form; the limit is a fixed one (21 for JSON).
  if (exponent < -4 || exponent >= exponentFrom) return exponentForm(mantissa, exponent)
  return plainForm(mantissa, exponent)
}

/** Go's exponent form: sign always, at least two digits. */
export function exponentForm(mantissa: string, exponent: number): string {
  const sign = exponent < 0 ? '-' : '+'
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function plainForm(mantissa: string, exponent: number): string {
  const negative = mantissa.startsWith('-')
  const digits = mantissa.replace('-', '').replace('.', '')
  const point = exponent + 1
  const text = withPoint(digits, point)
  return negative ? `-${text}` : text
}

function withPoint(digits: string, point: number): string {
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return digits + '0'.repeat(point - digits.length)
  return `${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Floats as Go's JSON encoder prints them. */
export function jsonFloat(value: number): string {
  const size = Math.abs(value)
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (size >= 1e-6 && size < 1e21) return plainForm(mantissa, exponent)
  const sign = exponent < 0 ? '-' : '+'
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`.replace('e-0', 'e-')
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** A string in Go's double quotes. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/gu, quotedSign)}"`
}

/** A sign that cannot stand for itself. */
function quotedSign(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  const known = escapes[sign]
  if (known !== undefined) return known
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`
  if (isRawByte(code)) return `\\x${hex(code & 0xff, 2)}`
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}

/** Bytes that are no UTF-8 travel in strings as lone low surrogates, one per byte. */
export function isRawByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff
}

/** Whether a string holds bytes that are no text. */
export function hasRawBytes(text: string): boolean {
  return !text.isWellFormed()
}

/** The bytes of a string. */
export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text)
  const parts: number[] = []
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0
    if (isRawByte(code)) parts.push(code & 0xff)
    else parts.push(...new TextEncoder().encode(sign))
  }
  return new Uint8Array(parts)
}

/** The string of some bytes. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return piecewise(bytes)
  }
}

function piecewise(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0
    const length = sequenceLength(lead)
    const piece = length > 0 && at + length <= bytes.length ? bytes.subarray(at, at + length) : undefined
    const read = piece && tryDecode(decoder, piece)
    text += read ?? String.fromCharCode(0xdc00 | lead)
    at += read === undefined ? 1 : length
  }
  return text
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc2 ? 2 : 0
}

function tryDecode(decoder: { decode(bytes: Uint8Array): string }, piece: Uint8Array): string | undefined {
  try {
    return decoder.decode(piece)
  } catch {
    return undefined
  }
}

/** How many bytes a string has. */
export function byteLength(text: string): number {
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) length += 1
    else if (code < 0x800) length += 2
    else if (code >= 0xd800 && code <= 0xdbff && isLow(text.charCodeAt(i + 1))) {
      length += 4
      i++
    } else length += isRawByte(code) ? 1 : 3
  }
  return length
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
