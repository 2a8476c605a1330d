/** Go's fmt verbs, for `format` and `error`. */
import type { Call, SpiffFunction } from '../env.ts'
import { byteLength, bytesOf, exponentForm, floatText, goQuote } from '../go-text.ts'
import { failure } from '../issue.ts'
import { printLambda } from '../print.ts'
import type { Value } from '../value.ts'
import { writeYaml } from '../yaml-write.ts'

export const formatFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['format', (call) => formatted(call)],
  ['error', (call) => failure(formatted(call))],
]

/** What fmt sees: lists, maps and templates as YAML text, lambdas printed. */
type Operand = null | boolean | bigint | number | string

function operand(value: Value): Operand {
  if (value === null || typeof value !== 'object') return value
  return value.kind === 'lambda' ? `lambda${printLambda(value)}` : writeYaml(value)
}

function formatted(call: Call): string {
  const [pattern, ...rest] = call.args
  if (call.args.length === 0) return failure(`alt least one argument required for '${call.name}'`)
  if (typeof pattern !== 'string') return failure(`${call.name}: format must be string`)
  const text = sprintf(pattern, rest.map(operand), (length) => call.env.run.budget.text(length))
  return text
}

interface Spec {
  readonly flags: string
  readonly width: number | undefined
  readonly precision: number | undefined
}

const directive = /%([-+# 0]*)(\[\d+\])?(\d+|\*)?(?:\.(\[\d+\])?(\d+|\*)?)?(\[\d+\])?([\s\S])?/gu

/** Formats like Go's Sprintf. */
function sprintf(pattern: string, args: readonly Operand[], reserve: (length: number) => void): string {
  let next = 0
  let reordered = false
  let length = 0
  const take = (index: string | undefined): Operand | undefined => {
    if (index !== undefined) {
      next = Number(index.slice(1, -1)) - 1
      reordered = true
    }
    return next < args.length ? args[next++] : undefined
  }
  const number = (text: string | undefined, index: string | undefined): number | undefined => {
    if (text !== '*') return text === undefined ? undefined : Number(text)
    const value = take(index)
    return typeof value === 'bigint' ? Number(value) : undefined
  }
  const out = pattern.replace(directive, (whole, ...groups: (string | undefined)[]) => {
    const [flags = '', at, width, beforePrecision, precision, last, verb] = groups
    if (verb === undefined) return '%!(NOVERB)'
    if (verb === '%') return '%'
    const hasPoint = /\.(?:\d|\*|\[|[^\d])/.test(whole.slice(1))
    const spec: Spec = {
      flags,
      width: number(width, width === '*' ? at : undefined),
      precision: hasPoint ? (number(precision, beforePrecision) ?? 0) : undefined,
    }
    if ((spec.width ?? 0) > 1_000_000 || (spec.precision ?? 0) > 1_000_000) return '%!(BADWIDTH)'
    const value = take(last ?? (width === '*' ? undefined : at))
    const text =
      value === undefined ? `%!${verb}(${at || last ? 'BADINDEX' : 'MISSING'})` : verbText(verb, value, spec)
    length += text.length
    reserve(length)
    return text
  })
  if (reordered || next >= args.length) return out
  return `${out}%!(EXTRA ${args.slice(next).map(extra).join(', ')})`
}

function extra(value: Operand): string {
  return value === null ? '<nil>' : `${typeText(value)}=${plainText(value)}`
}

function typeText(value: Exclude<Operand, null>): string {
  switch (typeof value) {
    case 'bigint':
      return 'int64'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    default:
      return 'string'
  }
}

function plainText(value: Operand): string {
  if (value === null) return '<nil>'
  return typeof value === 'number' ? floatText(value, 21) : String(value)
}

function verbText(verb: string, value: Operand, spec: Spec): string {
  if (verb === 'v') return value === null ? pad('<nil>', spec) : verbValue(value, spec)
  if (verb === 'T') return pad(value === null ? '<nil>' : typeText(value), spec)
  if (value === null) return `%!${verb}(<nil>)`
  // A verb that does not fit shows the value as %v would, with the same width.
  return typed(verb, value, spec) ?? `%!${verb}(${typeText(value)}=${verbValue(value, spec)})`
}

function verbValue(value: Exclude<Operand, null>, spec: Spec): string {
  if (typeof value === 'bigint') return integerText('d', value, spec) ?? ''
  if (typeof value === 'number')
    return spec.precision === undefined
      ? pad(floatText(value, 21), spec)
      : (floatVerb('g', value, spec) ?? '')
  if (typeof value === 'string')
    return spec.flags.includes('#') ? pad(goQuote(value), spec) : (stringText('s', value, spec) ?? '')
  return pad(String(value), spec)
}

function typed(verb: string, value: Exclude<Operand, null>, spec: Spec): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return integerText(verb, value, spec)
    case 'number':
      return floatVerb(verb, value, spec)
    case 'boolean':
      return verb === 't' ? pad(String(value), spec) : undefined
    default:
      return stringText(verb, value, spec)
  }
}

function pad(text: string, { flags, width }: Spec, zeros = false): string {
  if (width === undefined) return text
  const missing = width - [...text].length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  if (!(zeros && flags.includes('0'))) return ' '.repeat(missing) + text
  const sign = /^[-+ ]/.exec(text)?.[0] ?? ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

const bases: Readonly<Record<string, { readonly radix: number; readonly prefix: string }>> = {
  d: { radix: 10, prefix: '' },
  b: { radix: 2, prefix: '0b' },
  o: { radix: 8, prefix: '0' },
  O: { radix: 8, prefix: '0o' },
  x: { radix: 16, prefix: '0x' },
  X: { radix: 16, prefix: '0X' },
}

function integerText(verb: string, value: bigint, spec: Spec): string | undefined {
  if (verb === 'c') return pad(codePoint(value), spec)
  if (verb === 'q') return pad(quotedSign(codePoint(value)), spec)
  if (verb === 'U') return pad(`U+${value.toString(16).toUpperCase().padStart(4, '0')}`, spec)
  const form = bases[verb]
  if (form === undefined) return undefined
  const size = value < 0n ? -value : value
  const raw = size.toString(form.radix).padStart(spec.precision ?? 1, '0')
  const digits = verb === 'X' ? raw.toUpperCase() : raw
  const prefix = spec.flags.includes('#') || verb === 'O' ? form.prefix : ''
  return pad(signOf(value < 0n, spec) + prefix + digits, spec, spec.precision === undefined)
}

function signOf(negative: boolean, { flags }: Spec): string {
  if (negative) return '-'
  if (flags.includes('+')) return '+'
  return flags.includes(' ') ? ' ' : ''
}

/** One sign in Go's single quotes. */
function quotedSign(sign: string): string {
  if (sign === '"') return `'"'`
  return `'${sign === "'" ? "\\'" : goQuote(sign).slice(1, -1)}'`
}

function codePoint(value: bigint): string {
  const code = Number(value)
  return code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : '\ufffd'
}

function floatVerb(verb: string, value: number, spec: Spec): string | undefined {
  const text = floatBody(verb, Math.abs(value), spec.precision)
  if (text === undefined) return undefined
  const negative = value < 0 || Object.is(value, -0)
  // Infinity always has its sign.
  const sign = signOf(negative, spec) || (text === 'Inf' ? '+' : '')
  return pad(sign + text, spec, Number.isFinite(value))
}

function floatBody(verb: string, size: number, precision: number | undefined): string | undefined {
  if (!'fFeEgGxX'.includes(verb)) return undefined
  if (!Number.isFinite(size)) return Number.isNaN(size) ? 'NaN' : 'Inf'
  switch (verb) {
    case 'f':
    case 'F':
      return fixed(size, precision ?? 6)
    case 'e':
    case 'E': {
      const text = exponentForm(...rounded(size, precision ?? 6))
      return verb === 'E' ? text.toUpperCase() : text
    }
    case 'g':
    case 'G': {
      const text = precision === undefined ? floatText(size, 21) : shortest(size, precision)
      return verb === 'G' ? text.toUpperCase() : text
    }
    default:
      return verb === 'X' ? hexFloat(size).toUpperCase() : hexFloat(size)
  }
}

/** Digits behind the point that the platform can give: all that a double has, but for very small ones. */
const digitsMax = 100

/** What lies exactly between two texts becomes the even one; the platform takes the upper. */
function even(upper: string, exact: string): string {
  const lower = exact.slice(0, upper.length)
  const between = /^\.?50*$/.test(exact.slice(upper.length)) && /[02468]\.?$/.test(lower)
  return between ? lower : upper
}

/** Mantissa and exponent with so many digits behind the point. */
function rounded(size: number, precision: number): [mantissa: string, exponent: number] {
  const [exact = '', exponent = '0'] = size.toExponential(digitsMax).split('e')
  const [upper = '', next = '0'] = size.toExponential(Math.min(precision, digitsMax)).split('e')
  const mantissa = exponent === next ? even(upper, exact) : upper
  return [mantissa, Number(next)]
}

/** The digits of a double in base 16, with a binary exponent. */
function hexFloat(size: number): string {
  if (size === 0) return '0x0p+00'
  let exponent = Math.floor(Math.log2(size))
  let mantissa = size / 2 ** exponent
  if (mantissa >= 2) [mantissa, exponent] = [mantissa / 2, exponent + 1]
  if (mantissa < 1) [mantissa, exponent] = [mantissa * 2, exponent - 1]
  return `0x${mantissa.toString(16)}${exponentForm('', exponent).replace('e', 'p')}`
}

function fixed(size: number, precision: number): string {
  if (size >= 1e21) return BigInt(size).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '')
  return even(size.toFixed(Math.min(precision, digitsMax)), size.toFixed(digitsMax))
}

/** %g with a precision: that many significant digits, trailing zeros dropped. */
function shortest(size: number, precision: number): string {
  const digits = Math.min(Math.max(precision, 1), digitsMax)
  const [mantissa, exponent] = rounded(size, digits - 1)
  if (exponent < -4 || exponent >= digits) {
    const plain = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
    return exponentForm(plain, exponent)
  }
  return floatText(Number(`${mantissa}e${exponent}`), 400)
}

function stringText(verb: string, value: string, spec: Spec): string | undefined {
  const cut = spec.precision === undefined ? value : [...value].slice(0, spec.precision).join('')
  switch (verb) {
    case 's':
      return pad(cut, spec)
    case 'q':
      return pad(goQuote(cut), spec)
    case 'x':
    case 'X': {
      const separator = spec.flags.includes(' ') ? ' ' : ''
      const prefix = spec.flags.includes('#') ? '0x' : ''
      const bytes = [...bytesOf(value)].slice(0, spec.precision ?? byteLength(value))
      const hex = prefix + bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(separator)
      return pad(verb === 'X' ? hex.toUpperCase() : hex, spec)
    }
    default:
      return undefined
  }
}
