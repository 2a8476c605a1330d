/** An OCI image layout folder (or the same inside an archive), read. */
import type { FileHandle } from 'node:fs/promises'
import { shorten } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import { checkBytes, splitDigest } from '../digest.ts'
import { parseObject } from './document.ts'
import { type Descriptor, type ImageIndex, type Manifest, parseManifest } from './manifest.ts'
import { isIndexType, isManifestType, ociIndex } from './media-types.ts'
import type { Source, Stretch, WantedManifest } from './place.ts'

export const refName = 'org.opencontainers.image.ref.name'

/** What a layout needs of whatever holds its files. */
export interface LayoutFiles {
  readonly name: string
  /** A small file, bounded; undefined when it is not there. */
  read(path: string): Promise<Uint8Array | undefined>
  /** A large file from an offset. */
  stream(path: string, from: number): Promise<AsyncIterable<Uint8Array> | undefined>
  /** A file by itself, where it is one; the caller closes it. */
  file?(path: string): Promise<FileHandle | undefined>
  close(): Promise<void>
}

/** Makes a source of a layout. Problems: artifact.not-found, image.layout-invalid. */
export async function openLayout(holder: LayoutFiles): Promise<Source> {
  const files = await findLayout(holder)
  const index = await readIndex(files)
  const byDigest = async (digest: string, said: string | undefined): Promise<Manifest | undefined> => {
    const [nested, flat] = blobPaths(digest)
    const bytes = (await files.read(nested)) ?? (await files.read(flat))
    if (bytes === undefined) return undefined
    checkBytes(bytes, digest, files.name)
    return parseManifest(bytes, said, files.name)
  }
  return {
    name: files.name,
    manifest: async (wanted) => {
      const listed = find(index, wanted, files.name)
      const digest = wanted.digest ?? listed?.digest
      return digest === undefined ? undefined : await byDigest(digest, listed?.mediaType)
    },
    blob: async (wanted, from): Promise<Stretch> => {
      const [nested, flat] = blobPaths(wanted.digest)
      const bytes = (await files.stream(nested, from)) ?? (await files.stream(flat, from))
      if (bytes !== undefined) return { from, bytes }
      return fail('artifact.not-found', `the blob ${wanted.digest}`, { where: { source: files.name } })
    },
    referrers: async (digest) => {
      const listed = index.manifests.filter(
        ({ mediaType }) => isManifestType(mediaType) || isIndexType(mediaType),
      )
      const manifests = await Promise.all(listed.map((entry) => byDigest(entry.digest, entry.mediaType)))
      return listed.filter((_, i) => manifests[i]?.subject?.digest === digest)
    },
    close: () => files.close(),
  }
}

/** Thick bundles of CNAB have their layout some folders down. */
const bundledFolder = 'artifacts/layout/'

async function findLayout(files: LayoutFiles): Promise<LayoutFiles> {
  if ((await files.read('index.json')) !== undefined) return files
  if ((await files.read(`${bundledFolder}index.json`)) === undefined) return files
  return {
    ...files,
    read: (path) => files.read(`${bundledFolder}${path}`),
    stream: (path, from) => files.stream(`${bundledFolder}${path}`, from),
  }
}

/** As layouts name a blob, and as the artifact sets of OCM do. */
function blobPaths(digest: string): readonly [string, string] {
  const { algorithm, hex } = splitDigest(digest)
  return [`blobs/${algorithm}/${hex}`, `blobs/${algorithm}.${hex}`]
}

/** Reads `oci-layout` and `index.json`. Problems: artifact.not-found, image.layout-invalid. */
async function readIndex(files: LayoutFiles): Promise<ImageIndex> {
  const where = { source: files.name }
  const bytes = await files.read('index.json')
  const marker = await files.read('oci-layout')
  if (bytes === undefined && marker === undefined) {
    return fail('artifact.not-found', 'no image layout', { where })
  }
  if (bytes === undefined) return fail('image.layout-invalid', 'index.json is missing', { where })
  if (marker === undefined) return fail('image.layout-invalid', 'the file oci-layout is missing', { where })
  const version = parseObject(marker, `${files.name}/oci-layout`)['imageLayoutVersion']
  if (version !== '1.0.0') {
    return fail('image.layout-invalid', `version ${shorten(JSON.stringify(version) ?? 'none', 40)}`, {
      where,
    })
  }
  const index = parseManifest(bytes, ociIndex, `${files.name}/index.json`)
  return index.kind === 'index' ? index : fail('image.layout-invalid', 'index.json is no index', { where })
}

function find(index: ImageIndex, wanted: WantedManifest, source: string): Descriptor | undefined {
  if (wanted.digest !== undefined) return index.manifests.find(({ digest }) => digest === wanted.digest)
  if (wanted.name !== undefined) {
    const named = index.manifests.filter(({ annotations }) => annotations?.[refName] === wanted.name)
    return named.at(-1) ?? index.manifests.find((entry) => tagOf(entry) === wanted.name)
  }
  const digests = new Set(index.manifests.map(({ digest }) => digest))
  if (digests.size <= 1) return index.manifests[0]
  const latest = index.manifests.find(({ annotations }) => annotations?.[refName] === 'latest')
  const names = index.manifests.flatMap(({ annotations }) => annotations?.[refName] ?? [])
  return (
    latest ??
    fail(
      'artifact.not-found',
      `several images, name one of: ${names.slice(0, 20).join(', ') || 'their digests'}`,
      {
        where: { source },
      },
    )
  )
}

/** Names may be whole references (`registry.example/name:tag`); their tag alone is good enough, too. */
function tagOf({ annotations }: Descriptor): string | undefined {
  const name = annotations?.[refName]
  return name?.includes('/') ? name.slice(name.lastIndexOf('/') + 1).split(':')[1] : undefined
}
