/**
 * Gives a run of tests, cases or measurements a folder of its own for everything temporary, here and in memory, and takes it away with it.
 * What a run left that was killed goes with the next.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sweepStrays } from '../src/engines/privates.ts'
import { systemClock } from '../src/kit/clock.ts'

/** Short, for sockets lie below it, whose paths have a hundred bytes. */
const prefix = 'chd-t'
const parents = [tmpdir(), '/dev/shm'].filter(existsSync)

export default async function setup(): Promise<() => Promise<void>> {
  for (const parent of parents) {
    for (const name of readdirSync(parent)) {
      const pid = new RegExp(`^${prefix}(\\d+)$`).exec(name)?.[1]
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue
      endAll(join(parent, name))
      takeAway(join(parent, name))
    }
  }
  const own = parents.map((parent) => join(parent, `${prefix}${process.pid}`))
  for (const folder of own) {
    mkdirSync(folder, { recursive: true })
    // Databases and other users than root go through it.
    chmodSync(folder, 0o1777)
  }
  const before = process.env['TMPDIR']
  if (own[0] !== undefined) process.env['TMPDIR'] = own[0]
  return async () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    for (const folder of own) takeAway(folder)
    await sweepStrays(systemClock, 0)
  }
}

function takeAway(folder: string): void {
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n').toReversed()) {
    const [, , , , place] = line.split(' ')
    if (place?.startsWith(`${folder}/`)) spawnSync('umount', ['-l', place])
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Daemons that the tests started over a folder of theirs go on when the tests are killed. */
function endAll(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${folder}/`))
        process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}
