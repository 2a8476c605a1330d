/** Writes values of the model down as text and back: what JSON lacks are bytes, maps and secrets. */
import { isExact, parseJson } from './exact.ts'
import { isObject } from './json.ts'
import { Secret } from './secret.ts'

/** The text holds secrets in clear: it is for sealing only. */
export function encode(value: unknown): string {
  return JSON.stringify(pack(value))
}

/** The value that was written; the caller names the type it wrote. */
export function decode<T>(text: string): T {
  return unpack(parseJson(text)) as T
}

function pack(value: unknown): unknown {
  if (value instanceof Secret) return { $secret: value.reveal() }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Map) return { $map: [...value].map(([key, item]) => [key, pack(item)]) }
  if (Array.isArray(value)) return value.map(pack)
  if (!isObject(value) || isExact(value)) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, pack(item)])
  // An object of ours whose only key begins with "$" must not be taken for one of the above.
  const [only] = Object.keys(value)
  return only?.startsWith('$') ? { $object: entries } : Object.fromEntries(entries)
}

function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack)
  if (!isObject(value) || isExact(value)) return value
  if (typeof value['$secret'] === 'string') return new Secret(value['$secret'])
  if (typeof value['$bytes'] === 'string') return new Uint8Array(Buffer.from(value['$bytes'], 'base64'))
  if (Array.isArray(value['$map'])) return new Map(value['$map'].map(([key, item]) => [key, unpack(item)]))
  if (Array.isArray(value['$object']))
    return Object.fromEntries(value['$object'].map(([key, item]) => [key, unpack(item)]))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]))
}
