/** What authors do with images, from reference to reference: build one of a folder, copy one from place to place. */
import { relative } from 'node:path'
import { present } from '../kit/present.ts'
import { fail } from '../model/problem.ts'
import { collect } from './archive/collect.ts'
import { type BaseImage, type BuildSettings, type BuiltImage, buildImage } from './build.ts'
import { blobBytes } from './content/blob-bytes.ts'
import type { ContentStore } from './content/content-store.ts'
import { documentBytesMax } from './limits.ts'
import { checked } from './oci/checked.ts'
import { parseObject } from './oci/document.ts'
import { isImageConfigType } from './oci/media-types.ts'
import type { Source } from './oci/place.ts'
import { choosePlatform, ownPlatform, parsePlatform } from './oci/platform.ts'
import { parseReference, type Reference, wantedOf } from './reference.ts'
import { renewingOnce, renewingSource } from './renewal.ts'
import type { SourceOptions } from './sources.ts'
import { openTarget } from './targets.ts'
import { type Transferred, transfer } from './transfer.ts'

export interface PackageCopy {
  readonly from: string
  readonly to: string
  /** `os/architecture[/variant]`; absent: all there are. */
  readonly platform?: string
  readonly referrers?: boolean
  readonly signal: AbortSignal
  progress(text: string): void
}

interface PackageOptions extends SourceOptions {
  /** Where there is one, what it has is not asked for, and images of schema 1 that were made anew stay there. */
  readonly content?: ContentStore
}

async function sourceOf(from: Reference, options: PackageOptions): Promise<Source> {
  const { content } = options
  return content === undefined ? await renewingOnce(from, options) : renewingSource(from, content, options)
}

/** Copies an image, or any artifact, with its exact bytes. Problems: reference.invalid, artifact.*, image.*, registry.*. */
export async function copyPackage(copy: PackageCopy, options: PackageOptions): Promise<Transferred> {
  const from = parseReference(copy.from, options.registries)
  const to = parseReference(copy.to, options.registries)
  // That format holds one platform only.
  const platform = copy.platform ?? (to.kind === 'docker-archive' ? 'own' : undefined)
  const source = await sourceOf(from, options)
  try {
    const target = await openTarget(to, options.registries)
    try {
      return await transfer(
        { source, wanted: wantedOf(from) },
        { target, name: nameOf(to) },
        {
          signal: copy.signal,
          progress: copy.progress,
          ...present({ referrers: copy.referrers }),
          ...(platform === undefined
            ? {}
            : { platform: platform === 'own' ? ownPlatform() : parsePlatform(platform) }),
        },
      )
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

export interface PackageBuild {
  /** The folder that becomes the file system, or what lies on top of the base. */
  readonly root: string
  readonly to: string
  readonly base?: string
  readonly settings: BuildSettings
  /** Seconds since 1970 for all files; 0 makes the same image of the same folder. */
  readonly time?: number
  readonly exclude?: readonly string[]
}

/** Builds an image of a folder. Problems: reference.invalid, artifact.*, archive.special-file, file.unreadable. */
export async function buildPackage(order: PackageBuild, options: PackageOptions): Promise<BuiltImage> {
  const to = parseReference(order.to, options.registries)
  const { root, settings, time } = order
  const excluded = new Set([...(order.exclude ?? []), ...ownPlace(root, to)])
  const build = {
    root,
    settings,
    leaveOut: (path: string) => excluded.has(path),
    ...present({ time }),
  }
  const target = await openTarget(to, options.registries)
  try {
    if (order.base === undefined) return await buildImage(build, target, nameOf(to))
    const from = parseReference(order.base, options.registries)
    const source = await sourceOf(from, options)
    try {
      const base = await readBase(source, from, settings)
      return await buildImage({ ...build, base }, target, nameOf(to))
    } finally {
      await source.close()
    }
  } finally {
    await target.close()
  }
}

/** An image written into the folder it is made of would be part of the next one. */
function ownPlace(root: string, to: Reference): readonly string[] {
  if (to.kind === 'registry' || to.kind === 'url' || to.kind === 'component') return []
  const path = relative(root, to.path)
  return path === '' || path.startsWith('..') ? [] : [path]
}

async function readBase(source: Source, from: Reference, { platform }: BuildSettings): Promise<BaseImage> {
  const { signal } = new AbortController()
  const where = { source: source.name }
  let manifest = await source.manifest(wantedOf(from), signal)
  if (manifest?.kind === 'index') {
    const { digest } = choosePlatform(manifest, platform ?? ownPlatform(), source.name)
    manifest = await source.manifest({ digest }, signal)
  }
  if (manifest === undefined) return fail('artifact.not-found', undefined, { where })
  if (manifest.kind === 'schema-1') return fail('image.manifest-unsupported', 'Docker schema 1', { where })
  if (manifest.kind === 'index' || !isImageConfigType(manifest.config.mediaType)) {
    return fail('artifact.kind', 'the base is no image', { where })
  }
  const { config, layers } = manifest
  const bytes = await collect(checked(config, (await source.blob(config, 0, signal)).bytes), documentBytesMax)
  return {
    document: parseObject(bytes, source.name),
    layers,
    open: (layer) => checked(layer, blobBytes(source, layer, signal)),
  }
}

function nameOf(reference: Reference): string | undefined {
  return wantedOf(reference).name
}
