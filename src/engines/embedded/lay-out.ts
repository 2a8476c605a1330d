/** Lays a run out: everything is made aside and appears under its name in one rename, ready for the shim. */
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { unlessAbsent } from '../absent.ts'
import type { RunOrder, Watch } from '../engine.ts'
import { makePrivates } from '../privates.ts'
import { adopt } from './adopt.ts'
import type { Ahead } from './ahead.ts'
import { isHoldable } from './begin-ahead.ts'
import { shimState } from './identity.ts'
import { type LayingOut, makeInterior, type Site, writeSkeleton } from './interior.ts'
import { checkProgram, planSteps } from './plan-steps.ts'
import { fenceFile, fenceOf, pathsOf, type RunPaths, readRecord } from './run-folder.ts'
import { specOf, writeRun } from './write-run.ts'

export type LayingOutRuns = LayingOut & { readonly ahead: Ahead }

/** Idempotent by name. Problems: engine.name-conflict, engine.start-failed, engine.user-unknown, those of the images. */
export async function layOut(at: LayingOutRuns, order: RunOrder, watch: Watch): Promise<void> {
  const paths = pathsOf(at.rooms, order.name)
  const spec = specOf(order.job)
  if (isThere(paths, order, spec)) return takeOver(paths, order)
  if (await isFoundWaiting(at, order, paths)) return
  const unique = `${order.name}~${randomBytes(6).toString('hex')}`
  const aside = join(at.rooms.aside, unique)
  const secret = join(at.rooms.privates, unique)
  const site: Site = { name: order.name, aside, final: paths.folder, secret }
  try {
    makePrivates(at.rooms.privates, at.rooms.folder)
    const interior = await makeInterior(at, order.job, site, watch)
    writeRun({ at, order, site, names: [order.name] }, interior)
    renameSync(aside, paths.folder)
    // What has not been used for long is taken away, but not from under a run that is there.
    writeSkeleton(interior.root.ground, at)
  } catch (error) {
    await Promise.all([aside, secret].map((path) => rm(path, { recursive: true, force: true })))
    const { code } = error as NodeJS.ErrnoException
    // Another process laid the same run out meanwhile.
    const taken = code === 'ENOTEMPTY' || code === 'EEXIST'
    if (!taken || !isThere(paths, order, spec)) throw error
    await takeOver(paths, order)
  }
}

/** Whether it could be laid out by what waited for it. */
async function isFoundWaiting(at: LayingOutRuns, order: RunOrder, paths: RunPaths): Promise<boolean> {
  const waiting = at.ahead.take(order.job)
  if (waiting === undefined) return false
  try {
    const { root, furniture } = waiting.interior
    const plans = await planSteps(order.job, { root, rootless: at.host.rootless, name: order.name })
    checkProgram(plans[0], root, furniture)
    if (waiting.door.kind === 'word' && !isHoldable(plans))
      fail('engine.refused', 'a shell cannot carry its variables')
    adopt(at, order, waiting, { paths, plans })
  } catch {
    // Whatever was in its way, a layout of its own meets it, too.
    await at.ahead.letGo(waiting)
    return false
  }
  at.ahead.adopted(order.name, waiting)
  writeSkeleton(waiting.interior.root.ground, at)
  return true
}

function isThere(paths: RunPaths, { cluster }: RunOrder, spec: string): boolean {
  if (!existsSync(paths.folder)) return false
  const record = readRecord(paths)
  if (record?.cluster !== cluster) return fail('engine.name-conflict', `${paths.folder} is not ours`)
  if (record.spec !== spec) return fail('engine.name-conflict', 'it was laid out for another job')
  return true
}

/** What has not begun goes to the latest claim; an earlier one is too late. */
async function takeOver(paths: RunPaths, { name, fence }: RunOrder): Promise<void> {
  const { kind } = await shimState(paths)
  if (kind === 'alive' || kind === 'dead') return
  const before = await fenceOf(paths)
  if (before === fence) return
  if (kind === 'forbidden' || before === undefined || before > fence) fail('engine.layout-gone', name)
  await rename(fenceFile(paths, before), fenceFile(paths, fence)).catch(unlessAbsent)
}
