/** Destroys a run: forbids its start, ends it, takes everything away. */

import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { readSmall, unlessAbsent } from '../absent.ts'
import { run as runProgram } from '../run-program.ts'
import { removeGroup } from './cgroups.ts'
import type { Host } from './host.ts'
import { isAlive, type ProcessMark, shimState } from './identity.ts'
import { pathsOf, privateOf, type Rooms, readRecord } from './run-folder.ts'
import { killAll } from './stop.ts'

export interface Discarding {
  readonly rooms: Rooms
  readonly host: Host
  readonly clock: Clock
}

const patienceMs = 10_000

/** Idempotent. After it, no shim of this run begins any more. */
export async function discard(at: Discarding, run: string): Promise<void> {
  const { rooms, host, clock } = at
  const paths = pathsOf(rooms, run)
  const record = readRecord(paths)
  if (record === undefined) return
  // Whoever makes this file is first: the shim, to begin, or we, so that it never does.
  await writeFile(paths.began, 'forbidden\n', { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') unlessAbsent(error)
    },
  )
  const secret = await privateOf(paths)
  const isOfThisBoot = record.boot === host.boot
  // A run that came to its end leaves nothing but, perhaps, a shim that stays; others end by themselves.
  const hasEnded = !record.stays && readSmall(paths.exit) === 'done\n'
  const shim = isOfThisBoot && !hasEnded ? await shimState(paths) : undefined
  if (shim !== undefined) await killAll({ host, paths, record, run })
  // While the name is there a successor would do this again; once it is gone nobody knows of the groups.
  if (isOfThisBoot) await Promise.all(record.steps.map((_, i) => removeGroups(at, `${run}-s${i}`)))
  const gone = join(rooms.trash, `${run}~${randomBytes(6).toString('hex')}`)
  const isOurs = await rename(paths.folder, gone).then(() => true, unlessAbsent)
  await Promise.all([
    ...(shim?.kind === 'alive' ? [untilDead(clock, shim.mark)] : []),
    ...(isOurs ? [removeTree(gone)] : []),
    // Only what is ours: the link lies in a folder that programs cannot reach, but names are cheap to check.
    ...(secret !== undefined && basename(secret).startsWith(`${run}~`) ? [removeTree(secret)] : []),
  ])
}

/** A killed shim ends when the kernel has taken its mounts down. */
async function untilDead(clock: Clock, mark: ProcessMark): Promise<void> {
  const until = clock.monotonic() + patienceMs
  for (let pause = 1; isAlive(mark); pause = Math.min(pause * 2, 8)) {
    if (clock.monotonic() > until) fail('engine.unavailable', `process ${mark.pid} does not end`)
    await clock.sleep(pause)
  }
}

/** The kernel lets a group go a moment after its last process. */
async function removeGroups({ host, clock }: Discarding, id: string): Promise<void> {
  for (let pause = 1; pause <= 1024; pause *= 2) {
    if (await removeGroup(host.controls, id)) return
    await clock.sleep(pause)
  }
}

/** Whatever a program left, however deep. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async () => {
    await runProgram('chmod', ['-R', 'u+rwX', path])
    await runProgram('rm', ['-rf', '--', path], { milliseconds: 600_000 })
  })
}
