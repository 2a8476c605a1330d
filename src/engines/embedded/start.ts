/** Starts a run at most once: any number may try, the first shim that marks the run as begun is the one. */
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { watchFolder } from '../changes.ts'
import type { RunStart, Ticket } from '../engine.ts'
import { lastLines } from '../tail.ts'
import type { Flusher } from './flusher.ts'
import type { Host } from './host.ts'
import { beginning } from './identity.ts'
import { fenceOf, pathsOf, type Rooms, readRecord } from './run-folder.ts'
import type { Starters } from './starters.ts'

export interface Starting {
  readonly rooms: Rooms
  /** Brings the names of runs to the disk. */
  readonly flush: Flusher
  readonly starters: Starters
  readonly host: Host
  readonly clock: Clock
}

/** Problems: engine.layout-gone, engine.start-failed, engine.unavailable. */
export async function startRun(
  { rooms, flush, starters, host, clock }: Starting,
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
  try {
    let hasEnded = false
    const ended = (): void => {
      hasEnded = true
      changes.wake()
    }
    const shim = await starters
      .start({ run, fence, ended })
      .catch((cause: Error) =>
        fail('engine.start-failed', `a shell could not be run: ${cause.message}`, { cause }),
      )
    await flushed
    shim.release()
    for (;;) {
      const hadEnded = hasEnded
      const now = beginning(paths)
      if (now === 'forbidden') return fail('engine.layout-gone', run)
      if (now === 'begun') return run
      if (hadEnded) return await shimFailed(paths.folder, run)
      await changes.next(glanceMs)
    }
  } finally {
    changes.close()
    await flushed.catch(() => undefined)
  }
}

/** How often it is looked, whatever was heard. */
const glanceMs = 20

async function shimFailed(folder: string, run: string): Promise<never> {
  const text = (await lastLines([join(folder, 'shim.err')], 400)).trim()
  return text === '' ? fail('engine.layout-gone', run) : fail('engine.start-failed', text.split('\n').at(-1))
}
