/** Writes transport archives: blobs first, then the index that names them, all of it or nothing. */
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { present } from '../../kit/present.ts'
import { compareVersions, type FileFormat, type RepositorySpec } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { archiveFormat } from '../archive/archive-artifact.ts'
import { collect } from '../archive/collect.ts'
import { openTarFile } from '../archive/tar-file.ts'
import {
  isAside,
  makeFolder,
  openRegular,
  readBounded,
  streamDurably,
  writeDurably,
} from '../content/durable.ts'
import { documentBytesMax, usualLayerLimits } from '../limits.ts'
import type { Target } from '../oci/place.ts'
import { type ArchiveLock, lockArchive } from './archive-lock.ts'
import { ctfBlobs, packedFolder, writeManifestBlob, writePlain } from './blob-folder.ts'
import { descriptorFolder, type IndexEntry, indexFile, readIndex } from './ctf.ts'

/** An archive that is being written. */
export interface CtfTarget {
  /** Where the artifacts of a component go. */
  component(name: string): Target
  /** Makes all that was written visible. */
  finish(): Promise<void>
  /** Lets go of what was not finished. */
  close(): Promise<void>
}

type FileSpec = Extract<RepositorySpec, { kind: 'file' }>

export interface Writing {
  readonly scratchFolder: string
  readonly signal: AbortSignal
  progress(text: string): void
}

/** Opens an archive for writing, alone; what is in it already stays. Problems: ocm.repository.invalid, artifact.stopped, artifact.unwritable. */
export async function openCtfTarget(spec: FileSpec, writing: Writing): Promise<CtfTarget> {
  if (spec.archive)
    return fail('ocm.repository.invalid', 'component archives are read, not written', {
      where: { source: spec.path },
    })
  const lock = await lockArchive(spec.path, writing)
  try {
    return await openLocked(spec, writing, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openLocked(spec: FileSpec, { scratchFolder }: Writing, lock: ArchiveLock): Promise<CtfTarget> {
  const format = await formatOf(spec)
  const folder =
    format === 'directory' ? spec.path : join(dirname(spec.path), `.${basename(spec.path)}.parts`)
  await makeFolder(join(folder, 'blobs'))
  await clearAside(join(folder, 'blobs'))
  if (format !== 'directory') await unpackInto(folder, spec.path, scratchFolder)
  const listed: IndexEntry[] = []
  return {
    component: (name) => ({
      ...ctfBlobs(folder),
      name: `${spec.path}//${name}`,
      writeManifest: async (manifest, tag) => {
        await writeManifestBlob(folder, manifest)
        listed.push({
          repository: `${descriptorFolder}/${name}`,
          digest: manifest.digest,
          ...present({ tag }),
        })
      },
    }),
    finish: async () => {
      await writeIndex(folder, listed)
      if (format === 'directory') return
      await streamDurably(spec.path, packedFolder(folder, format))
      await rm(folder, { recursive: true, force: true })
    },
    close: async () => {
      if (format !== 'directory') await rm(folder, { recursive: true, force: true })
      await lock.release()
    },
  }
}

/** Halves of blobs that a writer was killed over; the lock says that no other one is at work. */
async function clearAside(blobs: string): Promise<void> {
  for (const name of await readdir(blobs)) if (isAside(name)) await rm(join(blobs, name), { force: true })
}

/** As it is already, else as its specification or its name says. */
async function formatOf({ path, format }: FileSpec): Promise<FileFormat> {
  const where = { source: path }
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return 'directory'
  if (found !== undefined) {
    if ((await archiveFormat(path)) !== 'tar')
      return fail('ocm.repository.invalid', 'what lies there is no transport archive', { where })
    return await compressedOr(path)
  }
  if (format !== undefined) return format
  if (/\.(tgz|tar\.gz)$/.test(path)) return 'tgz'
  return path.endsWith('.tar') ? 'tar' : 'directory'
}

async function compressedOr(path: string): Promise<'tar' | 'tgz'> {
  const handle = await openRegular(path)
  const head = Buffer.alloc(2)
  await handle?.read(head, 0, 2, 0)
  await handle?.close()
  return head[0] === 0x1f && head[1] === 0x8b ? 'tgz' : 'tar'
}

/** What an archive holds is written anew with what comes to it. */
async function unpackInto(folder: string, path: string, scratchFolder: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) === undefined) return
  const tar = await openTarFile(path, scratchFolder, usualLayerLimits)
  try {
    for (const member of tar.members) {
      const flat = member.path.replace(/^blobs\/(sha256|sha512)\//, 'blobs/$1.')
      if (member.kind !== 'file') continue
      if (flat === indexFile) {
        const bytes = await collect(tar.open(member, 0), documentBytesMax)
        readIndex(bytes, path)
        await writeDurably(join(folder, indexFile), bytes)
      } else if (/^blobs\/sha(?:256|512)\.[0-9a-f]+$/.test(flat)) {
        await writePlain(join(folder, flat), tar.open(member, 0))
      }
    }
  } finally {
    await tar.close()
  }
}

/** The index as it is now with what was written: a tag moves on to the new artifact. */
async function writeIndex(folder: string, listed: readonly IndexEntry[]): Promise<void> {
  const path = join(folder, indexFile)
  const bytes = await readBounded(path, documentBytesMax)
  let entries = bytes === undefined ? [] : readIndex(bytes, folder)
  for (const entry of listed) {
    const others = entries.filter(
      ({ repository, tag, digest }) =>
        repository !== entry.repository ||
        (entry.tag === undefined ? digest !== entry.digest || tag !== undefined : tag !== entry.tag),
    )
    entries = [...others, entry]
  }
  const artifacts = entries.toSorted(
    (a, b) =>
      Number(a.repository > b.repository) - Number(a.repository < b.repository) ||
      compareVersions(a.tag ?? '', b.tag ?? '') ||
      Number((a.tag ?? '') > (b.tag ?? '')) - Number((a.tag ?? '') < (b.tag ?? '')),
  )
  await writeDurably(path, JSON.stringify({ schemaVersion: 1, artifacts }))
}
