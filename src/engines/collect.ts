/** Brings back what a job wants from the files a run left: bounded, and no link of the program is ever followed. */
import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { tarEnd, tarHeader, tarPadding } from '../artifacts/archive/tar-writer.ts'
import { present } from '../kit/present.ts'
import { printable, shorten } from '../kit/text.ts'
import type { Want } from '../model/job.ts'
import type { Got, GotFile } from '../model/report.ts'
import { unlessAbsent } from './absent.ts'
import { resolveInLayers } from './layer-view.ts'

export interface Collection {
  /** Where a path of the job lies: the root it is in, and the path from there. */
  locate(path: string): { readonly root: string; readonly path: string }
  note(text: string): void
  /** Permission bits by path below the wanted folder, where they are others than what lies there shows. */
  readonly modes?: ReadonlyMap<string, number>
}

type FileWant = Extract<Want, { kind: 'file' | 'kept-file' }>
type FolderWant = Extract<Want, { kind: 'files' | 'tar' }>

/** A single file. */
export async function collectFile({ path, bytesMax }: FileWant, at: Collection): Promise<Got> {
  const host = await realPlace(path, at)
  const stats = await lstat(host).catch(unlessAbsent)
  if (stats === undefined) return { kind: 'missing' }
  if (!stats.isFile()) {
    at.note(`${shown(path)} is ${kindOf(stats)} and was not read`)
    return { kind: 'missing' }
  }
  if (stats.size > bytesMax) return { kind: 'too-large', bytes: stats.size }
  const bytes = await readRegular(host, bytesMax)
  return bytes === undefined ? { kind: 'missing' } : { kind: 'bytes', bytes }
}

/** The regular files below a folder. */
export async function collectFiles(want: FolderWant & { kind: 'files' }, at: Collection): Promise<Got> {
  const folder = await realFolder(want.path, at)
  if (folder === undefined) return { kind: 'missing' }
  const files: GotFile[] = []
  let left = want.bytesMax
  let skipped = 0
  for await (const { path, host, stats } of walk(folder, at)) {
    if (stats.isDirectory()) continue
    if (files.length >= want.entriesMax) {
      skipped++
      continue
    }
    const fits = stats.size <= left
    const content = fits ? await readRegular(host, left) : undefined
    if (content !== undefined) left -= content.length
    files.push({
      path: path.toString(),
      bytes: stats.size,
      mode: modeOf(path, stats, at),
      ...present({ content }),
    })
  }
  if (skipped > 0)
    at.note(`${skipped} files of ${shown(want.path)} were left out: more than ${want.entriesMax}`)
  return { kind: 'files', files }
}

/** A folder as a tar: files, folders and permission bits; owners, links and special files are not kept. */
export async function collectTar(want: FolderWant & { kind: 'tar' }, at: Collection): Promise<Got> {
  const folder = await realFolder(want.path, at)
  if (folder === undefined) return { kind: 'missing' }
  const pieces: Uint8Array[] = []
  let bytes = 0
  const add = (piece: Uint8Array): void => {
    bytes += piece.length
    if (bytes <= want.bytesMax) pieces.push(piece)
  }
  for await (const { path, host, stats } of walk(folder, at)) {
    const folderOrFile = stats.isDirectory() ? 'folder' : 'file'
    const content =
      folderOrFile === 'file' ? await sizedContent(host, stats, want.bytesMax - bytes) : undefined
    if (folderOrFile === 'file' && content === undefined) {
      bytes += stats.size
      continue
    }
    const size = content?.length ?? 0
    const kind = folderOrFile
    const name = path.toString('latin1')
    add(
      tarHeader({
        kind,
        path: name,
        target: '',
        bytes: size,
        mode: modeOf(path, stats, at),
        uid: 0,
        gid: 0,
        mtime: 0,
      }),
    )
    if (content !== undefined) add(content)
    add(tarPadding(size))
  }
  add(tarEnd())
  if (bytes > want.bytesMax) return { kind: 'too-large', bytes }
  return { kind: 'bytes', bytes: new Uint8Array(Buffer.concat(pieces)) }
}

function modeOf(path: Buffer, { mode }: Stats, { modes }: Collection): number {
  return (modes?.get(path.toString('latin1')) ?? mode) & 0o777
}

async function sizedContent(host: Buffer, { size }: Stats, left: number): Promise<Uint8Array | undefined> {
  return size > left ? undefined : await readRegular(host, size)
}

/** A regular file, opened so that nothing put in its place could hang or mislead us. */
async function readRegular(host: string | Buffer, bytesMax: number): Promise<Uint8Array | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(host, flags).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ELOOP' ? undefined : unlessAbsent(error),
  )
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > bytesMax) return undefined
    const buffer = Buffer.alloc(stats.size)
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return new Uint8Array(buffer.subarray(0, filled))
  } finally {
    await handle.close()
  }
}

interface Walked {
  readonly path: Buffer
  readonly host: Buffer
  readonly stats: Stats
}

const depthMax = 64
const slash = Buffer.from('/')

/** Names are bytes; a folder comes before what is in it, names in the order of their bytes. */
async function* walk(
  folder: string,
  at: Collection,
  inner = Buffer.alloc(0),
  depth = 0,
): AsyncIterable<Walked> {
  const here = inner.length === 0 ? Buffer.from(folder) : Buffer.concat([Buffer.from(folder), slash, inner])
  const names = await readdir(here, { encoding: 'buffer' })
  for (const name of names.sort(Buffer.compare)) {
    const path = inner.length === 0 ? name : Buffer.concat([inner, slash, name])
    const host = Buffer.concat([Buffer.from(folder), slash, path])
    const stats = await lstat(host)
    if (!stats.isDirectory() && !stats.isFile()) {
      at.note(`${shown(path.toString())} is ${kindOf(stats)} and was left out`)
      continue
    }
    if (stats.isDirectory() && depth >= depthMax) {
      at.note(`${shown(path.toString())} lies too deep and was left out`)
      continue
    }
    yield { path, host, stats }
    if (stats.isDirectory()) yield* walk(folder, at, path, depth + 1)
  }
}

/** Folders above may be links of the image, which are followed inside; the last part never is. */
async function realPlace(path: string, at: Collection): Promise<string> {
  const { root, path: inner } = at.locate(path)
  if (inner === '' || inner === '/') return root
  const parent = resolveInLayers([root], dirname(inner))
  return join(root, parent.path, basename(inner))
}

async function realFolder(path: string, at: Collection): Promise<string | undefined> {
  const host = await realPlace(path, at)
  const stats = await lstat(host).catch(unlessAbsent)
  if (stats === undefined) return undefined
  if (stats.isDirectory()) return host
  at.note(`${shown(path)} is ${kindOf(stats)} and was not read`)
  return undefined
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a link'
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  if (stats.isSocket()) return 'a socket'
  return stats.isFile() ? 'a file' : 'a device'
}

function shown(path: string): string {
  return shorten(printable(path), 200)
}
