/** Looks at stacked layers as the program will see them: whiteouts hide, links are followed inside and never out. */
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../model/problem.ts'

/** What a path of the container comes to. */
export interface Spot {
  /** The path without links. */
  readonly path: string
  /** What lies there, if anything. */
  readonly there?: { readonly stats: Stats; readonly host: string }
}

const linksMax = 40

/** Follows a path through the layers, topmost first. Problems: engine.start-failed for a circle of links. */
export function resolveInLayers(layers: readonly string[], path: string): Spot {
  const todo = path.split('/').filter(isName)
  let at: readonly string[] = []
  let visible = layers
  let there: Spot['there']
  let links = 0
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === '..') {
      at = at.slice(0, -1)
      visible = foldersAt(layers, at)
      there = undefined
      continue
    }
    const found = topmost(visible, [...at, name])
    if (found?.stats.isSymbolicLink()) {
      if (++links > linksMax) return fail('engine.start-failed', `${path} is a circle of links`)
      const target = readlinkSync(found.host)
      todo.unshift(...target.split('/').filter(isName))
      if (target.startsWith('/')) {
        at = []
        visible = layers
      }
      there = undefined
      continue
    }
    at = [...at, name]
    visible = found?.stats.isDirectory() ? found.folders : []
    there = found
  }
  const plain = `/${at.join('/')}`
  if (at.length === 0) return rootOf(layers)
  there ??= topmost(foldersAt(layers, at.slice(0, -1)), at)
  return there === undefined ? { path: plain } : { path: plain, there }
}

/** A small text file of the image, such as its list of users. */
export function readInLayers(layers: readonly string[], path: string): string | undefined {
  const { there } = resolveInLayers(layers, path)
  if (!there?.stats.isFile() || there.stats.size > textBytesMax) return undefined
  return readFileSync(there.host, 'utf8')
}

const textBytesMax = 1024 * 1024

function rootOf(layers: readonly string[]): Spot {
  const [top] = layers
  return top === undefined ? { path: '/' } : { path: '/', there: { stats: lstatSync(top), host: top } }
}

interface Found {
  readonly stats: Stats
  readonly host: string
  /** The layers in which it is a folder that shows through. */
  readonly folders: readonly string[]
}

function topmost(layers: readonly string[], names: readonly string[]): Found | undefined {
  let found: { readonly stats: Stats; readonly host: string } | undefined
  const folders: string[] = []
  for (const layer of layers) {
    const host = join(layer, ...names)
    const stats = lookAt(host)
    if (stats === undefined) continue
    if (isWhiteout(stats)) break
    if (stats.isDirectory()) folders.push(layer)
    found ??= { stats, host }
    if (!stats.isDirectory()) break
  }
  return found && { ...found, folders }
}

function foldersAt(layers: readonly string[], names: readonly string[]): readonly string[] {
  let visible = layers
  for (const [i] of names.entries()) {
    const found = topmost(visible, names.slice(0, i + 1))
    visible = found?.stats.isDirectory() ? found.folders : []
  }
  return visible
}

function isName(name: string): boolean {
  return name !== '' && name !== '.'
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}

/** Local and small: a thread would cost more than the look itself. */
function lookAt(host: string): Stats | undefined {
  try {
    return lstatSync(host, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}
