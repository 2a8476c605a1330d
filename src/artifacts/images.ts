/** The image store: from a reference to manifest and configuration, and to unpacked layers that can be stacked. */
import { stat } from 'node:fs/promises'
import { inParallel } from '../kit/in-parallel.ts'
import type { ImageArtifact } from '../model/artifact.ts'
import { fail, toProblem } from '../model/problem.ts'
import type { ArtifactContext } from './context.ts'
import { makeImageArtifact } from './image-artifact.ts'
import { type ReadImage, type Reading, readImage } from './image-reading.ts'
import type { ImageStore, UnpackedImage, WantedImage } from './image-store.ts'
import { flushed } from './layers/folder-cell.ts'
import type { UnpackedLayer } from './layers/layer-look.ts'
import type { Stacking } from './layers/layer-store.ts'
import { diffIdsOf } from './oci/config.ts'
import type { Descriptor } from './oci/manifest.ts'
import { compressionOf } from './oci/media-types.ts'
import type { Source } from './oci/place.ts'
import { ownPlatform, parsePlatform } from './oci/platform.ts'
import { parseReference, type Reference, wantedOf } from './reference.ts'
import { renewed } from './renewal.ts'
import { openSource, type SourceOptions } from './sources.ts'

export interface OpenImageStore extends ImageStore {
  /** How the layers of unpack() are meant: stacked by overlay, or one flat folder. */
  stacking(): Promise<Stacking>
  /** Waits until all that was unpacked has reached the disk. */
  close(): Promise<void>
}

const downloadsMax = 4
/** How long an unpacked image is taken for granted; asking anew also tells the sweep that it is in use. */
const trustedMs = 60_000

/** The image store in rooms that others use, too. */
export function imagesIn(rooms: () => Promise<ArtifactContext>): OpenImageStore {
  const known = new Map<string, { readonly image: UnpackedImage; readonly until: number }>()
  return {
    open: async (reference, signal) => await openImage(reference, await rooms(), signal),
    unpack: async (wanted) => {
      const key = `${wanted.digest} ${wanted.platform ?? ''}`
      const { clock } = await rooms()
      const cached = known.get(key)
      if (cached !== undefined && clock.monotonic() < cached.until && (await allThere(cached.image.layers))) {
        return cached.image
      }
      const image = await unpackImage(wanted, await rooms())
      known.set(key, { image, until: clock.monotonic() + trustedMs })
      return image
    },
    stacking: async () => (await rooms()).layers.stacking,
    close: flushed,
  }
}

async function openImage(
  text: string,
  { content, options }: ArtifactContext,
  signal = new AbortController().signal,
): Promise<ImageArtifact> {
  const reference = parseReference(text, options.registries)
  const { source, close } = lazySource(reference, options)
  try {
    // By digest it may be here already, wherever it came from and whether that can be reached or not.
    const image = await readImage(wantedOf(reference), {
      name: text,
      source,
      content,
      signal,
      platform: ownPlatform(),
    })
    return makeImageArtifact(text, image, { content, signal, reopen: () => openSource(reference, options) })
  } finally {
    await close()
  }
}

interface LazySource {
  readonly source: () => Promise<Source>
  readonly close: () => Promise<void>
}

/** A source that is opened only when it is needed. */
function lazySource(reference: Reference, options: SourceOptions): LazySource {
  let opened: Promise<Source> | undefined
  return {
    source: () => {
      opened ??= openSource(reference, options)
      return opened
    },
    close: async () => {
      const source = await opened?.catch(() => undefined)
      await source?.close()
    },
  }
}

async function unpackImage(wanted: WantedImage, rooms: ArtifactContext): Promise<UnpackedImage> {
  const reference = parseReference(wanted.reference, rooms.options.registries)
  const { content, layers, options } = rooms
  const { source: lazily, close } = lazySource(reference, options)
  const platform = wanted.platform === undefined ? ownPlatform() : parsePlatform(wanted.platform)
  const { signal } = wanted
  try {
    const image = await readRunnable(wanted, {
      name: wanted.reference,
      source: lazily,
      content,
      signal,
      platform,
    })
    const { manifest, config, document } = runnable(image, wanted.reference)
    const diffIds = diffIdsOf(document, manifest.layers.length, wanted.reference)
    const bring = (layer: Descriptor, i: number): Promise<UnpackedLayer> =>
      bringLayer({ ...rooms, layer, diffId: diffIds[i] ?? '', wanted, lazily })
    const unpacked = await inParallel(manifest.layers, downloadsMax, bring)
    return { digest: wanted.digest, config, layers: await layers.stack(diffIds, unpacked) }
  } finally {
    await close()
  }
}

/** An image of schema 1 is made anew for it. */
async function readRunnable({ digest, progress }: WantedImage, reading: Reading): Promise<ReadImage> {
  const image = await readImage({ digest }, reading)
  if (image.top.kind !== 'schema-1') return image
  return await readImage({ digest: await renewed(image.top, { ...reading, progress }) }, reading)
}

function runnable(
  image: ReadImage,
  source: string,
): Required<Pick<ReadImage, 'manifest' | 'config' | 'document'>> {
  const { manifest, config, document } = image
  if (manifest === undefined || document === undefined)
    return fail('image.not-runnable', undefined, { where: { source } })
  return { manifest, config, document }
}

interface LayerWish extends ArtifactContext {
  readonly layer: Descriptor
  readonly diffId: string
  readonly wanted: WantedImage
  readonly lazily: () => Promise<Source>
}

async function bringLayer(wish: LayerWish): Promise<UnpackedLayer> {
  const { layer, diffId, wanted, content, layers } = wish
  const compression = compressionOf(layer.mediaType)
  if (compression === undefined)
    fail('image.layer-unsupported', layer.mediaType, { where: { source: wanted.reference } })
  const there = await layers.find(diffId)
  if (there !== undefined) return there
  const had = await content.has(layer.digest)
  const blob = await fetchLayer(wish)
  const packed = { blob, compression, diffId }
  try {
    return await layers.unpack(packed, wanted.signal)
  } catch (error) {
    const { code } = toProblem(error)
    // A blob that lay here for long may have been damaged on the disk; a fresh one tells.
    if (!had || (code !== 'artifact.altered' && code !== 'archive.invalid')) throw error
    await content.drop(layer.digest)
    await fetchLayer(wish)
    return await layers.unpack(packed, wanted.signal)
  }
}

async function fetchLayer({ layer, wanted, lazily, content }: LayerWish): Promise<string> {
  const short = layer.digest.slice(0, 19)
  let bytes = 0
  let shown = 0
  const { signal } = wanted
  return await content.fetch(
    layer,
    async (from, inner) => {
      wanted.progress(`pulling ${short} (${megabytes(layer.size)})`)
      return await (await lazily()).blob(layer, from, inner)
    },
    {
      signal,
      progress: (more) => {
        bytes += more
        if (bytes - shown < layer.size / 4 || layer.size < 16 * 1024 * 1024) return
        shown = bytes
        wanted.progress(`pulling ${short}: ${megabytes(bytes)} of ${megabytes(layer.size)}`)
      },
    },
  )
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

async function allThere(folders: readonly string[]): Promise<boolean> {
  const found = await Promise.all(folders.map((folder) => stat(folder).catch(() => undefined)))
  return found.every((status) => status?.isDirectory())
}
