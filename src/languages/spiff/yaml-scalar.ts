/** What plain scalars mean in the YAML dialect of the original: 1.1 booleans, octal, underscores, no dates. */

const nulls = new Set(['', '~', 'null', 'Null', 'NULL'])
const infinities = /^([-+]?)\.inf$/i
const integerLimit = 2n ** 63n

/** The value of a plain scalar. */
export function resolveScalar(text: string): null | boolean | bigint | number | string {
  if (nulls.has(text)) return null
  const first = text.charCodeAt(0)
  // Only signs, digits and points can begin numbers; a few letters can begin booleans.
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46
  if (numeric) return resolveNumber(text)
  if (text.length > 5) return text
  switch (text.toLowerCase()) {
    case 'y':
    case 'yes':
    case 'true':
    case 'on':
      return true
    case 'n':
    case 'no':
    case 'false':
    case 'off':
      return false
    default:
      return text
  }
}

function resolveNumber(text: string): bigint | number | string {
  if (/^\.nan$/i.test(text)) return Number.NaN
  const infinity = infinities.exec(text)
  if (infinity) return infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const plain = text.replaceAll('_', '')
  return parseInteger(plain) ?? parseFloating(plain) ?? text
}

/** Signed 64-bit integers in base 10, and 2, 8, 16 by prefix. */
function parseInteger(text: string): bigint | undefined {
  const [, sign = '', digits = ''] = /^([-+]?)([0-9][0-9a-zA-Z]*)$/.exec(text) ?? []
  const based = baseOf(digits)
  if (based === undefined) return undefined
  const value = sign === '-' ? -based : based
  return value >= -integerLimit && value < integerLimit ? value : undefined
}

function baseOf(digits: string): bigint | undefined {
  if (digits === '0' || /^[1-9][0-9]*$/.test(digits)) return BigInt(digits)
  if (/^0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+)$/.test(digits)) return BigInt(digits)
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`)
  return undefined
}

/** Go's floating point syntax; what is too large is no number. */
export function parseFloating(text: string): number | undefined {
  const hex = /^([-+]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([-+]?[0-9]+)$/.exec(text)
  if (hex) {
    const [, sign, whole = '', part = '', exponent = '0'] = hex
    if (whole + part === '') return undefined
    const size = Number.parseInt(`0${whole}${part}`, 16) * 2 ** (Number(exponent) - 4 * part.length)
    if (!Number.isFinite(size)) return undefined
    return sign === '-' ? -size : size
  }
  if (!/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const date = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$/
const moment =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$/

/** Whether a text would be taken for a date; we keep dates as text, but other readers do not. */
export function isDate(text: string): boolean {
  return date.test(text) || moment.test(text)
}
