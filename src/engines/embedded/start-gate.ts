/** Whether a run that is begun ahead has come to its door. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readSmall } from '../absent.ts'
import { familyOf } from '../family.ts'
import { namesIn } from '../names-in.ts'
import { markOf, type ProcessMark } from './identity.ts'
import type { StartGate } from './shim.ts'

/** Looks among all that the shim of a folder has started: something reads from the pipe, or stands in front of the program. */
export async function isAtStartGate(
  folder: string,
  { kind, place }: StartGate,
  name: string,
): Promise<boolean> {
  const pipe = statSync(join(folder, place), { throwIfNoEntry: false })
  const shim = shimIn(folder)
  if (pipe?.isFIFO() !== true || shim === undefined) return false
  const family = await familyOf(shim.pid)
  return family.some((pid) => (kind === 'word' ? isCalled(pid, name) : reads(pid, pipe)))
}

/** The only shim of a run that waits, once it has written its process number. */
export function shimIn(folder: string): ProcessMark | undefined {
  const lock = namesIn(folder).find((file) => file.startsWith('lock.'))
  return lock === undefined ? undefined : markOf(readSmall(join(folder, lock)) ?? '')
}

function isCalled(pid: number, name: string): boolean {
  return readSmall(`/proc/${pid}/cmdline`)?.split('\0').includes(name) === true
}

/** A keeper process that only holds the pipe open holds it for writing, too. */
function reads(pid: number, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const open = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false })
      return open?.ino === ino && open.dev === dev && isForReading(`/proc/${pid}/fdinfo/${fd}`)
    })
  } catch {
    // It has ended meanwhile.
    return false
  }
}

/** The last bits of the flags, in octal, say what a file was opened for. */
function isForReading(info: string): boolean {
  const [, flags = '3'] = /^flags:\s*([0-7]+)$/m.exec(readSmall(info) ?? '') ?? []
  return (Number.parseInt(flags, 8) & 3) === 0
}
