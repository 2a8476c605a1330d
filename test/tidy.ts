/**
 * Gives a run of tests, cases or measurements a folder of its own for everything temporary, here and in memory, and takes it away with it.
 * What a run left that was killed goes with the next. The processes that the run starts keep there what Node has compiled of our sources,
 * which is more than half of their start.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sweepStrays } from '../src/engines/privates.ts'
import { systemClock } from '../src/kit/clock.ts'

/** Short, for sockets lie below it, whose paths have a hundred bytes. */
const prefix = 'chd-t'
const compiled = 'NODE_COMPILE_CACHE'
const parents = [tmpdir(), '/dev/shm'].filter(existsSync)

export default async function setup(): Promise<() => Promise<void>> {
  for (const parent of parents) {
    for (const name of readdirSync(parent)) {
      const pid = new RegExp(`^${prefix}(\\d+)$`).exec(name)?.[1]
      if (pid === undefined || existsSync(`/proc/${pid}`) || !isOurs(join(parent, name))) continue
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
  const putBack =
    own[0] === undefined ? [] : [lend('TMPDIR', own[0]), lend(compiled, join(own[0], 'compiled'))]
  return async () => {
    for (const back of putBack) back()
    for (const folder of own) takeAway(folder)
    await sweepStrays(systemClock, 0)
  }
}

/** What another user has left is that user's to take away. */
function isOurs(folder: string): boolean {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid
  return owner !== undefined && [0, owner].includes(process.getuid?.() ?? 0)
}

/** Sets a variable of the environment; answers how it is put back. */
function lend(name: string, value: string): () => void {
  const before = process.env[name]
  process.env[name] = value
  return () => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
}

function takeAway(folder: string): void {
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n').toReversed()) {
    const [, , , , place] = line.split(' ')
    if (place?.startsWith(`${folder}/`)) spawnSync('umount', ['-l', place])
  }
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Containers of an ordinary user leave files of the ids that are lent to that user: they go by those ids, too.
    spawnSync('unshare', ['--map-root-user', '--map-auto', 'rm', '-rf', '--', folder])
    if (existsSync(folder)) console.log(`left: ${folder} could not be taken away`)
  }
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
