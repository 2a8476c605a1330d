/** Transport archives: OCI artifacts of many repositories in one folder, tar or tgz. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../kit/json.ts'
import {
  compareVersions,
  type RepositorySpec,
  tagOfVersion,
  versionOfTag,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { checkBytes, isDigest, splitDigest } from '../digest.ts'
import { parseObject } from '../oci/document.ts'
import type { LayoutFiles } from '../oci/layout.ts'
import { parseManifest } from '../oci/manifest.ts'
import type { Source } from '../oci/place.ts'
import { readVersion } from './read-version.ts'
import type { ComponentRepository } from './repository.ts'

export const indexFile = 'artifact-index.json'
export const descriptorFolder = 'component-descriptors'

export interface IndexEntry {
  readonly repository: string
  readonly tag?: string
  readonly digest: string
  readonly mediaType?: string
}

/** The repository in the files of a transport archive. Problems: ocm.repository.invalid. */
export async function openCtf(files: LayoutFiles, spec: RepositorySpec): Promise<ComponentRepository> {
  const bytes = await files.read(indexFile)
  if (bytes === undefined)
    return fail('ocm.repository.invalid', `${indexFile} is missing`, { where: { source: files.name } })
  const index = readIndex(bytes, files.name)
  const repository: ComponentRepository = {
    name: files.name,
    spec,
    find: async (component, version, signal) => {
      const tag = tagOfVersion(version)
      if (tag === undefined) return undefined
      const source = ctfSource(files, index, `${descriptorFolder}/${component}`)
      const read = await readVersion({ source, tag, component, version, signal })
      return read && { ...read, source, repository }
    },
    versions: (component) =>
      Promise.resolve(
        index
          .filter((entry) => entry.repository === `${descriptorFolder}/${component}`)
          .flatMap(({ tag }) => versionOfTag(tag ?? '') ?? [])
          .toSorted((a, b) => compareVersions(b, a)),
      ),
    components: () => {
      const folder = `${descriptorFolder}/`
      const names = index.flatMap((entry) =>
        entry.repository.startsWith(folder) && entry.tag !== undefined
          ? [entry.repository.slice(folder.length)]
          : [],
      )
      return [...new Set(names)]
    },
    close: () => files.close(),
  }
  return repository
}

/** What the index of an archive lists. Problems: ocm.repository.invalid. */
export function readIndex(bytes: Uint8Array, source: string): readonly IndexEntry[] {
  const where = { source: `${source}/${indexFile}` }
  const refuse = (detail: string): never => fail('ocm.repository.invalid', detail, { where })
  const document = parseObject(bytes, where.source)
  if (document['schemaVersion'] !== 1)
    return refuse(
      `the version ${JSON.stringify(document['schemaVersion']) ?? 'none'} of its index is not supported`,
    )
  const list = document['artifacts'] ?? []
  if (!Array.isArray(list)) return refuse('"artifacts" is no list')
  return list.map((entry: unknown, i): IndexEntry => {
    const { repository, tag, digest, mediaType } = isObject(entry) ? entry : {}
    if (typeof repository !== 'string' || !isDigest(digest))
      return refuse(`artifact ${i} has no repository and digest`)
    return {
      repository,
      digest,
      ...(typeof tag === 'string' && tag !== '' ? { tag } : {}),
      ...(typeof mediaType === 'string' ? { mediaType } : {}),
    }
  })
}

/** One repository of an archive as a source of OCI content. */
function ctfSource(files: LayoutFiles, index: readonly IndexEntry[], repository: string): Source {
  const name = `${files.name}//${repository}`
  return {
    name,
    manifest: async (wanted) => {
      const listed = index.find((entry) => entry.repository === repository && entry.tag === wanted.name)
      const digest = wanted.digest ?? listed?.digest
      if (digest === undefined) return undefined
      const bytes = (await files.read(flatPath(digest))) ?? (await files.read(nestedPath(digest)))
      if (bytes === undefined)
        return fail('artifact.not-found', `the blob ${digest}`, { where: { source: files.name } })
      checkBytes(bytes, digest, name)
      return parseManifest(bytes, listed?.mediaType, name)
    },
    blob: async ({ digest }, from) => {
      const bytes =
        (await files.stream(flatPath(digest), from)) ?? (await files.stream(nestedPath(digest), from))
      if (bytes !== undefined) return { from, bytes }
      return fail('artifact.not-found', `the blob ${digest}`, { where: { source: files.name } })
    },
    file: async ({ digest }) =>
      (await files.file?.(flatPath(digest))) ?? (await files.file?.(nestedPath(digest))),
    referrers: () => Promise.resolve([]),
    // The files are the repository's.
    close: () => Promise.resolve(),
  }
}

/** Where archives keep a blob. */
export function flatPath(digest: string): string {
  const { algorithm, hex } = splitDigest(digest)
  return `blobs/${algorithm}.${hex}`
}

/** Where image layouts, and newer tools, keep it. */
function nestedPath(digest: string): string {
  const { algorithm, hex } = splitDigest(digest)
  return `blobs/${algorithm}/${hex}`
}

/** Files of a folder, none of which leads out of it by a link. */
export function withoutLinks(folder: string, files: LayoutFiles): LayoutFiles {
  const check = async (path: string): Promise<void> => {
    let here = folder
    for (const step of path.split('/')) {
      here = join(here, step)
      const found = await lstat(here).catch(() => undefined)
      if (found?.isSymbolicLink()) fail('archive.link-unsafe', path, { where: { source: folder } })
    }
  }
  return {
    ...files,
    file: async (path) => {
      await check(path)
      return await files.file?.(path)
    },
    read: async (path) => {
      await check(path)
      return await files.read(path)
    },
    stream: async (path, from) => {
      await check(path)
      return await files.stream(path, from)
    },
  }
}
