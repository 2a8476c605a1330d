/** Whether a program has come to its door: one of its processes reads from the pipe there. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readSmall } from '../absent.ts'
import { markOf } from './identity.ts'
import { familyOf } from './stop.ts'

/** Looks among all that the shim of a folder has started; those who only hold the pipe open hold it for writing, too. */
export async function isAtDoor(folder: string, place: string): Promise<boolean> {
  const door = statSync(join(folder, place), { throwIfNoEntry: false })
  const lock = readdirSync(folder).find((name) => name.startsWith('lock.'))
  const shim = lock === undefined ? undefined : markOf(readSmall(join(folder, lock)) ?? '')
  if (door?.isFIFO() !== true || shim === undefined) return false
  const family = await familyOf(shim.pid)
  return family.some((pid) => reads(pid, door))
}

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
