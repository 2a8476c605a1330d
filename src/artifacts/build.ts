/** Builds an OCI image from a folder and a few settings, without any daemon. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { isObject, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { type PackOptions, packFolder } from './archive/pack-folder.ts'
import { digestOf } from './digest.ts'
import { diffIdsOf } from './oci/config.ts'
import { type Descriptor, parseManifest } from './oci/manifest.ts'
import { ociConfig, ociLayer, ociManifest } from './oci/media-types.ts'
import type { Target } from './oci/place.ts'
import { ownPlatform } from './oci/platform.ts'

export interface BuildOrder {
  /** What the image's file system holds on top of the base. */
  readonly root: string
  readonly settings: BuildSettings
  /** Configuration and layers of the image to build upon. */
  readonly base?: BaseImage
  /** Seconds since 1970 for files and image, so that the same folder is the same image; 0 unless said. */
  readonly time?: number
  /** Paths to leave out. */
  leaveOut?(path: string): boolean
}

export interface BuildSettings {
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  /** `NAME=value`, on top of the base's. */
  readonly environment?: readonly string[]
  readonly user?: string
  readonly workingFolder?: string
  readonly volumes?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** `os/architecture`; absent: the base's, or this machine's. */
  readonly platform?: { readonly os: string; readonly architecture: string }
}

export interface BaseImage {
  readonly document: JsonObject
  readonly layers: readonly Descriptor[]
  /** The bytes of one of its layers. */
  open(layer: Descriptor): AsyncIterable<Uint8Array>
}

export interface BuiltImage {
  readonly digest: string
  readonly bytes: number
}

/** Builds and writes the image; answers its digest. Problems: archive.special-file, file.unreadable, those of the target. */
export async function buildImage(
  order: BuildOrder,
  target: Target,
  name: string | undefined,
): Promise<BuiltImage> {
  const scratch = await mkdtemp(join(tmpdir(), 'chandler-build-'))
  const signal = new AbortController().signal
  try {
    const file = join(scratch, 'layer.tar.gz')
    const packed = await packLayer(order, file)
    for (const layer of order.base?.layers ?? []) {
      if (await target.has(layer, signal)) continue
      await target.writeBlob(layer, { open: () => order.base?.open(layer) ?? createReadStream(file) }, signal)
    }
    if (!(await target.has(packed.layer, signal))) {
      await target.writeBlob(packed.layer, { open: () => createReadStream(file) }, signal)
    }
    const config = Buffer.from(JSON.stringify(configOf(order, packed.diffId)))
    const configDescriptor = { mediaType: ociConfig, digest: digestOf(config), size: config.length }
    await target.writeBlob(configDescriptor, { open: () => once(config) }, signal)
    const layers = [...(order.base?.layers ?? []), packed.layer].map(({ mediaType, digest, size }) => ({
      mediaType,
      digest,
      size,
    }))
    const { annotations } = order.settings
    const bytes = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: ociManifest,
        config: configDescriptor,
        layers,
        ...present({ annotations }),
      }),
    )
    const manifest = parseManifest(bytes, ociManifest, 'the built manifest')
    await target.writeManifest(manifest, name, signal)
    await target.finish()
    return { digest: manifest.digest, bytes: layers.reduce((sum, { size }) => sum + size, config.length) }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function packLayer(
  { root, time = 0, leaveOut }: BuildOrder,
  file: string,
): Promise<{ readonly layer: Descriptor; readonly diffId: string }> {
  const inner = createHash('sha256')
  const outer = createHash('sha256')
  let size = 0
  const options: PackOptions = { mtime: time, ...present({ leaveOut }) }
  await pipeline(
    packFolder(root, options),
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        inner.update(chunk)
        yield chunk
      }
    },
    createGzip({ level: 6 }),
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        outer.update(chunk)
        size += chunk.byteLength
        yield chunk
      }
    },
    createWriteStream(file),
  )
  const digest = `sha256:${outer.digest('hex')}`
  return {
    layer: { mediaType: `${ociLayer}+gzip`, digest, size },
    diffId: `sha256:${inner.digest('hex')}`,
  }
}

/** The base's configuration with ours over it, as image builders do: a new entrypoint drops the old command. */
function configOf({ settings, base, time = 0 }: BuildOrder, diffId: string): object {
  const document = base?.document ?? {}
  const old = isObject(document['config']) ? (document['config'] as Record<string, unknown>) : {}
  const { entrypoint, command, environment, user, workingFolder, volumes, labels, platform } = settings
  const { Cmd, ...rest } = old
  const kept = entrypoint === undefined && Cmd !== undefined ? { ...rest, Cmd } : rest
  const config = {
    ...kept,
    ...present({ Entrypoint: entrypoint, Cmd: command }),
    ...(environment === undefined ? {} : { Env: mergeEnvironment(old['Env'], environment) }),
    ...present({ User: user, WorkingDir: workingFolder }),
    ...(volumes === undefined ? {} : { Volumes: Object.fromEntries(volumes.map((path) => [path, {}])) }),
    ...(labels === undefined
      ? {}
      : { Labels: { ...(isObject(old['Labels']) ? old['Labels'] : {}), ...labels } }),
  }
  const created = new Date(time * 1000).toISOString()
  const history = Array.isArray(document['history']) ? document['history'] : []
  const below = base === undefined ? [] : diffIdsOf(document, base.layers.length, 'the base image')
  return {
    created,
    os: platform?.os ?? document['os'] ?? 'linux',
    architecture: platform?.architecture ?? document['architecture'] ?? ownPlatform().architecture,
    config,
    rootfs: { type: 'layers', diff_ids: [...below, diffId] },
    history: [...history, { created, created_by: 'chandler package build' }],
  }
}

function mergeEnvironment(old: unknown, added: readonly string[]): readonly string[] {
  const names = new Set(added.map((line) => line.split('=')[0]))
  const kept = Array.isArray(old) ? old.filter((line) => !names.has(String(line).split('=')[0])) : []
  return [...kept, ...added]
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
