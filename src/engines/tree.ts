/** Puts things into the root file system of a run: into its top layer, with folders that look as they did below. */
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { resolveInLayers, type Spot } from './layer-view.ts'

export interface Tree {
  /** The folder that is written to; also the first of the layers. */
  readonly top: string
  readonly layers: readonly string[]
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The owner of files that belong to no program's user. */
export const system: Owner = { uid: 0, gid: 0 }

/** Only root can give files away; else everything stays ours. */
const mayGive = process.geteuid?.() === 0

/** Writes a file, taking the place of what lies there. Answers its path without links. */
export function putFile(
  tree: Tree,
  path: string,
  bytes: Uint8Array | string,
  as: Owner & { readonly mode: number },
): string {
  const { spot, host } = clearPlace(tree, path, as)
  writeFileSync(host, bytes, { flag: 'wx', mode: 0o600 })
  dress(host, as)
  return spot.path
}

/** Puts a symbolic link; the last part of the path is not followed. */
export function putLink(tree: Tree, path: string, target: string, owner: Owner): void {
  const parent = resolveInLayers(tree.layers, dirname(path))
  const host = join(tree.top, parent.path, path.slice(path.lastIndexOf('/') + 1))
  makeFolders(tree, parent.path, owner)
  rmSync(host, { recursive: true, force: true })
  symlinkSync(target, host)
  if (mayGive) lchownSync(host, owner.uid, owner.gid)
}

/** Makes sure that something can be mounted over a path. Answers the path without links. */
export function makeMountPoint(tree: Tree, path: string, kind: 'file' | 'folder', owner: Owner): string {
  const spot = resolveInLayers(tree.layers, path)
  const fits = kind === 'folder' ? spot.there?.stats.isDirectory() : spot.there?.stats.isFile()
  if (fits) return spot.path
  const host = join(tree.top, spot.path)
  makeFolders(tree, dirname(spot.path), owner)
  rmSync(host, { recursive: true, force: true })
  if (kind === 'folder') mkdirSync(host)
  else writeFileSync(host, '', { flag: 'wx' })
  dress(host, { ...owner, mode: kind === 'folder' ? 0o755 : 0o644 })
  return spot.path
}

/** Makes a folder and those above it; what exists below keeps its owner and mode. Answers its path without links. */
export function makeFolderIn(tree: Tree, path: string, owner: Owner): string {
  const spot = resolveInLayers(tree.layers, path)
  makeFolders(tree, spot.path, owner)
  return spot.path
}

/** Sets owner and mode of what we wrote. */
export function dress(host: string | Buffer, { uid, gid, mode }: Owner & { readonly mode: number }): void {
  if (mayGive) chownSync(host, uid, gid)
  chmodSync(host, mode)
}

interface Place {
  readonly spot: Spot
  readonly host: string
}

function clearPlace(tree: Tree, path: string, owner: Owner): Place {
  const spot = resolveInLayers(tree.layers, path)
  const host = join(tree.top, spot.path)
  makeFolders(tree, dirname(spot.path), owner)
  rmSync(host, { recursive: true, force: true })
  return { spot, host }
}

/** Every folder on the way, in the top layer, dressed as the layers below show it or else as the owner's. */
function makeFolders(tree: Tree, path: string, owner: Owner): void {
  const names = path.split('/').filter((name) => name !== '')
  for (let i = 0; i <= names.length; i++) {
    const here = `/${names.slice(0, i).join('/')}`
    const host = join(tree.top, here)
    const there = lstatSync(host, { throwIfNoEntry: false })
    if (there?.isDirectory() && i > 0) continue
    const below = resolveInLayers(tree.layers.slice(1), here).there?.stats
    if (!there?.isDirectory()) {
      rmSync(host, { force: true })
      mkdirSync(host)
    }
    if (below?.isDirectory()) dress(host, { uid: below.uid, gid: below.gid, mode: below.mode & 0o7777 })
    else if (i > 0) dress(host, { ...owner, mode: 0o755 })
  }
}
