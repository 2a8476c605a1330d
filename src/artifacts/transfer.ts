/** Copies an image or any other artifact from one place to another: exact bytes, parts before wholes, each once. */

import { inParallel } from '../kit/in-parallel.ts'
import { present } from '../kit/present.ts'
import { fail } from '../model/problem.ts'
import { blobBytes } from './content/blob-bytes.ts'
import { checked } from './oci/checked.ts'
import {
  childrenOf,
  type Descriptor,
  type ImageIndex,
  type ImageManifest,
  type Platform,
} from './oci/manifest.ts'
import { isForeignLayer, isIndexType, isManifestType } from './oci/media-types.ts'
import type { BlobContent, Source, Target, WantedManifest } from './oci/place.ts'
import { choosePlatform } from './oci/platform.ts'

export interface TransferOptions {
  /** Only the image for this platform; absent: all there is. */
  readonly platform?: Platform
  /** Also what names the artifact as its subject: signatures, bills of materials. */
  readonly referrers?: boolean
  readonly signal: AbortSignal
  progress(text: string): void
}

export interface Transferred {
  readonly digest: string
  readonly mediaType: string
  /** Bytes that had to be moved. */
  readonly bytes: number
}

const blobsAtOnce = 4
const depthMax = 8

/** Copies what `wanted` names and gives it the name. Problems: artifact.*, image.*, registry.*. */
export async function transfer(
  from: { readonly source: Source; readonly wanted: WantedManifest },
  to: { readonly target: Target; readonly name: string | undefined },
  options: TransferOptions,
): Promise<Transferred> {
  const named = await getManifest(from.source, from.wanted, options.signal)
  const top = await forPlatform(named, from.source, options)
  const trip: Trip = { source: from.source, target: to.target, options, done: new Map(), bytes: { moved: 0 } }
  await copyParts(top, trip, 0)
  await to.target.writeManifest(top, to.name, options.signal)
  if (options.referrers) await copyReferrers(top.digest, trip, 0)
  await to.target.finish()
  return { digest: top.digest, mediaType: top.mediaType, bytes: trip.bytes.moved }
}

/** What tells all of its parts. */
type Copied = ImageManifest | ImageIndex

interface Trip {
  readonly source: Source
  readonly target: Target
  readonly options: TransferOptions
  /** What is on its way or there already. */
  readonly done: Map<string, Promise<void>>
  readonly bytes: { moved: number }
}

async function forPlatform(
  manifest: Copied,
  source: Source,
  { platform, signal }: TransferOptions,
): Promise<Copied> {
  if (platform === undefined || manifest.kind === 'manifest') return manifest
  const { digest } = choosePlatform(manifest, platform, source.name)
  return await getManifest(source, { digest }, signal)
}

async function copyParts(manifest: Copied, trip: Trip, depth: number): Promise<void> {
  if (depth > depthMax) fail('image.manifest-invalid', `indexes nested more than ${depthMax} deep`)
  await inParallel(childrenOf(manifest), manifest.kind === 'index' ? 1 : blobsAtOnce, (part) =>
    onlyOnce(part, trip, () => copyPart(part, trip, { depth, of: manifest })),
  )
}

function onlyOnce({ digest }: Descriptor, { done }: Trip, work: () => Promise<void>): Promise<void> {
  const known = done.get(digest)
  if (known !== undefined) return known
  const copying = work()
  done.set(digest, copying)
  return copying
}

async function copyPart(
  part: Descriptor,
  trip: Trip,
  { depth, of }: { readonly depth: number; readonly of: Copied },
): Promise<void> {
  const { signal } = trip.options
  if (of.kind === 'index' && (isManifestType(part.mediaType) || isIndexType(part.mediaType))) {
    if (await trip.target.has(part, signal)) return
    const child = await getManifest(trip.source, { digest: part.digest }, signal)
    await copyParts(child, trip, depth + 1)
    await trip.target.writeManifest(child, undefined, signal)
    return
  }
  // Its bytes are elsewhere, for clients that may have them.
  if (isForeignLayer(part.mediaType) && (part.urls?.length ?? 0) > 0) return
  if (await trip.target.has(part, signal)) return
  await copyBlob(part, trip)
}

async function copyBlob(part: Descriptor, { source, target, options, bytes }: Trip): Promise<void> {
  const { signal } = options
  options.progress(`copying ${part.digest.slice(0, 19)} (${(part.size / 1e6).toFixed(1)} MB)`)
  const content: BlobContent = {
    open: () => checked(part, blobBytes(source, part, signal)),
    file: async () => await source.file?.(part),
    ...present({ mountFrom: source.repository }),
  }
  await target.writeBlob(part, content, signal)
  bytes.moved += part.size
}

async function copyReferrers(digest: string, trip: Trip, depth: number): Promise<void> {
  if (depth > depthMax) return
  for (const entry of await trip.source.referrers(digest, trip.options.signal)) {
    if (trip.done.has(entry.digest)) continue
    const manifest = await getManifest(trip.source, { digest: entry.digest }, trip.options.signal)
    trip.done.set(entry.digest, Promise.resolve())
    await copyParts(manifest, trip, 0)
    await trip.target.writeManifest(manifest, undefined, trip.options.signal)
    // A signature may itself be signed.
    await copyReferrers(entry.digest, trip, depth + 1)
  }
}

async function getManifest(source: Source, wanted: WantedManifest, signal: AbortSignal): Promise<Copied> {
  const manifest = await source.manifest(wanted, signal)
  if (manifest?.kind === 'schema-1')
    return fail('image.manifest-unsupported', 'Docker schema 1', {
      where: { source: source.name },
      hint: 'Copy it with "chandler package copy" first: that makes an image of today of it.',
    })
  if (manifest !== undefined) return manifest
  return fail('artifact.not-found', wanted.digest ?? wanted.name, { where: { source: source.name } })
}
