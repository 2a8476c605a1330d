/** A zip, tar or folder as contracts see it: a list of files and their bytes on demand. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { ArchiveArtifact } from '../../model/artifact.ts'
import { fail } from '../../model/problem.ts'
import { fileBytes, openRegular } from '../content/durable.ts'
import { type ArchiveLimits, pieceBytesMax } from '../limits.ts'
import { collect } from './collect.ts'
import { type Extraction, extract } from './extract.ts'
import { openFolder } from './folder-files.ts'
import { type ArchiveReader, findMember, type Member } from './member.ts'
import { packFolder } from './pack-folder.ts'
import { openTarFile } from './tar-file.ts'
import { openZipFile } from './zip-file.ts'

/** More than contracts see: big files as streams, and extraction. */
export interface OpenArchive extends ArchiveArtifact {
  /** The bytes of a file without holding them all. */
  stream(path: string): AsyncIterable<Uint8Array> | undefined
  extract(extraction: Extraction): Promise<void>
  close(): Promise<void>
}

export interface ArchivePlace {
  readonly path: string
  readonly reference: string
  /** Known from the content store; absent: computed. */
  readonly digest?: string
  readonly scratchFolder: string
  readonly limits: ArchiveLimits
}

/** Opens a zip, a tar (compressed or not) or a folder. Problems: artifact.not-found, archive.*. */
export async function openArchive(place: ArchivePlace): Promise<OpenArchive> {
  const format = await formatOf(place.path)
  const reader = await openReader(format, place)
  try {
    const digest = place.digest ?? (await digestAt(format, place.path))
    return make(reader, { reference: place.reference, digest })
  } catch (error) {
    await reader.close()
    throw error
  }
}

export type ArchiveFormat = 'folder' | 'zip' | 'tar'

/** What kind of archive lies at a path; undefined for a file that is none. */
export async function archiveFormat(path: string): Promise<ArchiveFormat | undefined> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return 'folder'
  const handle = await openRegular(path)
  if (handle === undefined) return fail('artifact.not-found', undefined, { where: { source: path } })
  try {
    const head = Buffer.alloc(512)
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    const magic = head.toString('latin1', 0, 4)
    if (magic.startsWith('PK\u0003\u0004') || magic.startsWith('PK\u0005\u0006')) return 'zip'
    if (magic.startsWith('\u001f\u008b') || magic === '\u0028\u00b5\u002f\u00fd') return 'tar'
    return bytesRead === 512 && head.toString('latin1', 257, 262) === 'ustar' ? 'tar' : undefined
  } finally {
    await handle.close()
  }
}

async function formatOf(path: string): Promise<ArchiveFormat> {
  return (
    (await archiveFormat(path)) ?? fail('archive.invalid', 'neither zip nor tar', { where: { source: path } })
  )
}

function openReader(
  format: ArchiveFormat,
  { path, scratchFolder, limits }: ArchivePlace,
): Promise<ArchiveReader> {
  switch (format) {
    case 'folder':
      return openFolder(path, limits)
    // Readers are asked only for members of their own list.
    case 'zip':
      return openZipFile(path, limits) as Promise<ArchiveReader>
    case 'tar':
      return openTarFile(path, scratchFolder, limits) as Promise<ArchiveReader>
  }
}

function make(reader: ArchiveReader, name: Pick<OpenArchive, 'reference' | 'digest'>): OpenArchive {
  const members = new Map(reader.members.map((member) => [member.path, member]))
  const find = (path: string): Member | undefined => {
    const member = findMember(members, path)
    return member?.kind === 'file' ? member : undefined
  }
  const entries = reader.members.flatMap(({ path, kind }) => {
    const file = kind === 'folder' ? undefined : find(path)
    return file === undefined ? [] : [{ path, bytes: file.bytes, mode: file.mode }]
  })
  return {
    kind: 'archive',
    ...name,
    entries,
    file: async (path) => {
      const member = find(path)
      return member === undefined ? undefined : await collect(reader.open(member, 0), pieceBytesMax)
    },
    stream: (path) => {
      const member = find(path)
      return member === undefined ? undefined : reader.open(member, 0)
    },
    extract: (extraction) => extract(reader, extraction),
    close: () => reader.close(),
  }
}

/** Of a file its bytes; of a folder its tar, which is always packed the same. */
export async function digestAt(format: ArchiveFormat, path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of format === 'folder' ? packFolder(path, { mtime: 0 }) : fileBytes(path))
    hash.update(piece)
  return `sha256:${hash.digest('hex')}`
}
