/** Writes a component version: its blobs, its descriptor, and the manifest that names them, in this order. */
import { present } from '../../kit/present.ts'
import {
  accessType,
  type ComponentDescriptor,
  type Source as ComponentSource,
  type Resource,
  tagOfVersion,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { blobBytes } from '../content/blob-bytes.ts'
import { checked } from '../oci/checked.ts'
import type { Descriptor } from '../oci/manifest.ts'
import type { Target } from '../oci/place.ts'
import { type LocalLayer, manifestOf } from './manifest-of.ts'
import { type StoredVersion, versionName } from './repository.ts'

/** A blob that is to be stored with a version. */
export interface NewBlob {
  readonly blob: Descriptor
  open(): AsyncIterable<Uint8Array>
  readonly mountFrom?: { readonly host: string; readonly repository: string }
}

export interface VersionOrder {
  readonly descriptor: ComponentDescriptor
  /** By digest. */
  readonly blobs: ReadonlyMap<string, NewBlob>
  readonly target: Target
  readonly signal: AbortSignal
  progress(text: string): void
}

/** Writes it under its tag. Problems: ocm.version.unwritable, artifact.*, registry.*. */
export async function writeVersion({
  descriptor,
  blobs,
  target,
  signal,
  progress,
}: VersionOrder): Promise<string> {
  const tag = tagFor(descriptor)
  const layers = layersOf(descriptor, blobs)
  for (const { blob } of layers) {
    if (await target.has(blob, signal)) continue
    const { open, mountFrom } = blobs.get(blob.digest) ?? fail('artifact.not-found', blob.digest)
    progress(`writing ${blob.digest.slice(0, 19)} (${(blob.size / 1e6).toFixed(1)} MB)`)
    const content = { open: () => checked(blob, open()), ...present({ mountFrom }) }
    await target.writeBlob(blob, content, signal)
  }
  const { manifest, documents } = manifestOf(descriptor, layers)
  for (const part of [manifest.config, ...manifest.layers]) {
    const bytes = documents.get(part.digest)
    if (bytes !== undefined && !(await target.has(part, signal)))
      await target.writeBlob(part, { open: () => once(bytes) }, signal)
  }
  await target.writeManifest(manifest, tag, signal)
  return manifest.digest
}

/** The tag of a version. Problems: ocm.version.unwritable. */
export function tagFor({ name, version }: Pick<ComponentDescriptor, 'name' | 'version'>): string {
  return (
    tagOfVersion(version) ??
    fail(
      'ocm.version.unwritable',
      `${name}:${version}: a version must not hold ".build-", which stands for "+" in tags`,
    )
  )
}

function layersOf(
  { resources, sources }: ComponentDescriptor,
  blobs: VersionOrder['blobs'],
): readonly LocalLayer[] {
  const byDigest = new Map<
    string,
    { blob: Descriptor; of: { kind: 'resource' | 'source'; element: Resource | ComponentSource }[] }
  >()
  const take = (kind: 'resource' | 'source', element: Resource | ComponentSource): void => {
    for (const digest of localDigests(element.access)) {
      const blob = blobs.get(digest)?.blob
      if (blob === undefined) continue
      const layer = byDigest.get(digest) ?? { blob, of: [] }
      layer.of.push({ kind, element })
      byDigest.set(digest, layer)
    }
  }
  for (const resource of resources) take('resource', resource)
  for (const source of sources) take('source', source)
  return [...byDigest.values()]
}

/** The blobs that an access finds beside its descriptor. */
export function localDigests(access: Resource['access']): readonly string[] {
  const key = { localBlob: 'localReference', localOciBlob: 'digest' }[accessType(access)]
  const value = key === undefined ? undefined : access[key]
  return typeof value === 'string' ? value.split(',').map((one) => one.trim()) : []
}

/** What is stored with a version already, to be written elsewhere or again. */
export function storedBlobs(version: StoredVersion, signal: AbortSignal): Map<string, NewBlob> {
  const { manifest, source, descriptor } = version
  const blobs = new Map<string, NewBlob>()
  for (const element of [...descriptor.resources, ...descriptor.sources])
    for (const digest of localDigests(element.access)) {
      const blob = manifest.layers.find((layer) => layer.digest === digest)
      if (blob === undefined)
        return fail('artifact.not-found', `the local blob ${digest}`, {
          where: { source: versionName(descriptor) },
        })
      const { mediaType, size } = blob
      blobs.set(digest, {
        blob: { mediaType, digest, size },
        open: () => blobBytes(source, blob, signal),
        ...present({ mountFrom: source.repository }),
      })
    }
  return blobs
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
