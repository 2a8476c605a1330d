/** Manifest, platform's manifest and configuration of an image, brought into the content store. */
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { ImageConfig } from '../model/artifact.ts'
import { fail } from '../model/problem.ts'
import type { ContentStore } from './content/content-store.ts'
import { documentBytesMax } from './limits.ts'
import { emptyConfig, readConfig } from './oci/config.ts'
import { parseObject } from './oci/document.ts'
import {
  type ImageIndex,
  type ImageManifest,
  type Manifest,
  type Platform,
  parseManifest,
} from './oci/manifest.ts'
import { isImageConfigType } from './oci/media-types.ts'
import type { Source, WantedManifest } from './oci/place.ts'
import { choosePlatform, findPlatform } from './oci/platform.ts'

export interface ReadImage {
  /** What the reference names. */
  readonly top: Manifest
  /** The manifest for the platform; absent for an index of other things than images, and for an image of schema 1. */
  readonly manifest?: ImageManifest
  readonly config: ImageConfig
  /** The whole configuration document; absent where there is no manifest of an image. */
  readonly document?: JsonObject
}

export interface Reading {
  /** For messages: the reference. */
  readonly name: string
  /** Opened only when the content store lacks something. */
  readonly source: () => Promise<Source>
  readonly content: ContentStore
  readonly platform: Platform
  readonly signal: AbortSignal
}

/** Reads the documents of an image; no layer is touched. Problems: artifact.not-found, image.*. */
export async function readImage(wanted: WantedManifest, reading: Reading): Promise<ReadImage> {
  const top = await bringManifest(wanted, reading)
  if (top.kind === 'schema-1') return { top, config: readConfig(top.config, reading.name) }
  const manifest = await manifestFor(top, reading)
  if (manifest === undefined || !isImageConfigType(manifest.config.mediaType)) {
    return { top, config: emptyConfig, ...present({ manifest }) }
  }
  const source = reading.name
  const { config } = manifest
  if (config.size > documentBytesMax)
    fail('artifact.too-large', 'a configuration above 4 MiB', { where: { source } })
  await reading.content.fetch(
    config,
    async (from, signal) => (await reading.source()).blob(config, from, signal),
    {
      signal: reading.signal,
      progress: () => undefined,
    },
  )
  const bytes = await reading.content.document(config.digest)
  if (bytes === undefined)
    return fail('artifact.not-found', `the configuration ${config.digest}`, { where: { source } })
  const document = parseObject(bytes, source)
  return { top, manifest, config: readConfig(document, source), document }
}

async function manifestFor(
  top: ImageManifest | ImageIndex,
  reading: Reading,
): Promise<ImageManifest | undefined> {
  if (top.kind === 'manifest') return top
  const child = findPlatform(top, reading.platform)
  // An index whose children carry no platforms is a bundle of other things; one that does is an image for others.
  if (child === undefined && top.manifests.some(({ platform }) => platform !== undefined)) {
    choosePlatform(top, reading.platform, reading.name)
  }
  if (child === undefined) return undefined
  const manifest = await bringManifest({ digest: child.digest }, reading, child.mediaType)
  return manifest.kind === 'manifest' ? manifest : undefined
}

/** A manifest from the content store if its digest is known and there, else from the source. */
async function bringManifest(wanted: WantedManifest, reading: Reading, said?: string): Promise<Manifest> {
  const { content, signal } = reading
  if (wanted.digest !== undefined) {
    const bytes = await content.document(wanted.digest)
    if (bytes !== undefined) return parseManifest(bytes, said, wanted.digest)
  }
  const source = await reading.source()
  const manifest = await source.manifest(wanted, signal)
  if (manifest === undefined) {
    return fail('artifact.not-found', wanted.digest ?? wanted.name, { where: { source: source.name } })
  }
  await content.keep(manifest.bytes)
  return manifest
}
