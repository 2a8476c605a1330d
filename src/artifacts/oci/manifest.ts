/** Manifests and indexes, parsed from exact bytes into precise types. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { shorten } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import { digestOf, isDigest } from '../digest.ts'
import { documentBytesMax } from '../limits.ts'
import { invalid, parseObject } from './document.ts'
import {
  dockerManifest,
  isIndexType,
  isManifestType,
  ociIndex,
  ociManifest,
  schemaOne,
} from './media-types.ts'
import { isSchemaOne, readSchemaOne } from './schema-one.ts'

export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly platform?: Platform
  readonly artifactType?: string
  readonly urls?: readonly string[]
}

export interface Platform {
  readonly os: string
  readonly architecture: string
  readonly variant?: string
}

/** A manifest or index with the exact bytes its digest is of. */
export type Manifest = ImageManifest | ImageIndex | SchemaOneManifest

interface Stored {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly digest: string
  readonly document: JsonObject
  readonly annotations: Readonly<Record<string, string>>
  readonly artifactType?: string
  readonly subject?: Descriptor
}

export interface ImageManifest extends Stored {
  readonly kind: 'manifest'
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
}

export interface ImageIndex extends Stored {
  readonly kind: 'index'
  readonly manifests: readonly Descriptor[]
}

/** Of an image that can be looked at, and run once it is made anew. Its bytes are without signatures. */
export interface SchemaOneManifest extends Stored {
  readonly kind: 'schema-1'
  readonly config: JsonObject
  /** Digests of the packed layers, lowest first. */
  readonly layers: readonly string[]
}

/** Parses manifest bytes; the type said by the server or layout counts when the document names none. Problems: image.manifest-invalid, image.manifest-unsupported. */
export function parseManifest(bytes: Uint8Array, said: string | undefined, source: string): Manifest {
  if (bytes.byteLength > documentBytesMax)
    fail('artifact.too-large', 'a manifest above 4 MiB', { where: { source } })
  const document = parseObject(bytes, source)
  const mediaType = typeOf(document, said, source)
  if (mediaType === schemaOne) {
    const { payload, ...read } = readSchemaOne(bytes, document, source)
    return {
      kind: 'schema-1',
      mediaType,
      bytes: payload,
      digest: digestOf(payload),
      annotations: {},
      ...read,
    }
  }
  const subject = document['subject']
  const artifactType = document['artifactType']
  const stored: Stored = {
    mediaType,
    bytes,
    digest: digestOf(bytes),
    document,
    annotations: annotationsOf(document['annotations']) ?? {},
    ...(typeof artifactType === 'string' ? { artifactType } : {}),
    ...(isObject(subject) ? { subject: parseDescriptor(subject, source, '/subject') } : {}),
  }
  if (isIndexType(mediaType)) {
    return { ...stored, kind: 'index', manifests: descriptors(document, 'manifests', source) }
  }
  return {
    ...stored,
    kind: 'manifest',
    config: parseDescriptor(document['config'], source, '/config'),
    layers: descriptors(document, 'layers', source),
  }
}

/** The descriptor under which a manifest is listed in an index. */
export function describe(manifest: Manifest): Descriptor {
  return { mediaType: manifest.mediaType, digest: manifest.digest, size: manifest.bytes.byteLength }
}

/** Everything a manifest or index names directly. */
export function childrenOf(manifest: ImageManifest | ImageIndex): readonly Descriptor[] {
  return manifest.kind === 'index' ? manifest.manifests : [manifest.config, ...manifest.layers]
}

/** Parses one descriptor. Problems: image.manifest-invalid. */
function parseDescriptor(value: unknown, source: string, pointer: string): Descriptor {
  if (!isObject(value)) return invalid('a descriptor is missing', source, pointer)
  const { mediaType, digest, size, annotations, platform, artifactType, urls } = value
  if (typeof mediaType !== 'string') return invalid('the descriptor names no mediaType', source, pointer)
  if (!isDigest(digest)) return invalid('the descriptor has no valid digest', source, pointer)
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    return invalid('the descriptor has no valid size', source, pointer)
  }
  const notes = annotationsOf(annotations)
  const made = platformOf(platform)
  return {
    mediaType,
    digest,
    size,
    ...present({ annotations: notes, platform: made }),
    ...(typeof artifactType === 'string' ? { artifactType } : {}),
    ...(Array.isArray(urls) ? { urls: urls.filter((url) => typeof url === 'string') } : {}),
  }
}

function typeOf(document: JsonObject, said: string | undefined, source: string): string {
  const own = document['mediaType']
  const type = typeof own === 'string' ? own : said?.split(';')[0]?.trim()
  if (type !== undefined && (isManifestType(type) || isIndexType(type))) {
    // One document must not be two things: a manifest to one reader, an index to another.
    if (isIndexType(type) ? 'layers' in document || 'config' in document : 'manifests' in document) {
      return invalid(`a ${type} must not hold both manifests and layers`, source, '')
    }
    return type
  }
  if ((own === undefined || own === schemaOne) && isSchemaOne(document)) return schemaOne
  if (typeof own === 'string') {
    return fail('image.manifest-unsupported', shorten(own, 100), { where: { source } })
  }
  if (Array.isArray(document['manifests'])) return ociIndex
  if (isObject(document['config'])) return document['schemaVersion'] === 2 ? ociManifest : dockerManifest
  return invalid('it is neither a manifest nor an index', source, '')
}

function descriptors(document: JsonObject, field: string, source: string): readonly Descriptor[] {
  const list = document[field]
  // CNAB writes "layers": null in its config manifests.
  if (list === null || list === undefined) return []
  if (!Array.isArray(list)) return invalid(`${field} is not a list`, source, `/${field}`)
  if (list.length > 10_000) return invalid(`${field} has more than 10000 items`, source, `/${field}`)
  return list.map((item, i) => parseDescriptor(item, source, `/${field}/${i}`))
}

function annotationsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

function platformOf(value: unknown): Platform | undefined {
  if (!isObject(value)) return undefined
  const { os, architecture, variant } = value
  if (typeof os !== 'string' || typeof architecture !== 'string') return undefined
  return { os, architecture, ...(typeof variant === 'string' && variant !== '' ? { variant } : {}) }
}
