/** What `docker save` writes: layers and a configuration in a tar, made into a manifest that always comes out the same. */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { shorten } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import { compressionByMagic } from '../archive/decompress.ts'
import { type ArchiveReader, findMember } from '../archive/member.ts'
import { openTarFile, type TarMember } from '../archive/tar-file.ts'
import { digestOf } from '../digest.ts'
import { documentBytesMax, usualLayerLimits } from '../limits.ts'
import { diffIdsOf } from './config.ts'
import { parseObject } from './document.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { ociConfig, ociLayer, ociManifest } from './media-types.ts'
import type { Source } from './place.ts'

interface SavedImage {
  readonly config: string
  readonly tags: readonly string[]
  readonly layers: readonly string[]
}

interface Archive {
  readonly path: string
  readonly tar: ArchiveReader<TarMember>
  readonly members: ReadonlyMap<string, TarMember>
}

/** Opens a `docker-archive:` file, compressed or not. Problems: artifact.not-found, archive.*, image.layout-invalid. */
export async function openDockerArchive(path: string, scratchFolder: string): Promise<Source> {
  const tar = await openTarFile(path, scratchFolder, usualLayerLimits)
  try {
    const archive = { path, tar, members: new Map(tar.members.map((member) => [member.path, member])) }
    return await sourceOf(archive, await readSaved(archive))
  } catch (error) {
    await tar.close()
    throw error
  }
}

async function sourceOf(archive: Archive, images: readonly SavedImage[]): Promise<Source> {
  const blobs = new Map<string, TarMember>()
  const known = new Map<SavedImage, Promise<Manifest>>()
  const manifestOf = (image: SavedImage): Promise<Manifest> => {
    const made = known.get(image) ?? makeManifest(archive, image, blobs)
    known.set(image, made)
    return made
  }
  return {
    name: archive.path,
    manifest: async (wanted) => {
      if (wanted.digest === undefined) {
        const image = choose(images, wanted.name, archive.path)
        return image === undefined ? undefined : await manifestOf(image)
      }
      for (const image of images) {
        const manifest = await manifestOf(image)
        if (manifest.digest === wanted.digest) return manifest
      }
      return undefined
    },
    blob: async ({ digest }, from) => {
      // Which digest a member has comes out when the manifests are made.
      if (!blobs.has(digest)) for (const image of images) await manifestOf(image)
      const member = blobs.get(digest)
      if (member === undefined) {
        return fail('artifact.not-found', `the blob ${digest}`, { where: { source: archive.path } })
      }
      return { from, bytes: archive.tar.open(member, from) }
    },
    referrers: async () => [],
    close: () => archive.tar.close(),
  }
}

async function readSaved(archive: Archive): Promise<readonly SavedImage[]> {
  const bytes = await readMember(archive, 'manifest.json')
  let list: unknown
  try {
    list = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    return fail('image.layout-invalid', 'manifest.json is not JSON', {
      where: { source: archive.path },
      cause,
    })
  }
  if (!Array.isArray(list) || list.length === 0) return invalid(archive, 'manifest.json lists no image')
  return list.map((item) => {
    const { Config: config, RepoTags: tags, Layers: layers } = isObject(item) ? item : {}
    if (
      typeof config !== 'string' ||
      !Array.isArray(layers) ||
      !layers.every((layer) => typeof layer === 'string')
    ) {
      return invalid(archive, 'an image of manifest.json has no Config and Layers')
    }
    const named = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
    return { config, layers, tags: named }
  })
}

/** By its whole name, by its tag alone, or by `@` and its position. */
function choose(
  images: readonly SavedImage[],
  name: string | undefined,
  source: string,
): SavedImage | undefined {
  if (name === undefined) {
    if (images.length === 1) return images[0]
    const names = images.flatMap(({ tags }) => tags)
    return fail('artifact.not-found', `several images, name one of: ${names.slice(0, 20).join(', ')}`, {
      where: { source },
    })
  }
  if (/^@\d+$/.test(name)) return images[Number(name.slice(1))]
  return (
    images.find(({ tags }) => tags.includes(name)) ??
    images.find(({ tags }) => tags.some((tag) => tag.endsWith(`:${name}`)))
  )
}

async function makeManifest(
  archive: Archive,
  image: SavedImage,
  blobs: Map<string, TarMember>,
): Promise<Manifest> {
  const config = await readMember(archive, image.config)
  const document: JsonObject = parseObject(config, `${archive.path}/${image.config}`)
  const diffIds = diffIdsOf(document, image.layers.length, archive.path)
  const configDigest = digestOf(config)
  blobs.set(configDigest, memberAt(archive, image.config))
  const layers = []
  for (const [i, path] of image.layers.entries()) {
    const member = memberAt(archive, path)
    const layer = await describeLayer(archive, member, diffIds[i] ?? '')
    blobs.set(layer.digest, member)
    layers.push(layer)
  }
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: ociConfig, digest: configDigest, size: config.byteLength },
    layers,
  })
  return parseManifest(Buffer.from(text), ociManifest, archive.path)
}

/** A plain layer has the digest that the configuration gives it; a compressed one must be read for its own. */
async function describeLayer(
  { tar }: Archive,
  member: TarMember,
  diffId: string,
): Promise<{ readonly mediaType: string; readonly digest: string; readonly size: number }> {
  const head = await collect(tar.open({ ...member, bytes: Math.min(4, member.bytes) }, 0), 4)
  const compression = compressionByMagic(head)
  if (compression === 'none') return { mediaType: ociLayer, digest: diffId, size: member.bytes }
  const hash = createHash('sha256')
  for await (const piece of tar.open(member, 0)) hash.update(piece)
  return {
    mediaType: `${ociLayer}+${compression}`,
    digest: `sha256:${hash.digest('hex')}`,
    size: member.bytes,
  }
}

async function readMember(archive: Archive, path: string): Promise<Uint8Array> {
  return await collect(archive.tar.open(memberAt(archive, path), 0), documentBytesMax)
}

function memberAt(archive: Archive, path: string): TarMember {
  const member = findMember(archive.members, path)
  return member?.kind === 'file' ? member : invalid(archive, `${shorten(path, 100)} is missing`)
}

function invalid({ path }: Archive, detail: string): never {
  return fail('image.layout-invalid', detail, { where: { source: path } })
}
