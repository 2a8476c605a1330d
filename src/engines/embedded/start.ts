/** Starts a run at most once: any number may try, the first shim that marks the run as begun is the one. */

import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import type { RunStart, Ticket } from '../engine.ts'
import { lastLines } from '../tail.ts'
import type { Host } from './host.ts'
import { shimState } from './identity.ts'
import { fenceOf, pathsOf, type Rooms, readRecord } from './run-folder.ts'
import { spawnShim } from './shim.ts'

export interface Starting {
  readonly rooms: Rooms
  readonly host: Host
  readonly clock: Clock
}

/** Problems: engine.layout-gone, engine.start-failed, engine.unavailable. */
export async function startRun(
  { rooms, host, clock }: Starting,
  { name: run, fence }: RunStart,
): Promise<Ticket> {
  const paths = pathsOf(rooms, run)
  const record = readRecord(paths)
  if (record === undefined) return fail('engine.layout-gone', run)
  // Laid out before the host went down: it may have begun then.
  if (record.boot !== host.boot) return run
  const before = await shimState(paths)
  if (before.kind === 'forbidden') return fail('engine.layout-gone', run)
  if (before.kind !== 'not-begun') return run
  if ((await fenceOf(paths)) !== fence) return fail('engine.layout-gone', run)
  let exit: number | undefined
  const shim = await spawnShim(paths, { fence, rootless: host.rootless }).catch((cause: Error) =>
    fail('engine.start-failed', `unshare could not be run: ${cause.message}`, { cause }),
  )
  shim.once('exit', (code) => {
    exit = code ?? 255
  })
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const exitBefore = exit
    const { kind } = await shimState(paths)
    if (kind === 'forbidden') return fail('engine.layout-gone', run)
    if (kind !== 'not-begun') return run
    if (exitBefore !== undefined) return await shimFailed(paths.folder, run)
    await clock.sleep(pause)
  }
}

async function shimFailed(folder: string, run: string): Promise<never> {
  const text = (await lastLines([join(folder, 'shim.err')], 400)).trim()
  return text === '' ? fail('engine.layout-gone', run) : fail('engine.start-failed', text.split('\n').at(-1))
}
