/** What signs an image: kept beside it under a tag of its digest, or naming it as its subject. */

import { present } from '../kit/present.ts'
import {
  bundleType,
  notationArtifact,
  type SignatureForm,
  type StoredSignature,
  simpleSigning,
} from '../languages/signatures/index.ts'
import { fail, type Problem, toProblem } from '../model/problem.ts'
import { collect } from './archive/collect.ts'
import { cachedSource } from './cached-source.ts'
import type { CollectionContext } from './collection.ts'
import { blobBytes } from './content/blob-bytes.ts'
import { documentBytesMax } from './limits.ts'
import { checked } from './oci/checked.ts'
import type { Descriptor, ImageManifest, Manifest } from './oci/manifest.ts'
import type { Source } from './oci/place.ts'
import { parseReference } from './reference.ts'

export interface FoundSignatures {
  /** Of the image. */
  readonly manifest: Uint8Array
  readonly signatures: readonly StoredSignature[]
  /** Why there may be more: a mirror that has the image need not have its signatures, and its registry may be away. */
  readonly missed?: Problem
}

interface Wanted {
  readonly reference: string
  readonly digest: string
  readonly signal: AbortSignal
}

/** So many are looked at; a repository may be full of them. */
const signaturesMax = 100

/** Finds them without judging. Problems: artifact.not-found, registry.*, image.manifest-invalid. */
export async function findSignatures(
  { reference, digest, signal }: Wanted,
  { options, content }: CollectionContext,
): Promise<FoundSignatures> {
  const source = cachedSource(parseReference(reference, options.registries), content, options)
  try {
    const image = await source.manifest({ digest }, signal)
    if (image === undefined) return fail('artifact.not-found', digest, { where: { source: reference } })
    const signatures: StoredSignature[] = []
    let missed: Problem | undefined
    const orNone = async <T>(lookup: Promise<T>, none: T): Promise<T> =>
      await lookup.catch((error: unknown) => {
        const problem = toProblem(error)
        if (problem.code !== 'registry.unreachable') throw error
        missed = problem
        return none
      })
    for await (const manifest of signingManifests(source, digest, { signal, orNone })) {
      for (const layer of manifest.layers.slice(0, signaturesMax)) {
        const form = formOf(manifest, layer)
        if (form === undefined || signatures.length >= signaturesMax) continue
        signatures.push({
          form,
          mediaType: layer.mediaType,
          annotations: layer.annotations ?? {},
          bytes: await documentAt(source, layer, signal),
        })
      }
    }
    return { manifest: image.bytes, signatures, ...present({ missed }) }
  } finally {
    await source.close()
  }
}

interface Lookups {
  readonly signal: AbortSignal
  /** What is found, or none where the registry cannot be reached. */
  orNone<T>(lookup: Promise<T>, none: T): Promise<T>
}

async function* signingManifests(
  source: Source,
  digest: string,
  { signal, orNone }: Lookups,
): AsyncIterable<ImageManifest> {
  const beside = await orNone(source.manifest({ name: signatureTag(digest) }, signal), undefined)
  if (isImage(beside)) yield beside
  const listed = await orNone(source.referrers(digest, signal), [])
  const seen = new Set([beside?.digest])
  for (const entry of listed.filter(mayAlsoSign).slice(0, signaturesMax)) {
    if (seen.has(entry.digest)) continue
    seen.add(entry.digest)
    const manifest = await source.manifest({ digest: entry.digest }, signal)
    if (isImage(manifest)) yield manifest
  }
}

function isImage(manifest: Manifest | undefined): manifest is ImageManifest {
  return manifest?.kind === 'manifest'
}

/** Where cosign keeps signatures. */
export function signatureTag(digest: string): string {
  return `${digest.replace(':', '-')}.sig`
}

const cosignArtifact = 'application/vnd.dev.cosign.artifact.sig.v1+json'

/** Lists do not always say what they list. */
function mayAlsoSign({ artifactType }: Descriptor): boolean {
  return (
    artifactType === undefined ||
    artifactType === notationArtifact ||
    artifactType === cosignArtifact ||
    bundleType.test(artifactType)
  )
}

function formOf(manifest: ImageManifest, layer: Descriptor): SignatureForm | undefined {
  if (layer.mediaType === simpleSigning) return 'cosign'
  if (bundleType.test(layer.mediaType)) return 'bundle'
  return [manifest.artifactType, manifest.config.mediaType].includes(notationArtifact)
    ? 'notation'
    : undefined
}

async function documentAt(source: Source, layer: Descriptor, signal: AbortSignal): Promise<Uint8Array> {
  if (layer.size > documentBytesMax)
    fail('artifact.too-large', 'a signature above 4 MiB', { where: { source: source.name } })
  return await collect(checked(layer, blobBytes(source, layer, signal)), documentBytesMax)
}
