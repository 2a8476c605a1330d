/** Paths inside archives: made plain, or refused when they could lead outside. */
import { printable, shorten } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import type { ArchiveLimits } from '../limits.ts'

/** A path without `.` and empty parts; the root is the empty text. Problems: archive.path-unsafe, archive.limit. */
export function plainPath(
  path: string,
  limits: Pick<ArchiveLimits, 'pathBytesMax' | 'nestingDepthMax'>,
): string {
  if (path.length > limits.pathBytesMax) {
    return fail('archive.limit', `a path of ${path.length} bytes, more than ${limits.pathBytesMax}`)
  }
  if (limits.nestingDepthMax >= 50 && isPlain(path)) return path
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.startsWith('/') && parts.length > 0) unsafe(path, 'is absolute')
  if (parts.includes('..')) unsafe(path, 'has ".."')
  if (path.includes('\0')) unsafe(path, 'has a zero byte')
  if (parts.some((part) => part.length > 255)) unsafe(path, 'has a part of more than 255 bytes')
  if (parts.length > limits.nestingDepthMax) {
    return fail('archive.limit', `a path nested ${parts.length} deep, more than ${limits.nestingDepthMax}`)
  }
  return parts.join('/')
}

/** The same for layers of images, whose root is the only one there is: a leading slash leads nowhere else. */
export function layerPath(
  path: string,
  limits: Pick<ArchiveLimits, 'pathBytesMax' | 'nestingDepthMax'>,
): string {
  return plainPath(path.startsWith('/') ? path.replace(/^\/+/, '') : path, limits)
}

/** The folder a plain path lies in; the root is the empty text. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** The last part of a plain path. */
export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A path for a message. */
export function shownPath(path: string): string {
  return JSON.stringify(shorten(printable(path), 200))
}

/** The plain path a relative link at `path` leads to; undefined when it is absolute or climbs out of the root. */
export function linkedPath(path: string, target: string): string | undefined {
  if (target.startsWith('/')) return undefined
  const here = parentOf(path) === '' ? [] : parentOf(path).split('/')
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') here.push(part)
    else if (here.pop() === undefined) return undefined
  }
  return here.join('/')
}

/** The plain path a link at `path` leads to for a program whose root is the layer: above that there is nothing. */
export function rootedPath(path: string, target: string): string {
  const here = target.startsWith('/') || parentOf(path) === '' ? [] : parentOf(path).split('/')
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') here.pop()
    else here.push(part)
  }
  return here.join('/')
}

function unsafe(path: string, why: string): never {
  return fail('archive.path-unsafe', `${shownPath(path)} ${why}`)
}

/** The usual case, decided without splitting: short, no dots at the start of a part, no doubled slashes. */
function isPlain(path: string): boolean {
  return path.length < 100 && /^(?:[^/.\0][^/\0]*)(?:\/[^/.\0][^/\0]*)*$/.test(path)
}
