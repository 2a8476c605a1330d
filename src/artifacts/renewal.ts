/**
 * Images of Docker's schema 1 made anew as schema 2, so that they can be run and copied. Nothing tells what their layers unpack
 * to, so all of them are brought and unpacked once for it; what was made is remembered.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inParallel } from '../kit/in-parallel.ts'
import type { JsonObject } from '../kit/json.ts'
import { fail, toProblem } from '../model/problem.ts'
import { compressionByMagic, decompressed } from './archive/decompress.ts'
import { cachedSource } from './cached-source.ts'
import { type ContentStore, openContentStore } from './content/content-store.ts'
import { findRenewal, keepRenewal } from './content/renewals.ts'
import { digestOf } from './digest.ts'
import { usualLayerLimits } from './limits.ts'
import { type Descriptor, parseManifest, type SchemaOneManifest } from './oci/manifest.ts'
import { ociConfig, ociLayer, ociManifest } from './oci/media-types.ts'
import type { Source } from './oci/place.ts'
import type { Reference } from './reference.ts'
import { openSource, type SourceOptions } from './sources.ts'

export interface Renewing {
  readonly content: ContentStore
  readonly source: () => Promise<Source>
  readonly signal: AbortSignal
  progress(text: string): void
}

interface Layer {
  readonly descriptor: Descriptor
  /** The digest of what it unpacks to. */
  readonly diffId: string
}

const layersAtOnce = 4

/** The digest of the manifest in its place, which the content store has then. Problems: artifact.*, archive.*, image.*, registry.*. */
export async function renewed(old: SchemaOneManifest, renewing: Renewing): Promise<string> {
  const { content } = renewing
  const before = await findRenewal(content.folder, old.digest)
  if (before !== undefined && (await isWhole(before, content))) return before
  if (old.layers.length === 0) {
    const where = { source: (await renewing.source()).name }
    return fail('image.manifest-invalid', 'it has no layers', { where })
  }
  const distinct = [...new Set(old.layers)]
  const brought = await inParallel(distinct, layersAtOnce, (digest) => layerOf(digest, renewing))
  const layers = old.layers.map((digest) => brought[distinct.indexOf(digest)] as Layer)
  const config = Buffer.from(JSON.stringify(configOf(old, layers)))
  await content.keep(config)
  const made = await content.keep(Buffer.from(JSON.stringify(manifestOf(config, layers))))
  await keepRenewal(content.folder, old.digest, made)
  return made
}

/** Its layers can be brought again, but no registry has the configuration that was made here. */
async function isWhole(digest: string, content: ContentStore): Promise<boolean> {
  const bytes = (await content.has(digest)) ? await content.document(digest) : undefined
  const manifest = bytes && parseManifest(bytes, ociManifest, digest)
  return manifest?.kind === 'manifest' && (await content.has(manifest.config.digest))
}

async function layerOf(digest: string, renewing: Renewing): Promise<Layer> {
  const { content } = renewing
  const path = await blobOf(digest, renewing)
  const { size } = await stat(path)
  const compression = compressionByMagic(await headOf(path))
  const hash = createHash('sha256')
  try {
    for await (const piece of decompressed(path, compression, usualLayerLimits)) hash.update(piece)
  } catch (error) {
    // What lay here for long may have been damaged on the disk; the next attempt brings it anew.
    if (toProblem(error).code === 'archive.invalid') await content.drop(digest)
    throw error
  }
  const mediaType = compression === 'none' ? ociLayer : `${ociLayer}+${compression}`
  return { descriptor: { mediaType, digest, size }, diffId: `sha256:${hash.digest('hex')}` }
}

async function blobOf(digest: string, { content, source, signal, progress }: Renewing): Promise<string> {
  if (await content.has(digest)) return content.pathOf(digest)
  const from = await source()
  const size = await from.sizeOf?.(digest, signal)
  if (size === undefined)
    return fail('image.manifest-unsupported', 'nothing tells how large its layers are', {
      where: { source: from.name },
    })
  const wanted = { mediaType: ociLayer, digest, size }
  progress(`pulling ${digest.slice(0, 19)}`)
  const watch = { signal, progress: () => undefined }
  return await content.fetch(wanted, (at, inner) => from.blob(wanted, at, inner), watch)
}

async function headOf(path: string): Promise<Uint8Array> {
  const handle = await open(path)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0).finally(() => handle.close())
  return buffer.subarray(0, bytesRead)
}

function configOf({ config }: SchemaOneManifest, layers: readonly Layer[]): JsonObject {
  // A history that some tools wrote tells of layers that are not among these.
  const { history: _history, ...rest } = config
  return { ...rest, rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) } }
}

function manifestOf(config: Uint8Array, layers: readonly Layer[]): object {
  return {
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: ociConfig, digest: digestOf(config), size: config.byteLength },
    layers: layers.map(({ descriptor }) => descriptor),
  }
}

/** A source behind the content store in which images of schema 1 are found as they are made anew. */
export function renewingSource(reference: Reference, content: ContentStore, options: SourceOptions): Source {
  const source = cachedSource(reference, content, options)
  return {
    ...source,
    manifest: async (wanted, signal) => {
      const manifest = await source.manifest(wanted, signal)
      if (manifest?.kind !== 'schema-1') return manifest
      const made = { content, source: () => Promise.resolve(source), signal, progress: () => undefined }
      return await source.manifest({ digest: await renewed(manifest, made) }, signal)
    },
  }
}

/** The same where no content store is: what is made anew lies in a folder of its own until the source is closed. */
export async function renewingOnce(reference: Reference, options: SourceOptions): Promise<Source> {
  const source = await openSource(reference, options)
  let making: Promise<{ readonly folder: string; readonly made: Source }> | undefined
  const make = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chandler-renewed-'))
    return { folder, made: renewingSource(reference, await openContentStore(folder), options) }
  }
  const madeOf = async () => (await making)?.made
  return {
    ...source,
    manifest: async (wanted, signal) => {
      const manifest = await source.manifest(wanted, signal)
      if (manifest?.kind !== 'schema-1') return manifest
      making ??= make()
      return await (await making).made.manifest(wanted, signal)
    },
    blob: async (wanted, from, signal) => await ((await madeOf()) ?? source).blob(wanted, from, signal),
    file: async (wanted) => ((await madeOf()) === undefined ? await source.file?.(wanted) : undefined),
    close: async () => {
      const was = await making
      await was?.made.close()
      await source.close()
      if (was !== undefined) await rm(was.folder, { recursive: true, force: true })
    },
  }
}
