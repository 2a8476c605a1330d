/** The names under which commands work on operations: they tell whether the command still lives. */
import { hostname } from 'node:os'
import type { Chance } from '../kit/clock.ts'

const prefix = 'command'

/** A name that no other command has. */
export function ownerName(chance: Chance): string {
  return `${prefix}:${hostname()}:${process.pid}:${Buffer.from(chance.bytes(4)).toString('hex')}`
}

/** The process that an owner is, where it is one of this machine. */
export function processOf(owner: string): number | undefined {
  const [kind, host, pid] = owner.split(':')
  return kind === prefix && host === hostname() ? Number(pid) : undefined
}

/** Whether the command has certainly ended: what it held may be taken up at once. */
export function hasDied(owner: string): boolean {
  const pid = processOf(owner)
  return pid !== undefined && !isAlive(pid)
}

/** Whether there is a process of that number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
