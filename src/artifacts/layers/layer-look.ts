/** Looks into unpacked layers without ever following a link out of them. */
import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { parentOf } from '../archive/names.ts'
import { onDisk } from './byte-path.ts'
import type { LayerNotes } from './layer-order.ts'

export interface UnpackedLayer {
  readonly folder: string
  readonly notes: LayerNotes
}

interface Marks {
  readonly implicit: ReadonlySet<string>
  readonly hidden: ReadonlySet<string>
}

/** The notes of a hostile layer may have a million paths, too many to search one by one. */
const marks = new WeakMap<LayerNotes, Marks>()

function marksOf(notes: LayerNotes): Marks {
  const known = marks.get(notes)
  if (known !== undefined) return known
  const made = { implicit: new Set(notes.implicit), hidden: new Set([...notes.whiteouts, ...notes.opaque]) }
  marks.set(notes, made)
  return made
}

/** Whether a layer has a folder only because something lies in it. */
export function isImplied({ notes }: UnpackedLayer, path: string): boolean {
  return marksOf(notes).implicit.has(path)
}

/** What lies at a path, if all folders above it are real folders of this layer. */
export async function lookAt(root: string, path: string): Promise<Stats | undefined> {
  if (path !== '') {
    const above = await lookAt(root, parentOf(path))
    if (!above?.isDirectory()) return undefined
  }
  try {
    return await lstat(onDisk(root, path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** The entries of a folder by byte strings; none when there is no such folder. */
export async function listAt(root: string, path: string): Promise<readonly Dirent<string>[]> {
  const there = await lookAt(root, path)
  if (!there?.isDirectory()) return []
  return await readdir(onDisk(root, path), { withFileTypes: true, encoding: 'latin1' })
}

/** A folder's attributes as the layers up to the top one show them together; undefined: only implied by its contents. */
export async function folderAttributes(
  layers: readonly UnpackedLayer[],
  path: string,
): Promise<Stats | undefined> {
  for (const layer of layers.toReversed()) {
    const there = await lookAt(layer.folder, path)
    if (there !== undefined && !there.isDirectory()) return undefined
    if (there !== undefined && !isImplied(layer, path)) return there
    if (hides(layer.notes, path)) return undefined
  }
  return undefined
}

/** Whether a layer hides what those below have at a path. */
function hides(notes: LayerNotes, path: string): boolean {
  const { hidden } = marksOf(notes)
  if (hidden.size === 0) return false
  if (hidden.has(path)) return true
  for (let above = path; above !== ''; ) {
    above = parentOf(above)
    if (hidden.has(above)) return true
  }
  return false
}
