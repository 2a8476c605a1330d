/** Fields of YAML documents as precise types; what has another type is noted and left out. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'

/** Collects what could not be read, with the path of each. */
export interface Decoder {
  readonly faults: { readonly path: string; readonly message: string }[]
  /** The text of a scalar as it was written: 1.10 is not 1.1. */
  written(path: string): string | undefined
}

export function decoder(written: Decoder['written'] = () => undefined): Decoder {
  return { faults: [], written }
}

/** A text; numbers and booleans are taken as they were written. */
export function textAt(decode: Decoder, from: JsonObject, name: string, base: string): string {
  const value = from[name]
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') {
    return decode.written(join(base, name)) ?? String(value)
  }
  wrong(decode, join(base, name), value, 'string')
  return ''
}

export function wholeAt(decode: Decoder, from: JsonObject, name: string, base: string): number | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (Number.isInteger(value)) return value as number
  wrong(decode, join(base, name), value, 'int')
  return undefined
}

export function flagAt(decode: Decoder, from: JsonObject, name: string, base: string): boolean {
  const value = from[name]
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(y|yes|on|true)$/i.test(value)) return true
  if (typeof value === 'string' && /^(n|no|off|false)$/i.test(value)) return false
  wrong(decode, join(base, name), value, 'bool')
  return false
}

export function mapAt(decode: Decoder, from: JsonObject, name: string, base: string): JsonObject {
  const value = from[name]
  if (value === undefined || value === null) return {}
  if (isObject(value)) return value as JsonObject
  wrong(decode, join(base, name), value, 'map')
  return {}
}

/** A map of texts. */
export function textMapAt(
  decode: Decoder,
  from: JsonObject,
  name: string,
  base: string,
): Readonly<Record<string, string>> {
  const map = mapAt(decode, from, name, base)
  return Object.fromEntries(Object.keys(map).map((key) => [key, textAt(decode, map, key, join(base, name))]))
}

export function listAt(decode: Decoder, from: JsonObject, name: string, base: string): readonly Json[] {
  const value = from[name]
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  wrong(decode, join(base, name), value, 'list')
  return []
}

/** A list of maps, each read with its own path. */
export function itemsAt<T>(
  decode: Decoder,
  [from, name, base]: readonly [JsonObject, string, string],
  read: (item: JsonObject, path: string) => T,
): readonly T[] {
  return listAt(decode, from, name, base).flatMap((item, i) => {
    const path = `${join(base, name)}[${i}]`
    if (isObject(item)) return [read(item as JsonObject, path)]
    if (item === null) return [read({}, path)]
    wrong(decode, path, item, 'map')
    return []
  })
}

export function textsAt(decode: Decoder, from: JsonObject, name: string, base: string): readonly string[] {
  return listAt(decode, from, name, base).flatMap((item, i) => {
    if (typeof item === 'string') return [item]
    if (typeof item === 'number' || typeof item === 'boolean') return [String(item)]
    wrong(decode, `${join(base, name)}[${i}]`, item, 'string')
    return []
  })
}

function join(base: string, name: string): string {
  return base === '' ? name : `${base}.${name}`
}

function wrong(decode: Decoder, path: string, value: Json, wanted: string): void {
  decode.faults.push({ path, message: `cannot unmarshal ${tagOf(value)} into ${wanted}` })
}

function tagOf(value: Json): string {
  if (Array.isArray(value)) return '!!seq'
  if (isObject(value)) return '!!map'
  if (typeof value === 'number') return Number.isInteger(value) ? '!!int' : '!!float'
  return typeof value === 'boolean' ? '!!bool' : `!!str \`${value}\``
}
