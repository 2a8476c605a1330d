/** Identifies a process: boot, number and start time together, since numbers are given again. */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readSmall, unlessAbsent } from '../absent.ts'
import { isHeld } from '../held.ts'
import { lockFile, type RunPaths } from './run-folder.ts'

/** The id of this boot of the host. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

export interface ProcessMark {
  readonly pid: number
  /** Field 22 of /proc/PID/stat, in ticks since boot. */
  readonly startTime: string
}

/** The mark that a process left of itself: a line of /proc/PID/stat. */
export function markOf(stat: string): ProcessMark | undefined {
  const pid = Number.parseInt(stat, 10)
  // The second field is a name in brackets that may hold anything.
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return Number.isInteger(pid) && startTime !== undefined ? { pid, startTime } : undefined
}

/** Whether exactly that process is alive. */
export function isAlive({ pid, startTime }: ProcessMark): boolean {
  const line = readSmall(`/proc/${pid}/stat`)
  if (line === undefined) return false
  const state = line.slice(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3)
  return state !== 'Z' && state !== 'X' && markOf(line)?.startTime === startTime
}

export type ShimState =
  | { readonly kind: 'not-begun' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'alive'; readonly mark: ProcessMark }
  | { readonly kind: 'dead'; readonly mark: ProcessMark }

/** Whether a run laid out in this boot has begun, or never may: the quickest look. */
export function beginning({ began }: RunPaths): 'not-begun' | 'forbidden' | 'begun' {
  const text = readSmall(began)
  if (text === undefined) return 'not-begun'
  return text.startsWith('forbidden') ? 'forbidden' : 'begun'
}

/** How it stands with the shim of a run laid out in this boot. */
export async function shimState(paths: RunPaths): Promise<ShimState> {
  const text = readSmall(paths.began)
  if (text === undefined) return { kind: 'not-begun' }
  if (text.startsWith('forbidden')) return { kind: 'forbidden' }
  const mark = markOf(text)
  // Made but not yet written to: the process that made it is about to, and has said before which one it is.
  if (mark === undefined) return await stateOfAny(paths)
  if (isAlive(mark)) return { kind: 'alive', mark }
  // Seen from another process namespace the number means nothing; the lock does.
  return (await isHeld(lockFile(paths, mark.pid))) ? { kind: 'alive', mark } : { kind: 'dead', mark }
}

const nobody: ProcessMark = { pid: 0, startTime: '0' }

async function stateOfAny({ folder }: RunPaths): Promise<ShimState> {
  const names = (await readdir(folder).catch(unlessAbsent)) ?? []
  const locks = names.filter((name) => name.startsWith('lock.')).map((name) => join(folder, name))
  const marks = locks.flatMap((lock) => markOf(readSmall(lock) ?? '') ?? [])
  const mark = marks.find(isAlive)
  if (mark !== undefined) return { kind: 'alive', mark }
  const held = await Promise.all(locks.map(isHeld))
  return { kind: held.includes(true) ? 'alive' : 'dead', mark: nobody }
}
