/** What trees, and files that only processes still hold, take of the disk. */
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** The least that is counted for a name, so that names without content are bounded, too. */
const nameBytes = 4096
/** After so many names others get their turn. */
const namesAtOnce = 512

/**
 * What lies below some folders; links are not followed, and a file of several names counts once.
 * Infinite for a tree that is too deep to be looked at, which no honest program makes.
 */
export async function bytesBelow(folders: readonly string[]): Promise<number> {
  const waiting = [...folders]
  const seen = new Set<string>()
  let bytes = 0
  let names = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const items = namesIn(folder)
    if (items === undefined) return Number.POSITIVE_INFINITY
    for (const item of items) {
      const path = join(folder, item.name)
      bytes += bytesOf(path, seen)
      if (item.isDirectory()) waiting.push(path)
      names += 1
      if (names % namesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return bytes
}

/** Nothing of a folder that has gone or may not be read; undefined where its path is too long. */
function namesIn(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG' ? undefined : []
  }
}

function bytesOf(path: string, seen: Set<string>): number {
  const stats = statOf(() => lstatSync(path))
  if (stats === undefined) return 0
  if (stats.nlink > 1 && stats.isFile()) {
    if (seen.has(`${stats.dev} ${stats.ino}`)) return 0
    seen.add(`${stats.dev} ${stats.ino}`)
  }
  return Math.max(stats.blocks * 512, nameBytes)
}

/** Files without a name live on as long as a process holds them; those that lie on memory are no matter of the disk. */
export function bytesHeld(pids: readonly number[]): number {
  const seen = new Set<string>()
  let bytes = 0
  for (const pid of pids) {
    for (const { name } of namesIn(`/proc/${pid}/fd`) ?? []) {
      const path = `/proc/${pid}/fd/${name}`
      const stats = statOf(() => statSync(path))
      if (stats === undefined || stats.nlink > 0 || !stats.isFile()) continue
      const key = `${stats.dev} ${stats.ino}`
      if (seen.has(key) || isOnMemory(path)) continue
      seen.add(key)
      bytes += stats.blocks * 512
    }
  }
  return bytes
}

function isOnMemory(path: string): boolean {
  try {
    return /^\/(memfd:|dev\/|SYSV)/.test(readlinkSync(path))
  } catch {
    return true
  }
}

function statOf(look: () => Stats): Stats | undefined {
  try {
    return look()
  } catch {
    // It has gone meanwhile.
    return undefined
  }
}
