/** Numbers and their texts, exactly as the original reads and prints them. */
import { Fault } from '../place.ts'
import { quote } from './quote.ts'

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'bad'; readonly why: 'invalid syntax' | 'value out of range' }

const intMax = 2n ** 63n - 1n
const intMin = -(2n ** 63n)
const uintMax = 2n ** 64n - 1n
const syntax = { kind: 'bad', why: 'invalid syntax' } as const
const range = { kind: 'bad', why: 'value out of range' } as const

/** A 64-bit integer with an optional sign; its base is told by the prefix. */
export function parseInteger(source: string): Parsed<bigint> {
  if (/^(?:0|[+-]?[1-9][0-9]{0,17})$/.test(source)) return { kind: 'ok', value: BigInt(source) }
  if (!/^[+-]?[0-9_]/.test(source)) return syntax
  const [, sign = '', unsigned = ''] = /^([+-]?)(.*)$/s.exec(source) ?? []
  if (unsigned === '') return syntax
  const { base, digits } = baseOf(unsigned)
  const width = BigInt(base)
  let value = 0n
  for (const digit of digits) {
    if (digit === '_') continue
    const weight = weightOf(digit)
    if (weight >= base) return syntax
    value = value * width + BigInt(weight)
    if (value > uintMax) return range
  }
  if (digits.includes('_') && !underscoresSeparateDigits(unsigned)) return syntax
  const signed = sign === '-' ? -value : value
  return signed > intMax || signed < intMin ? range : { kind: 'ok', value: signed }
}

/** A decimal or hexadecimal floating-point number, an infinity or "nan". */
export function parseFloating(source: string): Parsed<number> {
  if (/^[+-]?inf(inity)?$/i.test(source)) {
    return { kind: 'ok', value: source.startsWith('-') ? -Infinity : Infinity }
  }
  if (/^nan$/i.test(source)) return { kind: 'ok', value: Number.NaN }
  if (source.includes('_') && !underscoresSeparateDigits(source.replace(/^[+-]/, ''))) return syntax
  const plain = source.replaceAll('_', '')
  const hex = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?[0-9]+)$/i.exec(plain)
  if (hex && (hex[2] || hex[3])) return hexadecimal(hex)
  if (!/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(plain)) return syntax
  const value = Number(plain)
  return Number.isFinite(value) ? { kind: 'ok', value } : range
}

/** Six words each for true and false. */
export function parseBoolean(source: string): Parsed<boolean> {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(source)) return { kind: 'ok', value: true }
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(source)) return { kind: 'ok', value: false }
  return syntax
}

/** The value, or a Fault with the original's text, which begins with the name of Go's reader. */
export function must<T>(parsed: Parsed<T>, reader: string, source: string): T {
  if (parsed.kind === 'ok') return parsed.value
  throw faultOf(parsed.why, reader, source)
}

/** The fault of a text that is no number or truth, in the original's words. */
export function faultOf(why: string, reader: string, source: string): Fault {
  return new Fault(`${reader}: parsing ${quote(source)}: ${why}`)
}

/** The shortest digits that read back as the same number; with an exponent below 1e-4 and from 1e6 on. */
export function printFloat(value: number): string {
  const special = printSpecial(value)
  if (special !== undefined) return special
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  // The numbers between print in JavaScript without an exponent, too.
  if (power >= -4 && power < 6) return String(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** The shortest digits, never with an exponent: 1e21 is a one and 21 zeros. */
export function plainDecimal(value: number): string {
  const special = printSpecial(value)
  if (special !== undefined) return special
  const [, sign = '', whole = '', fraction = '', power = ''] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential()) ?? []
  const digits = whole + fraction
  const point = Number(power) + 1
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Cuts towards zero; what does not fit becomes the least integer, as the processors of the originals answer. */
export function truncate(value: number): bigint {
  if (!Number.isFinite(value)) return intMin
  const whole = BigInt(Math.trunc(value))
  return whole > intMax || whole < intMin ? intMin : whole
}

function printSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  return undefined
}

function baseOf(unsigned: string): { readonly base: number; readonly digits: string } {
  if (!unsigned.startsWith('0')) return { base: 10, digits: unsigned }
  const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 }
  const base = unsigned.length >= 3 ? bases[unsigned.charAt(1).toLowerCase()] : undefined
  return base === undefined ? { base: 8, digits: unsigned.slice(1) } : { base, digits: unsigned.slice(2) }
}

function weightOf(digit: string): number {
  const weight = /^[0-9a-z]$/i.test(digit) ? Number.parseInt(digit, 36) : Number.NaN
  return Number.isNaN(weight) ? Infinity : weight
}

/** An underscore stands between digits, or between a prefix and a digit. */
function underscoresSeparateDigits(unsigned: string): boolean {
  const prefixed = /^0[box]/i.test(unsigned)
  const digit = /^0x/i.test(unsigned) ? '[0-9a-fA-F]' : '[0-9]'
  const body = prefixed ? `0${unsigned.slice(2)}` : unsigned
  return !new RegExp(`(?<!${digit})_|_(?!${digit})`).test(body)
}

function hexadecimal([, sign = '', whole = '', fraction = '', power = '']: RegExpExecArray): Parsed<number> {
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '') return { kind: 'ok', value: sign === '-' ? -0 : 0 }
  // Sixteen digits hold more than a double keeps; of the others only matters whether any is set.
  const kept = digits.slice(0, 16)
  const sticky = /[^0]/.test(digits.slice(16)) ? 1n : 0n
  const mantissa = BigInt(`0x${kept}`) * 2n + sticky
  const shift = Number(power) - 4 * fraction.length + 4 * (digits.length - kept.length) - 1
  const value = scaled(mantissa, shift)
  if (value === Infinity) return range
  return { kind: 'ok', value: sign === '-' ? -value : value }
}

/** Rounds once, to the nearest double and on a tie to the even one. */
function scaled(mantissa: bigint, shift: number): number {
  const bits = mantissa.toString(2).length
  if (bits + shift > 1025) return Infinity
  if (bits + shift < -1080) return 0
  const drop = Math.max(bits - 53, -1074 - shift, 0)
  const unit = 1n << BigInt(drop)
  const rest = mantissa % unit
  let kept = mantissa / unit
  if (rest * 2n > unit || (rest * 2n === unit && drop > 0 && kept % 2n === 1n)) kept += 1n
  const exponent = shift + drop
  const half = Math.trunc(exponent / 2)
  return Number(kept) * 2 ** half * 2 ** (exponent - half)
}
