/** Values as JSON text, as Go's encoder writes it: keys sorted, HTML signs escaped; and as plain JavaScript values. */
import { jsonFloat } from './go-text.ts'
import { printLambda } from './print.ts'
import { Dict, List, type Value } from './value.ts'

/** A value on one line. */
export function writeJson(value: Value): string {
  if (value === null) return 'null'
  if (value instanceof List) return `[${value.cells.map((cell) => writeJson(cell.value)).join(',')}]`
  if (value instanceof Dict)
    return `{${value.keys.map((key) => `${jsonString(key)}:${writeJson(value.get(key)?.value ?? null)}`).join(',')}}`
  switch (typeof value) {
    case 'string':
      return jsonString(value)
    case 'number':
      return Number.isFinite(value) ? jsonFloat(value) : 'null'
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return value.kind === 'lambda'
        ? jsonString(`(( lambda${printLambda(value)} ))`)
        : writeJson(value.original.value)
  }
}

function jsonString(text: string): string {
  // Bytes that are no text become the replacement character, as an escape.
  return JSON.stringify(text)
    .replace(/\\(\\|ud[89a-f][0-9a-f]{2}|b|f)/g, (whole, what: string) => {
      if (what === '\\') return whole
      if (what === 'b') return '\\u0008'
      return what === 'f' ? '\\u000c' : '\\ufffd'
    })
    .replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export type Plain =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Plain[]
  | { readonly [key: string]: Plain }

/** A value as JavaScript data; integers beyond the safe range stay bigints. */
export function toPlain(value: Value): Plain {
  if (value === null || typeof value !== 'object')
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (value instanceof List) return value.cells.map((cell) => toPlain(cell.value))
  if (value instanceof Dict) {
    const plain: { [key: string]: Plain } = Object.create(null)
    for (const key of value.keys) plain[key] = toPlain(value.get(key)?.value ?? null)
    return plain
  }
  return value.kind === 'lambda' ? `(( lambda${printLambda(value)} ))` : toPlain(value.original.value)
}
