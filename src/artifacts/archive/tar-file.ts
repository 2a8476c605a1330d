/** A tar on disk, indexed once and read anywhere; compressed ones are unpacked to a nameless file first. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { asideOf, makeFolder, openRegular, unwritable } from '../content/durable.ts'
import type { ArchiveLimits } from '../limits.ts'
import { compressionByMagic, decompressed } from './decompress.ts'
import { type ArchiveReader, type Member, MemberList } from './member.ts'
import { lastOf, plainPath, shownPath } from './names.ts'
import type { TarEntry } from './tar-header.ts'
import { tarParser } from './tar-parser.ts'

export interface TarMember extends Member {
  /** Where its bytes start in the tar. */
  readonly offset: number
}

const windowBytes = 64 * 1024
const chunkBytes = 512 * 1024

/** Opens a tar, gzip or zstd compressed or not. Problems: artifact.not-found, archive.*. */
export async function openTarFile(
  path: string,
  scratchFolder: string,
  limits: ArchiveLimits,
): Promise<ArchiveReader<TarMember>> {
  const handle = await openPlain(path, scratchFolder, limits)
  try {
    const members = await index(handle, limits)
    return {
      members,
      open: (member, from) => readStretch(handle, member, from),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openPlain(path: string, scratchFolder: string, limits: ArchiveLimits): Promise<FileHandle> {
  const handle = await openRegular(path)
  if (handle === undefined) return fail('artifact.not-found', undefined, { where: { source: path } })
  const head = Buffer.alloc(4)
  await handle.read(head, 0, 4, 0)
  const compression = compressionByMagic(head)
  if (compression === 'none') return handle
  await handle.close()
  await makeFolder(scratchFolder, 0o700)
  const aside = asideOf(join(scratchFolder, 'tar'))
  const spool = await open(aside, 'wx+', 0o600)
  try {
    // From here on the file has no name, so that nothing can be left behind.
    await rm(aside)
    let bytes = 0
    for await (const chunk of decompressed(path, compression, limits)) {
      bytes += chunk.byteLength
      if (bytes > limits.archiveBytesMax)
        fail('archive.limit', `more than ${limits.archiveBytesMax} bytes unpacked`)
      await spool.writeFile(chunk)
    }
    return spool
  } catch (error) {
    await spool.close()
    throw unwritable(error, aside)
  }
}

/** Reads the headers only: bodies are skipped over. */
async function index(handle: FileHandle, limits: ArchiveLimits): Promise<readonly TarMember[]> {
  const list = new MemberList<TarMember>(limits)
  const parser = tarParser({
    entry: (entry, offset) => addEntry(list, entry, offset),
    body: () => undefined,
    end: () => undefined,
  })
  const { size } = await handle.stat()
  const window = Buffer.allocUnsafe(windowBytes)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(window, 0, windowBytes, at)
    if (bytesRead === 0) break
    parser.push(window.subarray(0, bytesRead))
    at += bytesRead + parser.skip()
    if (at > size) fail('archive.invalid', 'the tar is cut off')
  }
  parser.finish()
  return list.finish()
}

function addEntry(list: MemberList<TarMember>, entry: TarEntry, offset: number): void {
  const { kind, path, target, bytes, mode } = entry
  switch (kind) {
    case 'device':
    case 'pipe':
      fail('archive.special-file', shownPath(path))
      break
    case 'hard-link': {
      const named = list.find(utf8(plainPath(target, { nestingDepthMax: 200, pathBytesMax: 4095 })))
      if (named?.kind !== 'file')
        fail('archive.link-unsafe', `${shownPath(path)} is a hard link to ${shownPath(target)}`)
      list.add(path, (plain) => ({ ...named, path: utf8(plain) }))
      return
    }
    case 'link':
      if (target === '' || target.length > 4095) fail('archive.link-unsafe', shownPath(path))
      list.add(path, (plain) => ({ path: utf8(plain), kind, bytes: 0, mode, target: utf8(target), offset }))
      return
    default:
      list.add(path, (plain) => ({ path: utf8(plain), kind, bytes, mode, target: '', offset }))
  }
}

/** Packages have names for people, so they must be text. */
function utf8(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return fail('archive.path-unsafe', `${shownPath(lastOf(bytes))} is not UTF-8`)
  }
}

async function* readStretch(handle: FileHandle, member: TarMember, from: number): AsyncIterable<Uint8Array> {
  const end = member.offset + member.bytes
  for (let at = member.offset + from; at < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(chunkBytes, end - at))
    const { bytesRead } = await handle.read(piece, 0, piece.length, at)
    if (bytesRead === 0) fail('archive.invalid', 'the tar is cut off')
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}
