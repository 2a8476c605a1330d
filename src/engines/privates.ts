/** Where secrets of runs lie: on memory, so that a disk never sees them; else beside the runs. */
import { lstat, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import { unlessAbsent } from './absent.ts'

const memory = '/dev/shm'
const tmpfs = 0x01021994
/** With less room than this, inputs of a few runs could fill it. */
const roomBytes = 256 * 1024 * 1024

/** Finds the place, known by the engine's folder. */
export async function findPrivates(folder: string, name: string): Promise<string> {
  const onMemory = join(memory, `chandler-${process.geteuid?.() ?? 0}-${name}`)
  return (await hasRoom()) && (await isOurs(onMemory)) ? onMemory : await make(join(folder, 'private'))
}

async function hasRoom(): Promise<boolean> {
  const stats = await statfs(memory).catch(() => undefined)
  return stats?.type === tmpfs && stats.bavail * stats.bsize >= roomBytes
}

/** The folder lies where everybody may write: one that somebody else made is not used. */
async function isOurs(path: string): Promise<boolean> {
  await mkdir(path, { mode: 0o700 }).catch(() => undefined)
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isDirectory() === true && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0
}

async function make(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  return path
}

const orphanMs = 3_600_000

/** Takes away what no run owns, left by a crash between two steps; `owned` says what a run owns. */
export async function sweepPrivates(
  privates: string,
  clock: Clock,
  owned: (run: string) => Promise<string | undefined>,
): Promise<void> {
  for (const name of (await readdir(privates).catch(unlessAbsent)) ?? []) {
    const path = join(privates, name)
    const [run = ''] = name.split('~')
    if ((await owned(run)) === path) continue
    const stats = await stat(path).catch(unlessAbsent)
    if (stats && clock.now() - stats.mtimeMs > orphanMs) await rm(path, { recursive: true, force: true })
  }
}
