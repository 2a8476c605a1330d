/** Makes layers fit to be stacked by overlay: what plain folders cannot say is said by small folders in between. */
import { chmod, chown, link, mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { parentOf } from '../archive/names.ts'
import { onDisk } from './byte-path.ts'
import { folderAttributes, isImplied, listAt, lookAt, type UnpackedLayer } from './layer-look.ts'

/**
 * Two things need folders of their own, made below `folder`:
 * - an opaque folder, whose attribute Node cannot set: a mask below its layer has a whiteout for each name that lower
 *   layers have there;
 * - a folder the tar has no entry for: on top, one with the attributes of the layers below, or overlay would show ours.
 * Answers the names of these folders in their places, lowest first; a layer of the image is its position.
 */
export async function makeStack(
  layers: readonly UnpackedLayer[],
  folder: string,
  whiteout: string,
): Promise<readonly (number | string)[]> {
  const stack: (number | string)[] = []
  for (const [i, layer] of layers.entries()) {
    const name = `mask-${i}`
    const masked = await makeMask(layers.slice(0, i), layer.notes.opaque, {
      folder: join(folder, name),
      whiteout,
    })
    stack.push(...(masked ? [name] : []), i)
  }
  const mended = await makeMend(layers, join(folder, 'mend'))
  return mended ? [...stack, 'mend'] : stack
}

async function makeMask(
  below: readonly UnpackedLayer[],
  opaque: readonly string[],
  { folder, whiteout }: { readonly folder: string; readonly whiteout: string },
): Promise<boolean> {
  let made = false
  for (const path of opaque) {
    const names = new Set<string>()
    for (const layer of below) for (const { name } of await listAt(layer.folder, path)) names.add(name)
    if (names.size === 0) continue
    await mkdir(onDisk(folder, path), { recursive: true, mode: 0o755 })
    for (const name of names) {
      // A folder masked already as part of an opaque one above it needs no whiteouts inside.
      await link(whiteout, onDisk(folder, path === '' ? name : `${path}/${name}`)).catch(unlessThere)
    }
    made = true
  }
  return made
}

async function makeMend(layers: readonly UnpackedLayer[], folder: string): Promise<boolean> {
  const wanted = new Set<string>()
  for (const path of new Set(layers.flatMap(({ notes }) => notes.implicit))) {
    if (await needsMending(layers, path)) wanted.add(path)
  }
  const made = new Set<string>()
  for (const path of wanted) await mendFolder(path, { layers, folder, made })
  for (const path of [...made].toReversed()) await dressFolder(path, { layers, folder, made })
  return wanted.size > 0
}

interface Mend {
  readonly layers: readonly UnpackedLayer[]
  readonly folder: string
  readonly made: Set<string>
}

/** Only where the topmost layer that has the folder merely implies it, and one below knows better. */
async function needsMending(layers: readonly UnpackedLayer[], path: string): Promise<boolean> {
  for (const layer of layers.toReversed()) {
    const there = await lookAt(layer.folder, path)
    if (there === undefined) continue
    if (!there.isDirectory() || !isImplied(layer, path)) return false
    const attributes = await folderAttributes(layers, path)
    if (attributes === undefined) return false
    return attributes.uid !== 0 || attributes.gid !== 0 || (attributes.mode & 0o7777) !== 0o755
  }
  return false
}

async function mendFolder(path: string, mend: Mend): Promise<void> {
  if (mend.made.has(path)) return
  if (path !== '') await mendFolder(parentOf(path), mend)
  await mkdir(onDisk(mend.folder, path), { recursive: path === '', mode: 0o755 })
  mend.made.add(path)
}

async function dressFolder(path: string, { layers, folder }: Mend): Promise<void> {
  const attributes = await folderAttributes(layers, path)
  const place = onDisk(folder, path)
  if (attributes === undefined) return await chmod(place, 0o755)
  await chown(place, attributes.uid, attributes.gid)
  await chmod(place, attributes.mode & 0o7777)
  await utimes(place, attributes.atime, attributes.mtime)
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error
}
