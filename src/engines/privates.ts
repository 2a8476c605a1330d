/** Where secrets of runs lie: on memory, so that a disk never sees them; else beside the runs. */
import { existsSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { lstat, readdir, readFile, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import { shortName } from '../kit/hash.ts'
import { unlessAbsent } from './absent.ts'
import { namesIn } from './names-in.ts'

const memory = '/dev/shm'
const tmpfs = 0x01021994
/** With less room than this, inputs of a few runs could fill it. */
const roomBytes = 256 * 1024 * 1024

/** Whose it is: the namespace of mounts in which the path of an engine's folder means something, and that path. */
const marker = '.of'

/**
 * Finds the place that belongs to an engine's folder. Room on memory comes and goes: where something lies in the named folder of a
 * place, an earlier process has chosen it, and runs may depend on that.
 */
export async function findPrivates(engine: string, kept?: string): Promise<string> {
  const folder = resolve(engine)
  const onMemory = join(memory, `chandler-${process.geteuid?.() ?? 0}-${shortName(folder, 12)}`)
  const beside = join(folder, 'private')
  const isChosen = (place: string): boolean => kept !== undefined && namesIn(join(place, kept)).length > 0
  if ((await isOurs(onMemory)) && isChosen(onMemory)) return onMemory
  if (isChosen(beside)) return beside
  if (await hasRoom()) {
    makePrivates(onMemory, folder)
    if (await isOurs(onMemory)) return onMemory
  }
  makePrivates(beside, folder)
  return beside
}

/** Makes it where it is missing: the last process that closed may have taken it away. */
export function makePrivates(privates: string, engine: string): void {
  try {
    if (mkdirSync(privates, { recursive: true, mode: 0o700 }) === undefined) return
    writeFileSync(join(privates, marker), `${namespaceOfMounts()}\n${resolve(engine)}`, { mode: 0o600 })
  } catch {
    // Another user's, or taken away again at this moment: the next write there fails and says so.
  }
}

/** Takes it away when it holds nothing any more. */
export async function leavePrivates(privates: string): Promise<void> {
  const names = await readdir(privates).catch(() => [])
  if (names.some((name) => name !== marker)) return
  await rm(join(privates, marker), { force: true })
  await rmdir(privates).catch(() => undefined)
}

function namespaceOfMounts(): string {
  return readlinkSync('/proc/self/ns/mnt')
}

async function hasRoom(): Promise<boolean> {
  const stats = await statfs(memory).catch(() => undefined)
  return stats?.type === tmpfs && stats.bavail * stats.bsize >= roomBytes
}

/** The folder lies where every user may write: one that another user made is not used. */
async function isOurs(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isDirectory() === true && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0
}

const orphanMs = 3_600_000

/** Takes away what no run owns, left by a crash between two steps; what is made is called after a run. */
export async function sweepPrivates(
  privates: string,
  clock: Clock,
  isOwned: (path: string, run: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const name of (await readdir(privates).catch(unlessAbsent)) ?? []) {
    if (name === marker) continue
    const path = join(privates, name)
    const [run = ''] = name.split('~')
    if (await isOwned(path, run)) continue
    const stats = await stat(path).catch(unlessAbsent)
    if (stats && clock.now() - stats.mtimeMs > orphanMs) await rm(path, { recursive: true, force: true })
  }
}

/** Takes away what belongs to engines whose folder was removed from outside; nothing else would before the next boot. */
export async function sweepStrays(clock: Clock, olderThanMs = orphanMs): Promise<void> {
  const own = `chandler-${process.geteuid?.() ?? 0}-`
  for (const name of (await readdir(memory).catch(unlessAbsent)) ?? []) {
    if (!name.startsWith(own)) continue
    const path = join(memory, name)
    const said = await readFile(join(path, marker), 'utf8').catch(() => '')
    const [namespace, folder = ''] = said.split('\n')
    // What another namespace calls by that name cannot be seen from here.
    if (namespace !== namespaceOfMounts() || folder === '' || existsSync(folder)) continue
    const stats = await stat(path).catch(unlessAbsent)
    if (stats && clock.now() - stats.mtimeMs >= olderThanMs) await rm(path, { recursive: true, force: true })
  }
}
