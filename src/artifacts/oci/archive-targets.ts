/** Archives written: gathered as a layout in a scratch folder, packed at the end, renamed when whole. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { decompressed } from '../archive/decompress.ts'
import { packFolder } from '../archive/pack-folder.ts'
import type { TarEntry } from '../archive/tar-header.ts'
import { tarEnd, tarHeader, tarPadding } from '../archive/tar-writer.ts'
import { makeFolder, readBounded, streamDurably } from '../content/durable.ts'
import { splitDigest } from '../digest.ts'
import { documentBytesMax, usualLayerLimits } from '../limits.ts'
import { diffIdsOf } from './config.ts'
import { parseObject } from './document.ts'
import { openLayoutTarget } from './layout-writer.ts'
import type { Descriptor, ImageManifest, Manifest } from './manifest.ts'
import { compressionOf } from './media-types.ts'
import type { Target } from './place.ts'

/** Opens an `oci-archive:` file for writing; what was in it is replaced. */
export function openLayoutArchiveTarget(path: string): Promise<Target> {
  return gathered(path, async (folder) => packFolder(folder, { mtime: 0 }))
}

/** Opens a `docker-archive:` file for writing: one image, its layers unpacked, as `docker load` likes it. */
export function openDockerArchiveTarget(path: string): Promise<Target> {
  return gathered(path, async (folder, top, name) => {
    if (top?.kind !== 'manifest') {
      return fail('artifact.kind', 'docker-archive holds the image of one platform: name it', {
        where: { source: path },
      })
    }
    return packDocker(folder, top, name)
  })
}

type Pack = (
  folder: string,
  top: Manifest | undefined,
  name: string | undefined,
) => Promise<AsyncIterable<Uint8Array>>

async function gathered(path: string, pack: Pack): Promise<Target> {
  await makeFolder(dirname(path))
  const scratch = await mkdtemp(join(dirname(path), '.chandler-'))
  const layout = await openLayoutTarget(scratch)
  let top: { readonly manifest: Manifest; readonly name: string | undefined } | undefined
  const clear = (): Promise<void> => rm(scratch, { recursive: true, force: true })
  return {
    ...layout,
    name: path,
    writeManifest: async (manifest, name, signal) => {
      // What is written after it are referrers.
      if (name !== undefined || top?.name === undefined) top = { manifest, name }
      await layout.writeManifest(manifest, name, signal)
    },
    finish: async () => {
      try {
        await layout.finish()
        await streamDurably(path, await pack(scratch, top?.manifest, top?.name))
      } finally {
        await clear()
      }
    },
    close: clear,
  }
}

async function* packDocker(
  folder: string,
  image: ImageManifest,
  name: string | undefined,
): AsyncIterable<Uint8Array> {
  const at = ({ digest }: Descriptor): string => join(folder, 'blobs', ...Object.values(splitDigest(digest)))
  const config = (await readBounded(at(image.config), documentBytesMax)) ?? new Uint8Array()
  const diffIds = diffIdsOf(parseObject(config, folder), image.layers.length, folder)
  const configName = `${splitDigest(image.config.digest).hex}.json`
  const layerName = (i: number): string => `${splitDigest(diffIds[i] ?? '').hex}.tar`
  yield* fileInTar(configName, config)
  const seen = new Set<string>()
  for (const [i, layer] of image.layers.entries()) {
    if (seen.has(layerName(i))) continue
    seen.add(layerName(i))
    yield* layerInTar(layerName(i), at(layer), layer)
  }
  const tags = name === undefined ? null : [/[:/]/.test(name) ? name : `localhost/image:${name}`]
  const list = [{ Config: configName, RepoTags: tags, Layers: image.layers.map((_, i) => layerName(i)) }]
  yield* fileInTar('manifest.json', Buffer.from(JSON.stringify(list)))
  yield tarEnd()
}

async function* layerInTar(path: string, blob: string, { mediaType }: Descriptor): AsyncIterable<Uint8Array> {
  const compression = compressionOf(mediaType)
  if (compression === undefined) return fail('image.layer-unsupported', mediaType)
  // The header says the size before the bytes come, so what is compressed is unpacked twice.
  let bytes = 0
  if (compression === 'none') bytes = (await stat(blob)).size
  else for await (const piece of decompressed(blob, compression, usualLayerLimits)) bytes += piece.byteLength
  yield tarHeader(plainFile(path, bytes))
  yield* decompressed(blob, compression, usualLayerLimits)
  yield tarPadding(bytes)
}

async function* fileInTar(path: string, bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield tarHeader(plainFile(path, bytes.byteLength))
  yield bytes
  yield tarPadding(bytes.byteLength)
}

function plainFile(path: string, bytes: number): TarEntry {
  return { kind: 'file', path, target: '', bytes, mode: 0o644, uid: 0, gid: 0, mtime: 0 }
}
