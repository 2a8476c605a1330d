/** Ends a container: asks politely, waits, kills. */
import { readFile, writeFile } from 'node:fs/promises'
import { unlessAbsent } from '../absent.ts'
import { hasEnded, inspect } from './container.ts'
import type { DockerContext } from './context.ts'
import type { TicketPaths, TicketRecord } from './ticket.ts'

const reasons = ['stopped', 'timed-out', 'stdout', 'disk'] as const
export type StopReason = (typeof reasons)[number]

export interface Stopping {
  readonly yard: DockerContext
  readonly run: string
  readonly paths: TicketPaths
  readonly record: TicketRecord
}

/** Resolves when the container has ended; the first reason stands. */
export async function stopRun(at: Stopping, why: StopReason, graceSeconds: number): Promise<void> {
  const { yard, run, paths, record } = at
  const there = await inspect(yard.docker, run)
  if (there === undefined || there.status !== 'running') return
  await writeFile(paths.stop, why, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') unlessAbsent(error)
  })
  if (graceSeconds > 0) {
    await signal(at, record.stopSignal)
    await waitForEnd(at, graceSeconds * 1000)
  }
  for (let pause = 5; !(await isOver(at)); pause = Math.min(pause * 2, 200)) {
    await signal(at, 'KILL')
    await waitForEnd(at, pause)
  }
}

/** Why the run was stopped, if it was. */
export async function stopReason({ stop }: TicketPaths): Promise<StopReason | undefined> {
  const text = await readFile(stop, 'utf8').catch(unlessAbsent)
  return reasons.find((reason) => reason === text)
}

async function signal({ yard, run }: Stopping, name: string): Promise<void> {
  // Any answer will do: a container that has just ended is what is wanted.
  await yard.docker.ask({ method: 'POST', path: `/containers/${run}/kill`, query: { signal: `SIG${name}` } })
}

async function waitForEnd(at: Stopping, ms: number): Promise<void> {
  const { clock } = at.yard
  const until = clock.monotonic() + ms
  for (let pause = 5; clock.monotonic() < until && !(await isOver(at)); pause = Math.min(pause * 2, 100)) {
    await clock.sleep(Math.min(pause, Math.max(0, until - clock.monotonic())))
  }
}

async function isOver({ yard, run }: Stopping): Promise<boolean> {
  const there = await inspect(yard.docker, run)
  return there === undefined || hasEnded(there)
}
