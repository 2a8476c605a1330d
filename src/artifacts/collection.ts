/** Several images held together: under one index in a repository, or beside other files in an archive. */
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip, type ZlibOptions } from 'node:zlib'
import { fail, toProblem } from '../model/problem.ts'
import { packFolder } from './archive/pack-folder.ts'
import { cachedSource } from './cached-source.ts'
import type { ContentStore } from './content/content-store.ts'
import { makeFolder, streamDurably, writeDurably } from './content/durable.ts'
import { digestOf } from './digest.ts'
import { openLayoutTarget } from './oci/layout-writer.ts'
import { type Descriptor, describe, parseManifest } from './oci/manifest.ts'
import type { Source, Target } from './oci/place.ts'
import { parseReference, wantedOf } from './reference.ts'
import type { SourceOptions } from './sources.ts'
import { openTarget } from './targets.ts'
import { type Transferred, transfer } from './transfer.ts'

interface Watched {
  readonly signal: AbortSignal
  progress(text: string): void
}

export interface CollectionDocument {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** What a repository is to hold besides the images. Of several forms the first that it takes. */
export interface CollectionDocuments {
  readonly blob: Uint8Array
  readonly manifests: readonly CollectionDocument[]
  /** The index over the images and the manifest that was taken. */
  index(manifest: Descriptor): readonly CollectionDocument[]
}

export interface CollectionPublish extends Watched {
  /** A repository with the tag that the index gets. */
  readonly to: string
  /** References of the images, wherever they are. */
  readonly images: readonly string[]
  /** Asked once it is known what the images are. */
  documents(images: readonly Descriptor[]): CollectionDocuments
}

export interface CollectionPack extends Watched {
  /** The file to write; what was there is replaced. */
  readonly to: string
  readonly files: Readonly<Record<string, Uint8Array>>
  readonly images: readonly { readonly from: string; readonly name: string }[]
  readonly compression?: Compression
}

export type Compression = 'none' | 'fastest' | 'usual' | 'best' | 'huffman'

export interface CollectionContext {
  readonly options: SourceOptions
  readonly content: ContentStore
}

/** What an image is, without moving it. Problems: reference.invalid, artifact.*, image.*, registry.*. */
export async function describeImage(
  reference: string,
  rooms: CollectionContext,
  signal: AbortSignal,
): Promise<Descriptor> {
  return await withSource(reference, rooms, async (source, wanted) => {
    const manifest = await source.manifest(wanted, signal)
    if (manifest !== undefined) return describe(manifest)
    return fail('artifact.not-found', undefined, { where: { source: reference } })
  })
}

/** Copies the images into the repository and puts their index on top. Problems: reference.invalid, artifact.*, image.*, registry.*. */
export async function publishCollection(
  order: CollectionPublish,
  rooms: CollectionContext,
): Promise<Transferred> {
  const to = parseReference(order.to, rooms.options.registries)
  const { name } = wantedOf(to)
  const images: Descriptor[] = []
  for (const reference of order.images) images.push(await describeImage(reference, rooms, order.signal))
  const documents = order.documents(images)
  const target = await openTarget(to, rooms.options.registries)
  try {
    const bytes = { moved: 0 }
    const manifest = await putDocuments(target, documents, order.signal)
    for (const [i, reference] of order.images.entries()) {
      bytes.moved += (await moveImage(reference, images[i]?.digest, { ...order, rooms, target })).bytes
    }
    const top = await firstTaken(documents.index(manifest), target, name, order.signal)
    await target.finish()
    return { digest: top.digest, mediaType: top.mediaType, bytes: bytes.moved }
  } finally {
    await target.close()
  }
}

async function putDocuments(
  target: Target,
  { blob, manifests }: CollectionDocuments,
  signal: AbortSignal,
): Promise<Descriptor> {
  const descriptor = {
    mediaType: 'application/octet-stream',
    digest: digestOf(blob),
    size: blob.byteLength,
  }
  if (!(await target.has(descriptor, signal)))
    await target.writeBlob(descriptor, { open: () => once(blob) }, signal)
  return await firstTaken(manifests, target, undefined, signal)
}

/** Registries differ in the documents they take: what one refuses may be welcome in an older form. */
async function firstTaken(
  forms: readonly CollectionDocument[],
  target: Target,
  name: string | undefined,
  signal: AbortSignal,
): Promise<Descriptor> {
  for (const [i, { bytes, mediaType }] of forms.entries()) {
    const manifest = parseManifest(bytes, mediaType, target.name)
    try {
      await target.writeManifest(manifest, name, signal)
      return describe(manifest)
    } catch (error) {
      if (toProblem(error).code !== 'registry.refused' || i === forms.length - 1) throw error
    }
  }
  return fail('artifact.kind', 'there is no document to write', { where: { source: target.name } })
}

/** Writes the archive: the files, and the images as a layout beside them. Problems: those of publishing. */
export async function packCollection(order: CollectionPack, rooms: CollectionContext): Promise<string> {
  await makeFolder(dirname(order.to))
  const scratch = await mkdtemp(join(dirname(order.to), '.chandler-'))
  try {
    for (const [path, bytes] of Object.entries(order.files)) {
      await makeFolder(dirname(join(scratch, path)))
      await writeDurably(join(scratch, path), bytes)
    }
    if (order.images.length > 0) {
      const target = await openLayoutTarget(join(scratch, 'artifacts', 'layout'))
      for (const { from, name } of order.images)
        await moveImage(from, undefined, { ...order, rooms, target, name })
    }
    await streamDurably(order.to, packed(scratch, order.compression ?? 'usual'))
    return order.to
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

interface Move extends Watched {
  readonly rooms: CollectionContext
  readonly target: Target
  readonly name?: string
}

async function moveImage(reference: string, digest: string | undefined, move: Move): Promise<Transferred> {
  const { rooms, target, name, signal, progress } = move
  return await withSource(reference, rooms, async (source, wanted) => {
    const named = digest === undefined ? wanted : { digest }
    return await transfer({ source, wanted: named }, { target, name }, { signal, progress })
  })
}

async function withSource<T>(
  reference: string,
  { options, content }: CollectionContext,
  work: (source: Source, wanted: ReturnType<typeof wantedOf>) => Promise<T>,
): Promise<T> {
  const parsed = parseReference(reference, options.registries)
  const source = cachedSource(parsed, content, options)
  try {
    return await work(source, wantedOf(parsed))
  } finally {
    await source.close()
  }
}

const levels: Readonly<Record<Compression, ZlibOptions>> = {
  none: { level: constants.Z_NO_COMPRESSION },
  fastest: { level: constants.Z_BEST_SPEED },
  usual: { level: 6 },
  best: { level: constants.Z_BEST_COMPRESSION },
  huffman: { strategy: constants.Z_HUFFMAN_ONLY },
}

/** The same files are the same bytes, whichever machine packs them. */
function packed(folder: string, compression: Compression): AsyncIterable<Uint8Array> {
  const tar = packFolder(folder, { mtime: 0, prefix: '.', plainModes: true })
  // A failure reaches the reader of the output.
  return pipeline(Readable.from(tar), createGzip(levels[compression]), () => undefined)
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
