/** Lays layers over each other in one plain folder, for hosts that cannot stack them. */
import { chmod, chown, copyFile, link, lstat, mkdir, rm, utimes } from 'node:fs/promises'
import { parentOf } from '../archive/names.ts'
import { onDisk } from './byte-path.ts'
import { isImplied, listAt, lookAt, type UnpackedLayer } from './layer-look.ts'

/** Fills an empty folder; files are hard links to those of the layers, so neither may be written to. */
export async function flatten(layers: readonly UnpackedLayer[], folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const layer of layers) {
    for (const path of layer.notes.whiteouts) await removeAt(folder, path)
    for (const path of layer.notes.opaque) await emptyAt(folder, path)
    await mergeFolder(layer, folder, '')
  }
}

async function mergeFolder(layer: UnpackedLayer, folder: string, path: string): Promise<void> {
  for (const entry of await listAt(layer.folder, path)) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    // A whiteout of overlay, which is what a layer unpacked by root has in place of a deleted file.
    if (entry.isCharacterDevice()) continue
    const there = await lookAt(folder, inner)
    if (entry.isDirectory()) {
      if (there !== undefined && !there.isDirectory()) await rm(onDisk(folder, inner))
      if (!there?.isDirectory()) await mkdir(onDisk(folder, inner), 0o755)
      await mergeFolder(layer, folder, inner)
      if (!there?.isDirectory() || !isImplied(layer, inner)) await copyAttributes(layer, folder, inner)
    } else {
      if (there !== undefined) await rm(onDisk(folder, inner), { recursive: true })
      await linkOrCopy(onDisk(layer.folder, inner), onDisk(folder, inner))
    }
  }
  if (path === '' && !isImplied(layer, '')) await copyAttributes(layer, folder, '')
}

async function copyAttributes(layer: UnpackedLayer, folder: string, path: string): Promise<void> {
  const { uid, gid, mode, atime, mtime } = await lstat(onDisk(layer.folder, path))
  const place = onDisk(folder, path)
  if (process.geteuid?.() === 0) await chown(place, uid, gid)
  await chmod(place, mode & 0o7777)
  await utimes(place, atime, mtime)
}

async function linkOrCopy(from: string | Buffer, to: string | Buffer): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    // Some file systems bound the number of links to one file.
    if ((error as NodeJS.ErrnoException).code !== 'EMLINK') throw error
    await copyFile(from, to)
    const { uid, gid, mode, atime, mtime } = await lstat(from)
    if (process.geteuid?.() === 0) await chown(to, uid, gid)
    await chmod(to, mode & 0o7777)
    await utimes(to, atime, mtime)
  }
}

async function removeAt(folder: string, path: string): Promise<void> {
  const parent = await lookAt(folder, parentOf(path))
  if (parent?.isDirectory()) await rm(onDisk(folder, path), { recursive: true, force: true })
}

async function emptyAt(folder: string, path: string): Promise<void> {
  for (const { name } of await listAt(folder, path)) {
    await rm(onDisk(folder, path === '' ? name : `${path}/${name}`), { recursive: true, force: true })
  }
}
