/** Small processes of the host beside a run, which outlive the broker: one of a kind per run, as a lock in its ticket tells. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { usualPath } from '../usual-path.ts'

/** With this status a process ends that found its lock held by another. */
export const heldElsewhere = 3

const askAgainMs = 5000

/** Until when such a process is known to be there, by the name of its run. */
export type BesideRuns = Map<string, number>

export interface BesideRun {
  readonly known: BesideRuns
  readonly clock: Clock
  readonly run: string
}

export function isKnown({ known, clock, run }: BesideRun): boolean {
  return (known.get(run) ?? 0) > clock.monotonic()
}

/** Starts it; where another process holds the lock, it is asked again after a while. Problems: engine.start-failed. */
export async function startBeside(
  { known, clock, run }: BesideRun,
  script: string,
  args: readonly string[],
): Promise<void> {
  known.set(run, Number.POSITIVE_INFINITY)
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: { PATH: usualPath },
  })
  child.unref()
  child.once('exit', (exit) => {
    if (exit === heldElsewhere) known.set(run, clock.monotonic() + askAgainMs)
    else known.delete(run)
  })
  await once(child, 'spawn').catch((cause: Error) => {
    known.delete(run)
    fail('engine.start-failed', `a shell could not be run: ${cause.message}`, { cause })
  })
}
