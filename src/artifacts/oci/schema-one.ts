/**
 * Docker's manifests of schema 1, as registries of their time kept them: layers of which only the digests are told, newest first,
 * and beside each a JSON text, of which the newest holds what is the configuration of an image elsewhere.
 */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { isDigest } from '../digest.ts'
import { invalid, parseObject } from './document.ts'

export interface SchemaOne {
  /** What the digest is of: without its signatures. */
  readonly payload: Uint8Array
  /** What stands in the payload. */
  readonly document: JsonObject
  /** The configuration, as far as it is told: nothing says what the layers unpack to. */
  readonly config: JsonObject
  /** Digests of the packed layers, lowest first. */
  readonly layers: readonly string[]
}

const layersMax = 1000

/** Whether a document that names no media type is one. */
export function isSchemaOne(document: JsonObject): boolean {
  return document['schemaVersion'] === 1 || 'fsLayers' in document
}

/** Reads one. Problems: image.manifest-invalid. */
export function readSchemaOne(bytes: Uint8Array, signed: JsonObject, source: string): SchemaOne {
  const payload = payloadOf(bytes, signed, source)
  // What the digest is not of counts for nothing, whatever it says around its signatures.
  const document = signed['signatures'] === undefined ? signed : parseObject(payload, source)
  const texts = listOf(document, 'history', source).map((item, i) => historyAt(item, i, source))
  const [newest] = texts
  if (newest === undefined) return invalid('it tells no history', source, '/history')
  const digests = listOf(document, 'fsLayers', source).map((item, i) => layerAt(item, i, source))
  if (digests.length > 0 && digests.length !== texts.length) {
    return invalid(`${texts.length} texts of history for ${digests.length} layers`, source, '/history')
  }
  return {
    payload,
    document,
    config: { os: 'linux', architecture: document['architecture'] ?? '', ...ofImage(newest) },
    // What changed no file has a layer all the same.
    layers: digests.filter((_, i) => texts[i]?.['throwaway'] !== true).toReversed(),
  }
}

/** What of the newest text is of the image, and not of its place in a chain of them. */
function ofImage(text: JsonObject): JsonObject {
  const { id: _id, parent: _parent, parent_id: _old, throwaway: _empty, Size: _size, ...rest } = text
  return rest
}

function listOf(document: JsonObject, field: string, source: string): readonly Json[] {
  const list = document[field]
  if (!Array.isArray(list)) return invalid(`${field} is not a list`, source, `/${field}`)
  if (list.length > layersMax)
    return invalid(`${field} has more than ${layersMax} items`, source, `/${field}`)
  return list
}

function historyAt(item: Json, i: number, source: string): JsonObject {
  const text = isObject(item) ? item['v1Compatibility'] : undefined
  const pointer = `/history/${i}/v1Compatibility`
  if (typeof text !== 'string') return invalid('it is not a text', source, pointer)
  return parseObject(Buffer.from(text), `${source} ${pointer}`)
}

function layerAt(item: Json, i: number, source: string): string {
  const digest = isObject(item) ? item['blobSum'] : undefined
  return isDigest(digest) ? digest : invalid('the layer has no valid digest', source, `/fsLayers/${i}`)
}

/** Signatures stand inside the document that they sign, and each tells how it ended without them. */
function payloadOf(bytes: Uint8Array, { signatures }: JsonObject, source: string): Uint8Array {
  if (signatures === undefined) return bytes
  const [first, ...others] = Array.isArray(signatures) ? signatures.map(endOf) : []
  const isOne = others.every((end) => end?.length === first?.length && end?.tail === first?.tail)
  if (first === undefined || !isOne || first.length > bytes.byteLength)
    return invalid('its signatures do not tell what they sign', source, '/signatures')
  return Buffer.concat([bytes.subarray(0, first.length), Buffer.from(first.tail, 'base64url')])
}

function endOf(signature: Json): { readonly length: number; readonly tail: string } | undefined {
  const told = isObject(signature) ? signature['protected'] : undefined
  if (typeof told !== 'string') return undefined
  const { formatLength, formatTail } = partsOf(Buffer.from(told, 'base64url').toString())
  const isLength = typeof formatLength === 'number' && Number.isSafeInteger(formatLength) && formatLength > 0
  return isLength && typeof formatTail === 'string' ? { length: formatLength, tail: formatTail } : undefined
}

function partsOf(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
