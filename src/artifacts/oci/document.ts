/** JSON documents of images, parsed from exact bytes. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { repeatedKeys } from '../../kit/repeated-keys.ts'
import { fail } from '../../model/problem.ts'

/** Parses bytes that must be one JSON object. Problems: image.manifest-invalid. */
export function parseObject(bytes: Uint8Array, source: string): JsonObject {
  const { text, value } = parsed(bytes, source)
  // One document must not be two things to two readers.
  const [twice] = repeatedKeys(text)
  if (twice !== undefined) return invalid('the key is there twice', source, twice)
  return isObject(value) ? (value as JsonObject) : invalid('it is not a JSON object', source, '')
}

function parsed(bytes: Uint8Array, source: string): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch (cause) {
    return fail('image.manifest-invalid', 'it is not JSON', { where: { source }, cause })
  }
}

/** Refuses a manifest for what stands at a place of it. Problems: image.manifest-invalid. */
export function invalid(detail: string, source: string, pointer: string): never {
  return fail('image.manifest-invalid', detail, { where: { source, ...(pointer === '' ? {} : { pointer }) } })
}
