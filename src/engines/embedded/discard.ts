/** Destroys a run: forbids its start, ends it, takes everything away. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { readSmall, unlessAbsent } from '../absent.ts'
import { removeCutShort } from '../cut-short.ts'
import { removeQuietTree } from '../remove-tree.ts'
import { removeGroup } from './cgroups.ts'
import type { Host } from './host.ts'
import { isAlive, type ProcessMark, shimState } from './identity.ts'
import {
  type ArtifactContext,
  containersOf,
  pathsOf,
  privateOf,
  type RunPaths,
  type RunRecord,
  readRecord,
} from './run-folder.ts'
import { killAll } from './stop.ts'
import type { Trash } from './trash.ts'

export interface Discarding {
  readonly rooms: ArtifactContext
  readonly trash: Trash
  readonly host: Host
  readonly clock: Clock
}

const patienceMs = 10_000

/** Idempotent. After it, no shim of this run begins any more. */
export async function discard(at: Discarding, run: string): Promise<void> {
  await clearAway(at, pathsOf(at.rooms, run))
  // A process that was killed over a layout has left it, with its secrets.
  await removeCutShort([at.rooms.aside, at.rooms.privates], run)
}

/** The same for a run, or what waits to be one, wherever its folder lies. */
export async function clearAway(at: Discarding, paths: RunPaths): Promise<void> {
  const { trash, host, clock } = at
  const record = readRecord(paths)
  if (record === undefined) return
  if (!existsSync(paths.began)) forbid(paths)
  const secret = await privateOf(paths)
  const isOfThisBoot = record.boot === host.boot
  // A run that came to its end leaves nothing but, perhaps, a shim that stays; others end by themselves.
  const hasEnded = !record.stays && readSmall(paths.exit) === 'done\n'
  const shim = isOfThisBoot && !hasEnded ? await shimState(paths) : undefined
  const killed = shim === undefined ? [] : await killAll({ host, paths, record })
  // While the name is there a successor would do this again; once it is gone nothing tells of the groups.
  const groups = isOfThisBoot ? record.steps.flatMap((_, i) => containersOf(record, i)) : []
  await Promise.all(groups.map((id) => removeGroups(at, id)))
  await trash.take(paths.folder)
  await Promise.all([
    ...killed.map((mark) => untilDead(clock, mark)),
    // Only what is ours: the link lies in a folder that programs cannot reach, but names are cheap to check.
    ...(secret !== undefined && isOf(record, secret) ? [removeQuietTree(secret)] : []),
  ])
}

function isOf({ names }: RunRecord, secret: string): boolean {
  return names.some((name) => basename(secret).startsWith(`${name}~`))
}

/** The first to make this file decides: the shim, to begin, or this process, so that it never does. It appears with its text. */
function forbid({ began }: RunPaths): void {
  const aside = `${began}~${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(aside, 'forbidden\n', { flag: 'wx', mode: 0o600 })
    linkSync(aside, began)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') unlessAbsent(error as Error)
  }
}

/** What was killed ends when the kernel has taken down what it held: a shim its mounts. */
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
    if (removeGroup(host.controls, id)) return
    await clock.sleep(pause)
  }
}
