/** Starts a run at most once: any number may try, the first shim that marks the run as begun is the one. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { type Changes, watchFolder } from '../changes.ts'
import type { RunStart, Ticket } from '../engine.ts'
import { filesOf } from '../step-files.ts'
import { lastLines } from '../tail.ts'
import type { Ahead } from './ahead.ts'
import type { Flusher } from './flusher.ts'
import type { Host } from './host.ts'
import { beginning } from './identity.ts'
import {
  type ArtifactContext,
  fenceOf,
  pathsOf,
  type RunPaths,
  type RunRecord,
  readRecord,
} from './run-folder.ts'
import type { StartedShim, Starters } from './starters.ts'

export interface Starting {
  readonly rooms: ArtifactContext
  /** Brings the names of runs to the disk. */
  readonly flush: Flusher
  readonly starters: Starters
  readonly ahead: Ahead
  readonly host: Host
  readonly clock: Clock
}

/** Problems: engine.layout-gone, engine.start-failed, engine.unavailable. */
export async function startRun(
  { rooms, flush, starters, ahead, host, clock }: Starting,
  { name: run, fence }: RunStart,
): Promise<Ticket> {
  const paths = pathsOf(rooms, run)
  const record = readRecord(paths)
  if (record === undefined) return fail('engine.layout-gone', run)
  // Laid out before the host went down: it may have begun then.
  if (record.boot !== host.boot) return run
  const before = beginning(paths)
  if (before === 'forbidden') return fail('engine.layout-gone', run)
  if (before === 'begun') return run
  if ((await fenceOf(paths)) !== fence) return fail('engine.layout-gone', run)
  const changes = watchFolder(paths.folder, clock)
  // After a loss of power the run must still be known, or it could be started again: only then may the shim begin.
  const flushed = flush()
  const going: Going = { paths, fence, changes, flushed }
  try {
    const waiting = ahead.shimOf(run)
    let seen = waiting && (await released(going, waiting))
    ahead.forget(run)
    // One that waited may have ended before it heard the word: then nothing has begun.
    if (seen === undefined || seen === 'ended') {
      // What a shim that never began has written belongs to no run; if its claim is another's, it is refused.
      if (record.names.length > 1) await forgetWords(paths, record)
      seen = await released(going, await newShim(starters, paths))
    }
    if (seen === 'forbidden') return fail('engine.layout-gone', run)
    return seen === 'begun' ? run : await shimFailed(paths.folder, run)
  } finally {
    changes.close()
    await flushed.catch(() => undefined)
  }
}

interface Going {
  readonly paths: RunPaths
  readonly fence: number
  readonly changes: Changes
  readonly flushed: Promise<void>
}

/** Gives a shim the word to go, and looks what came of it. */
async function released(
  { paths, fence, changes, flushed }: Going,
  shim: StartedShim,
): Promise<'begun' | 'forbidden' | 'ended'> {
  shim.onEnd(() => changes.wake())
  await flushed
  shim.release(fence)
  for (;;) {
    const hadEnded = shim.hasEnded()
    const now = beginning(paths)
    if (now !== 'not-begun') return now
    if (hadEnded) return 'ended'
    await changes.next(glanceMs)
  }
}

async function forgetWords(paths: RunPaths, { steps }: RunRecord): Promise<void> {
  const files = filesOf(paths, steps).flatMap(({ logs, captured }) => [
    ...logs,
    ...(captured ? [captured] : []),
  ])
  await Promise.all(files.map(({ file }) => rm(file, { force: true })))
}

function newShim(starters: Starters, { folder }: RunPaths): Promise<StartedShim> {
  return starters
    .start(folder)
    .catch((cause: Error) =>
      fail('engine.start-failed', `a shell could not be run: ${cause.message}`, { cause }),
    )
}

/** How often it is looked, whatever was heard. */
const glanceMs = 20

async function shimFailed(folder: string, run: string): Promise<never> {
  const text = (await lastLines([join(folder, 'shim.err')], 400)).trim()
  return text === '' ? fail('engine.layout-gone', run) : fail('engine.start-failed', text.split('\n').at(-1))
}
