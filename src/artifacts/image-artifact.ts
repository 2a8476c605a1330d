/** An image or other OCI artifact as contracts see it: parsed documents, and blobs on demand. */
import type { ImageArtifact } from '../model/artifact.ts'
import type { ContentStore } from './content/content-store.ts'
import { readBounded } from './content/durable.ts'
import { checkBytes } from './digest.ts'
import type { ReadImage } from './image-reading.ts'
import { pieceBytesMax } from './limits.ts'
import { childrenOf, type Descriptor, type Manifest, parseManifest } from './oci/manifest.ts'
import { isIndexType, isManifestType } from './oci/media-types.ts'
import type { Source } from './oci/place.ts'

export interface ImageContext {
  readonly content: ContentStore
  /** Ends what is asked of the source. */
  readonly signal: AbortSignal
  /** Opens the source again: an artifact may be looked into long after it was opened. */
  reopen(): Promise<Source>
}

/** Makes the artifact of an image that was read. */
export function makeImageArtifact(reference: string, image: ReadImage, rooms: ImageContext): ImageArtifact {
  const { top, manifest, config } = image
  const known = new Map<string, Descriptor>()
  const learn = (read: Manifest): void => {
    if (read.kind === 'schema-1') return
    for (const child of childrenOf(read)) known.set(child.digest, child)
  }
  learn(top)
  if (manifest !== undefined) learn(manifest)
  return {
    kind: 'image',
    reference,
    digest: top.digest,
    config,
    annotations: { ...manifest?.annotations, ...top.annotations },
    mediaType: top.mediaType,
    manifest: top.document,
    blob: async (digest) => {
      if (digest === top.digest) return top.bytes
      const child = known.get(digest)
      const isManifest =
        child !== undefined && (isManifestType(child.mediaType) || isIndexType(child.mediaType))
      if (child !== undefined && !isManifest) return await bringBlob(child, rooms)
      const found = await findManifest(digest, child?.mediaType, rooms)
      if (found !== undefined) learn(found)
      return found?.bytes
    },
  }
}

async function bringBlob(
  wanted: Descriptor,
  { content, signal: stopped, reopen }: ImageContext,
): Promise<Uint8Array | undefined> {
  let source: Source | undefined
  try {
    const path = await content.fetch(
      wanted,
      async (from, signal) => {
        source ??= await reopen()
        return await source.blob(wanted, from, signal)
      },
      { signal: stopped, progress: () => undefined },
    )
    const bytes = await readBounded(path, pieceBytesMax)
    if (bytes !== undefined) checkBytes(bytes, wanted.digest, path)
    return bytes
  } finally {
    await source?.close()
  }
}

async function findManifest(
  digest: string,
  said: string | undefined,
  { content, signal, reopen }: ImageContext,
): Promise<Manifest | undefined> {
  const there = await content.document(digest)
  if (there !== undefined) return parseManifest(there, said, digest)
  const source = await reopen()
  try {
    const manifest = await source.manifest({ digest }, signal)
    if (manifest !== undefined) await content.keep(manifest.bytes)
    return manifest
  } finally {
    await source.close()
  }
}
