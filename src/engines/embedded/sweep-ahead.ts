/** What was begun ahead by a process that is gone: its shim ends with that process, its folders stay. */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readSmall, unlessAbsent } from '../absent.ts'
import { removeCutShort } from '../cut-short.ts'
import { clearAway, type Discarding } from './discard.ts'
import { pathsIn } from './run-folder.ts'

/** Numbers of processes are given again, in containers nearly always the same one. */
const ofThisProcess = randomBytes(4).toString('hex')

/** A new name of what is begun ahead; it tells which process it waits for. */
export function nameAhead(): string {
  return `chd-ahead-${process.pid}-${ofThisProcess}${randomBytes(4).toString('hex')}`
}

const named = /^(chd-ahead-(\d+)-([0-9a-f]{8})[0-9a-f]*)~/

/** Takes away what waits for no process any more. */
export async function sweepAhead(at: Discarding): Promise<void> {
  const { aside, privates } = at.rooms
  for (const entry of (await readdir(aside).catch(unlessAbsent)) ?? []) {
    const [, name, pid = '', mark] = named.exec(entry) ?? []
    if (name === undefined || mark === ofThisProcess || isAlive(Number(pid))) continue
    await clearAway(at, pathsIn(join(aside, entry)))
    // Of one that was cut short early there is no record yet.
    await removeCutShort([aside, privates], name)
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  const line = readSmall(`/proc/${pid}/stat`)
  return line !== undefined && !/\) [ZX] /.test(line)
}
