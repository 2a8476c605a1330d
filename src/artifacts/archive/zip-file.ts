/** A zip on disk: its central directory read once and checked, its entries read anywhere without unpacking the rest. */
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl'
import { fail, ProblemError } from '../../model/problem.ts'
import { openRegular } from '../content/durable.ts'
import type { ArchiveLimits } from '../limits.ts'
import { collect } from './collect.ts'
import { type ArchiveReader, type Member, MemberList } from './member.ts'
import { shownPath } from './names.ts'

export interface ZipMember extends Member {
  readonly entry: Entry
}

const typeBits = 0o170000
const encrypted = 0x1
const linkBytesMax = 4095

/** Opens a zip. Problems: artifact.not-found, archive.*. */
export async function openZipFile(path: string, limits: ArchiveLimits): Promise<ArchiveReader<ZipMember>> {
  const handle = await openRegular(path)
  if (handle === undefined) return fail('artifact.not-found', undefined, { where: { source: path } })
  try {
    // Names are decoded and judged by us: its own check stops at the first and knows only some faults.
    const zip = await fromFdPromise(handle.fd, { autoClose: false, decodeStrings: false, lazyEntries: true })
    const members = await index(zip, handle, limits)
    return {
      members,
      open: (member, from) => readEntry(zip, member, from),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw asProblem(error)
  }
}

async function index(zip: ZipFile, handle: FileHandle, limits: ArchiveLimits): Promise<readonly ZipMember[]> {
  const list = new MemberList<ZipMember>(limits)
  if (zip.entryCount > limits.archiveEntriesMax) fail('archive.limit', `${zip.entryCount} entries`)
  for await (const entry of zip.eachEntry()) await addEntry(list, zip, entry)
  const { size } = await handle.stat()
  // Entries may share their compressed bytes, so the sum of what comes out is held against the whole file.
  if (list.bytes > limits.ratioFreeBytes && list.bytes > size * limits.ratioMax) {
    fail('archive.limit', `it unpacks to more than ${limits.ratioMax} times its size`)
  }
  return list.finish()
}

async function addEntry(list: MemberList<ZipMember>, zip: ZipFile, entry: Entry): Promise<void> {
  const name = nameOf(entry)
  // Some packers write the folder itself, with no name at all.
  if (name === '' && entry.uncompressedSize === 0) return
  if (name.includes('\\')) fail('archive.path-unsafe', `${shownPath(name)} has a backslash`)
  if ((entry.generalPurposeBitFlag & encrypted) !== 0)
    fail('archive.unsupported', `${shownPath(name)} is encrypted`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    fail('archive.unsupported', `${shownPath(name)} is compressed by method ${entry.compressionMethod}`)
  }
  const said = kindOf(entry, name)
  const target = said.kind === 'link' ? await readTarget(zip, entry) : ''
  // Some packers write what a link leads to under the flags of the link: the file itself, then.
  const { kind, mode } = target === undefined ? ({ kind: 'file', mode: 0o755 } as const) : said
  const bytes = kind === 'file' ? entry.uncompressedSize : 0
  if (kind === 'folder' && entry.uncompressedSize > 0)
    fail('archive.invalid', `${shownPath(name)} is a folder with content`)
  list.add(name, (path) => ({ path, kind, bytes, mode, target: target ?? '', entry }))
}

function nameOf(entry: Entry): string {
  return getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)
}

function kindOf(entry: Entry, name: string): { readonly kind: Member['kind']; readonly mode: number } {
  const host = entry.versionMadeBy >>> 8
  const unix = host === 3 || host === 19 ? entry.externalFileAttributes >>> 16 : 0
  const dos = entry.externalFileAttributes & 0x10
  switch (unix & typeBits) {
    case 0o120000:
      return { kind: 'link', mode: 0o777 }
    case 0o040000:
      return { kind: 'folder', mode: unix & 0o777 }
    case 0o100000:
    case 0: {
      if (name.endsWith('/') || (dos !== 0 && entry.uncompressedSize === 0))
        return { kind: 'folder', mode: 0o755 }
      return { kind: 'file', mode: unix & 0o777 || 0o644 }
    }
    default:
      return fail('archive.special-file', shownPath(name))
  }
}

/** Where a link leads; undefined for what no link could hold. */
async function readTarget(zip: ZipFile, entry: Entry): Promise<string | undefined> {
  if (entry.uncompressedSize === 0 || entry.uncompressedSize > linkBytesMax) return undefined
  const bytes = await collect(await zip.openReadStreamPromise(entry), linkBytesMax)
  try {
    const target = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /[\0\n]/.test(target) ? undefined : target
  } catch {
    return undefined
  }
}

async function* readEntry(zip: ZipFile, { entry, path }: ZipMember, from: number): AsyncIterable<Uint8Array> {
  let at = 0
  let sum = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Buffer
      sum = crc32(bytes, sum)
      const skipped = Math.min(bytes.length, Math.max(0, from - at))
      at += bytes.length
      if (skipped < bytes.length) yield bytes.subarray(skipped)
    }
  } catch (error) {
    throw asProblem(error)
  }
  if (sum !== entry.crc32) fail('archive.invalid', `${shownPath(path)} has a wrong checksum`)
}

function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return new ProblemError({ code: 'archive.invalid', detail: (error as Error).message, cause: error })
}
