/** Packs a folder as a tar: sorted, with fixed times and owners, piece by piece. */
import type { Stats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { fail } from '../../model/problem.ts'
import { openRegular } from '../content/durable.ts'
import { onDisk } from '../layers/byte-path.ts'
import { shownPath } from './names.ts'
import type { TarEntry } from './tar-header.ts'
import { tarEnd, tarHeader, tarPadding } from './tar-writer.ts'

export interface PackOptions {
  /** Seconds since 1970 given to every entry, so that the same contents are the same bytes. */
  readonly mtime: number
  /** Keep uid and gid of the files; otherwise everything belongs to root. */
  readonly keepOwners?: boolean
  /** Only whether it is a folder counts, so that no mask of this machine is seen in the bytes. */
  readonly plainModes?: boolean
  /** Put before every path, without slashes at its ends. */
  readonly prefix?: string
  /** Paths for which it answers true are left out, with what is below them. */
  leaveOut?(path: string, isFolder: boolean): boolean
}

const pieceBytes = 256 * 1024

/** The bytes of the tar. Problems: archive.special-file, file.unreadable. */
export async function* packFolder(folder: string, options: PackOptions): AsyncIterable<Uint8Array> {
  const links = new Map<string, string>()
  for await (const { path, stats } of walk(folder, '', options)) {
    const entry = await entryOf(folder, path, { stats, links, options })
    yield tarHeader(entry)
    if (entry.kind !== 'file') continue
    yield* bodyOf(folder, path, entry.bytes)
    yield tarPadding(entry.bytes)
  }
  yield tarEnd()
}

interface Found {
  readonly path: string
  readonly stats: Stats
}

async function* walk(folder: string, path: string, options: PackOptions): AsyncIterable<Found> {
  const names = await readdir(onDisk(folder, path), { encoding: 'latin1' }).catch(
    (cause: NodeJS.ErrnoException) =>
      fail('file.unreadable', cause.code, { where: { source: folder }, cause }),
  )
  for (const name of names.sort()) {
    const inner = path === '' ? name : `${path}/${name}`
    const stats = await lstat(onDisk(folder, inner))
    if (options.leaveOut?.(inner, stats.isDirectory())) continue
    yield { path: inner, stats }
    if (stats.isDirectory()) yield* walk(folder, inner, options)
  }
}

async function entryOf(
  folder: string,
  path: string,
  {
    stats,
    links,
    options,
  }: { readonly stats: Stats; readonly links: Map<string, string>; readonly options: PackOptions },
): Promise<TarEntry> {
  const outer = options.prefix === undefined ? path : `${options.prefix}/${path}`
  const plain: TarEntry = {
    kind: 'file',
    path: outer,
    target: '',
    bytes: 0,
    mode: options.plainModes ? plainMode(stats) : stats.mode & 0o7777,
    uid: options.keepOwners ? stats.uid : 0,
    gid: options.keepOwners ? stats.gid : 0,
    mtime: options.mtime,
  }
  if (stats.isDirectory()) return { ...plain, kind: 'folder' }
  if (stats.isSymbolicLink()) {
    const target = await readlink(onDisk(folder, path), { encoding: 'latin1' })
    return { ...plain, kind: 'link', target, mode: 0o777 }
  }
  if (!stats.isFile()) return fail('archive.special-file', shownPath(path), { where: { source: folder } })
  if (stats.nlink > 1) {
    const inode = `${stats.dev}:${stats.ino}`
    const first = links.get(inode)
    if (first !== undefined) return { ...plain, kind: 'hard-link', target: first }
    links.set(inode, outer)
  }
  return { ...plain, bytes: stats.size }
}

function plainMode(stats: Stats): number {
  return stats.isDirectory() ? 0o755 : 0o644
}

/** Exactly as many bytes as the header said: a file that grows or shrinks meanwhile would spoil the whole tar. */
async function* bodyOf(folder: string, path: string, bytes: number): AsyncIterable<Uint8Array> {
  const handle = await openRegular(onDisk(folder, path))
  if (handle === undefined) return fail('file.unreadable', shownPath(path), { where: { source: folder } })
  let left = bytes
  try {
    while (left > 0) {
      const piece = Buffer.allocUnsafe(Math.min(left, pieceBytes))
      const { bytesRead } = await handle.read(piece, 0, piece.length)
      if (bytesRead === 0)
        fail('file.unreadable', `${shownPath(path)} became shorter`, { where: { source: folder } })
      left -= bytesRead
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
