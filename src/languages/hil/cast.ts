/** Turns the result of a default into the JSON type its definition declares, as either broker does. */
import { exactInteger, isExact } from '../../kit/exact.ts'
import type { Json } from '../../kit/json.ts'
import { Fault } from '../place.ts'
import { readJson } from './json-text.ts'
import { must, parseBoolean, parseFloating, parseInteger } from './numbers.ts'
import { quote } from './quote.ts'
import { byCodePoint, type Plain } from './values.ts'

/** chandler: as csb, but an empty text is no number. */
export type CastRules = 'gcp' | 'csb' | 'chandler'

/** The value as its declared type; an empty type leaves it as it is. Throws a Fault. */
export function castTo(value: Plain, type: string, rules: CastRules = 'chandler'): Json {
  switch (type) {
    case '':
      return value as Json
    case 'string':
      if (typeof value !== 'string') throw unable(value, 'string')
      return value
    case 'boolean':
      if (typeof value !== 'string') throw unable(value, 'bool')
      return must(parseBoolean(value), 'strconv.ParseBool', value)
    case 'integer':
      if (typeof value !== 'string') throw unable(value, 'int')
      return integer(value, rules)
    case 'number':
      if (typeof value !== 'string') throw unable(value, 'float64')
      return number(value, rules)
    case 'array':
      return array(value, rules)
    case 'object':
      return object(value, rules)
    default:
      throw new Fault(
        `couldn't cast ${typeof value === 'string' ? value : goSyntax(value)} to ${type}, unknown type`,
      )
  }
}

function integer(value: string, rules: CastRules): Json {
  if (value === '' && rules === 'chandler') throw unable(value, 'int')
  const source = rules === 'gcp' ? value : withoutDecimals(value)
  const parsed = parseInteger(source)
  if (parsed.kind === 'ok') return exactInteger(String(parsed.value))
  throw unable(
    value,
    'int',
    rules === 'gcp' ? undefined : `strconv.ParseInt: parsing ${quote(source)}: ${parsed.why}`,
  )
}

function withoutDecimals(value: string): string {
  const [, whole] = /^([-+]?[0-9]*)(?:\.[0-9]*)?$/.exec(value) ?? []
  if (whole === undefined) return value
  return /[0-9]/.test(whole) ? whole : `${whole}0`
}

function number(value: string, rules: CastRules): Json {
  if (value === '' && rules === 'csb') return 0
  const parsed = parseFloating(value)
  if (parsed.kind === 'ok') return parsed.value
  throw unable(
    value,
    'float64',
    rules === 'gcp' ? undefined : `strconv.ParseFloat: parsing ${quote(value)}: ${parsed.why}`,
  )
}

function array(value: Plain, rules: CastRules): Json {
  if (isList(value)) return value.length === 0 && rules !== 'chandler' ? null : (value as Json)
  if (typeof value !== 'string') throw unable(value, rules === 'gcp' ? '[]interface{}' : '[]interface {}')
  const read = readJson(value)
  if (Array.isArray(read) || read === null) return read
  throw new Fault(`json: cannot unmarshal ${jsonKind(read)} into Go value of type []interface {}`)
}

function object(value: Plain, rules: CastRules): Json {
  if (typeof value === 'object' && !isList(value)) return value as Json
  if (typeof value !== 'string') {
    throw unable(value, rules === 'gcp' ? 'map[string]interface{}' : 'map[string]interface {}')
  }
  const read = readJson(value)
  if (read === null || jsonKind(read) === 'object') return read
  throw new Fault(`json: cannot unmarshal ${jsonKind(read)} into Go value of type map[string]interface {}`)
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (isExact(value)) return 'number'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

function unable(value: Plain, type: string, cause?: string): Fault {
  const from = typeof value === 'string' ? 'string' : goType(value)
  return new Fault(
    `unable to cast ${goSyntax(value)} of type ${from} to ${type}${cause === undefined ? '' : `: ${cause}`}`,
  )
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value)
}

function goType(value: Plain): string {
  return isList(value) ? '[]interface {}' : 'map[string]interface {}'
}

function goSyntax(value: Plain): string {
  if (typeof value === 'string') return quote(value)
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b))
  return `map[string]interface {}{${entries.map(([key, item]) => `${quote(key)}:${goSyntax(item)}`).join(', ')}}`
}
