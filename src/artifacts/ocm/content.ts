/** The content behind the access of a resource or source, wherever that is. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { shorten } from '../../kit/text.ts'
import {
  type Access,
  accessType,
  findElement,
  type Identity,
  repositoryOfSpec,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { blobBytes } from '../content/blob-bytes.ts'
import { checkBlobFile } from '../content/copy-file.ts'
import { isDigest } from '../digest.ts'
import { checked } from '../oci/checked.ts'
import type { Descriptor } from '../oci/manifest.ts'
import { isIndexType, isManifestType } from '../oci/media-types.ts'
import type { Source } from '../oci/place.ts'
import {
  artifact,
  type Content,
  type ContentOptions,
  describeAccess,
  type Known,
  mediaTypeOf,
  type Reader,
  text,
} from './access.ts'
import { type StoredVersion, versionName } from './repository.ts'
import { gitArchive, helmChart, mavenFile, npmPackage, webContent } from './web-content.ts'

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
      return await helmChart(reader)
    case 'gitHub':
      return gitArchive(reader)
    case 'wget':
      return webContent(reader)
    case 'npm':
      return await npmPackage(reader)
    case 'maven':
      return mavenFile(reader)
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
  for (const piece of pieces) yield* checked(piece, blobBytes(source, piece, signal))
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
