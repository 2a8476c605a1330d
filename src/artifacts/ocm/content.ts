/** The content behind the access of a resource or source, wherever that is. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { shorten } from '../../kit/text.ts'
import {
  type Access,
  accessType,
  findElement,
  type Identity,
  type RepositorySpec,
  repositoryOfSpec,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { checkBlobFile } from '../content/copy-file.ts'
import { isDigest } from '../digest.ts'
import { checked } from '../oci/checked.ts'
import type { Descriptor } from '../oci/manifest.ts'
import { isIndexType, isManifestType } from '../oci/media-types.ts'
import type { Source, WantedManifest } from '../oci/place.ts'
import { parseReference, wantedOf } from '../reference.ts'
import { registrySource } from '../registry/registry-source.ts'
import { openSession } from '../registry/session.ts'
import { webFile } from '../registry/web-file.ts'
import type { SourceOptions } from '../sources.ts'
import { type ComponentRepository, type StoredVersion, versionName } from './repository.ts'

/** Bytes, an OCI artifact, or nothing at all. */
export type Content =
  | {
      readonly kind: 'blob'
      readonly mediaType: string
      /** Where its digests are known before it is read. */
      readonly known?: Known
      open(): AsyncIterable<Uint8Array>
    }
  | {
      readonly kind: 'artifact'
      readonly source: Source
      readonly wanted: WantedManifest
      readonly name: string
    }
  | { readonly kind: 'none' }

/** What content consists of; whoever opens it gets checked bytes. */
export interface Known {
  readonly pieces: readonly Descriptor[]
  /** Reads all of it, for nothing but the check. Problems: artifact.altered. */
  check(): Promise<void>
}

export interface ContentOptions extends SourceOptions {
  readonly signal: AbortSignal
  /** Opens another repository that an access leads to; closed with all others by the owner of this source. */
  openRepository(spec: RepositorySpec): Promise<ComponentRepository>
}

const hopsMax = 5

/** Problems: ocm.access.invalid, ocm.access.unsupported, artifact.not-found, reference.invalid. */
export async function contentOf(
  access: Access,
  version: StoredVersion,
  options: ContentOptions,
  hops = 0,
): Promise<Content> {
  const reader: Reader = { access, version, options }
  switch (accessType(access)) {
    case 'localBlob':
    case 'localFilesystemBlob':
      return localBlob(reader)
    case 'localOciBlob':
      return blobOfLayers([text(reader, 'digest')], reader)
    case 'ociArtifact':
      return artifact(text(reader, 'imageReference'), reader)
    case 'relativeOciReference':
      return relative(reader)
    case 'ociBlob':
      return ociBlob(reader)
    case 'helm':
      return helmChart(reader)
    case 'gitHub':
      return gitArchive(reader)
    case 'wget':
      return webContent(reader)
    case 'ocm':
      return await otherVersion(reader, hops)
    case 'none':
      return { kind: 'none' }
    default:
      return fail('ocm.access.unsupported', describeAccess(access), {
        where: { source: versionName(version.descriptor) },
      })
  }
}

/** The type and the place of an access, for messages. */
export function describeAccess(access: Access): string {
  const keys = [
    'imageReference',
    'localReference',
    'ref',
    'reference',
    'url',
    'URL',
    'repoUrl',
    'repository',
    'helmRepository',
    'registry',
    'bucket',
    'bucketName',
  ]
  const place = keys.map((key) => access[key]).find((value) => typeof value === 'string' && value !== '')
  return `${access.type}${typeof place === 'string' ? ` at ${shorten(place.replace(/\/\/[^/@]*@/, '//…@'), 200)}` : ''}`
}

interface Reader {
  readonly access: Access
  readonly version: StoredVersion
  readonly options: ContentOptions
}

function text({ access, version }: Reader, ...keys: readonly string[]): string {
  const value = keys.map((key) => access[key]).find((one) => typeof one === 'string' && one !== '')
  if (typeof value === 'string') return value
  return fail('ocm.access.invalid', `${access.type} without "${keys[0]}"`, {
    where: { source: versionName(version.descriptor) },
  })
}

function localBlob(reader: Reader): Content {
  const { access, version } = reader
  const reference = text(reader, 'localReference')
  const mediaType = mediaTypeOf(access)
  if (isManifestType(mediaType) || isIndexType(mediaType)) {
    if (!isDigest(reference)) return fail('ocm.access.invalid', `${shorten(reference, 100)} is no digest`)
    return {
      kind: 'artifact',
      source: version.source,
      wanted: { digest: reference },
      name: versionName(version.descriptor),
    }
  }
  return blobOfLayers(reference.split(','), reader)
}

/** A blob above the limit of its registry lies there in pieces. */
function blobOfLayers(digests: readonly string[], { access, version, options }: Reader): Content {
  const where = { source: versionName(version.descriptor) }
  const pieces = digests.map(
    (digest) =>
      version.manifest.layers.find((layer) => layer.digest === digest.trim()) ??
      fail('artifact.not-found', `the local blob ${shorten(digest, 100)}`, { where }),
  )
  return {
    kind: 'blob',
    mediaType: mediaTypeOf(access),
    known: knownFrom(pieces, version.source, options.signal),
    open: () => joined(pieces, version.source, options.signal),
  }
}

function knownFrom(pieces: readonly Descriptor[], source: Source, signal: AbortSignal): Known {
  return {
    pieces,
    check: async () => {
      for (const piece of pieces) await checkPiece(piece, source, signal)
    },
  }
}

/** Much faster from a file than from a stream. */
async function checkPiece(piece: Descriptor, source: Source, signal: AbortSignal): Promise<void> {
  const file = await source.file?.(piece)
  if (file !== undefined) return await checkBlobFile(piece, file).finally(() => file.close())
  for await (const _ of joined([piece], source, signal)) signal.throwIfAborted()
}

async function* joined(
  pieces: readonly Descriptor[],
  source: Source,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield* checked(piece, (await source.blob(piece, 0, signal)).bytes)
}

function mediaTypeOf(access: Access): string {
  const { mediaType } = access
  return typeof mediaType === 'string' && mediaType !== '' ? mediaType : 'application/octet-stream'
}

/** Names without a host are Docker's. */
function artifact(name: string, { options }: Reader): Content {
  const plain = name.replace(/^(?:oci|docker|https?):\/\//, '')
  const reference = parseReference(`docker://${plain}`, { defaultHost: 'docker.io' })
  if (reference.kind !== 'registry') return fail('ocm.access.invalid', shorten(name, 200))
  const source = registrySource(
    reference,
    openSession(reference.host, reference.repository, options.registries),
  )
  return { kind: 'artifact', source, wanted: wantedOf(reference), name: plain }
}

function relative(reader: Reader): Content {
  const { spec } = reader.version.repository
  if (spec.kind !== 'registry')
    return fail(
      'ocm.access.unsupported',
      `${describeAccess(reader.access)}: the component version lies in no registry`,
    )
  return artifact(`${spec.host}/${text(reader, 'reference')}`, reader)
}

/** The manual and the code of the original call the repository differently. */
function ociBlob(reader: Reader): Content {
  const { access, options } = reader
  const found = artifact(text(reader, 'ref', 'imageReference'), reader)
  const digest = text(reader, 'digest')
  const { size } = access
  if (found.kind !== 'artifact' || !isDigest(digest) || typeof size !== 'number')
    return fail('ocm.access.invalid', `${access.type} without digest and size`)
  const { source } = found
  const piece: Descriptor = { mediaType: mediaTypeOf(access), digest, size }
  return {
    kind: 'blob',
    mediaType: piece.mediaType,
    known: knownFrom([piece], source, options.signal),
    open: () => joined([piece], source, options.signal),
  }
}

/** Charts in registries are artifacts; repositories of charts with an index are not read. */
function helmChart(reader: Reader): Content {
  const { access } = reader
  const repository = text(reader, 'helmRepository')
  const [chart = '', inline] = text(reader, 'helmChart').split(':')
  const { version = inline } = access
  if (!repository.startsWith('oci://') || typeof version !== 'string')
    return fail(
      'ocm.access.unsupported',
      `${describeAccess(access)}, chart ${chart}: only charts in registries (oci://) are fetched`,
    )
  return artifact(
    `${repository.slice('oci://'.length).replace(/\/+$/, '')}/${chart}:${version.replace('+', '_')}`,
    reader,
  )
}

function gitArchive(reader: Reader): Content {
  const { access, options } = reader
  const [, host = '', owner = '', name = ''] =
    /^(?:https?:\/\/)?([A-Za-z0-9.:-]+)\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(text(reader, 'repoUrl')) ??
    []
  const commit = text(reader, 'commit')
  const said = access['apiHostname']
  const api = host === 'github.com' ? 'api.github.com' : `${host}/api/v3`
  if (name === '' || !/^[0-9a-f]{40}$/.test(commit))
    return fail(
      'ocm.access.invalid',
      `${describeAccess(access)}: a repository of a host and a whole commit are needed`,
    )
  const url = `https://${typeof said === 'string' && said !== '' ? said : api}/repos/${owner}/${name}/tarball/${commit}`
  return {
    kind: 'blob',
    mediaType: 'application/x-tgz',
    open: () => webFile(url, options.registries, options.signal),
  }
}

function webContent(reader: Reader): Content {
  const { access, options } = reader
  const url = text(reader, 'url', 'URL')
  const more = ['header', 'body', 'noredirect'].filter((key) => isSaid(access[key]))
  const { verb = 'GET' } = access
  if (verb !== '' && verb !== 'GET') more.push('verb')
  if (more.length > 0)
    return fail('ocm.access.unsupported', `${describeAccess(access)} with ${more.join(', ')}`)
  const reference = parseReference(url)
  if (reference.kind !== 'url')
    return fail('ocm.access.invalid', `${access.type}: ${shorten(url, 200)} is no URL`)
  return {
    kind: 'blob',
    mediaType: mediaTypeOf(access),
    open: () => webFile(url, options.registries, options.signal),
  }
}

function isSaid(value: Json | undefined): boolean {
  return (
    value !== undefined &&
    value !== null &&
    value !== '' &&
    value !== false &&
    !(isObject(value) && Object.keys(value).length === 0)
  )
}

async function otherVersion(reader: Reader, hops: number): Promise<Content> {
  const { access, version, options } = reader
  if (hops >= hopsMax) return fail('ocm.access.invalid', `${access.type} leads on and on`)
  const component = typeof access['component'] === 'string' ? access['component'] : version.descriptor.name
  const wanted = typeof access['version'] === 'string' ? access['version'] : version.descriptor.version
  const { ocmRepository } = access
  const spec = isObject(ocmRepository)
    ? repositoryOfSpec(ocmRepository as JsonObject)
    : 'it names no repository'
  if (typeof spec === 'string') return fail('ocm.access.invalid', `${access.type}: ${spec}`)
  // A file of the machine that the version was made on means nothing here, or something else.
  if (spec.kind === 'file')
    return fail('ocm.access.unsupported', `${access.type} in the file ${shorten(spec.path, 200)}`)
  const other = await (await options.openRepository(spec)).find(component, wanted, options.signal)
  if (other === undefined) return fail('ocm.version.unknown', `${component}:${wanted}`)
  const { resource: identity } = isObject(access['resourceRef']) ? access['resourceRef'] : {}
  const found = findElement(other.descriptor.resources, (isObject(identity) ? identity : {}) as Identity)
  if (found === undefined) return fail('ocm.resource.unknown', `of ${component}:${wanted}`)
  return await contentOf(found.access, other, options, hops + 1)
}
