/**
 * Pours what a program prints into files of ours. Its streams are named pipes, not the files themselves, since a program
 * that opens /dev/stdout anew would empty them; a process of its own, which outlives the broker, empties the pipes.
 */
import { constants, existsSync } from 'node:fs'
import { open, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../model/problem.ts'
import { unlessAbsent } from '../absent.ts'
import type { Changes } from '../changes.ts'
import { isHeld } from '../held.ts'
import { run } from '../run-program.ts'
import { spoolFunctions, writerOf } from '../spool.ts'
import { filesOf, type StepRecord } from '../step-files.ts'
import { heldElsewhere, isKnown, startBeside } from './beside-run.ts'
import { type DockerContext, ticketOf } from './context.ts'
import type { TicketPaths } from './ticket.ts'

/** Which pipe goes to which file. */
export interface Stream {
  readonly pipe: 'pipe.out' | 'pipe.err'
  readonly file: string
  /** What is kept whole, up to a limit. */
  readonly captured?: { readonly bytesMax: number } | undefined
}

/** The streams of a step; one where it writes both in the order written. */
export function streamsOf(
  folders: { readonly folder: string; readonly private: string },
  steps: readonly StepRecord[],
): readonly Stream[] {
  const [files] = filesOf(folders, steps)
  const logged = (stream: string): string | undefined =>
    files?.logs.find((log) => log.stream === stream)?.file
  const out = files?.captured?.file ?? logged('stdout')
  const err = logged('stderr')
  return [
    ...(out === undefined ? [] : [{ pipe: 'pipe.out', file: out, captured: files?.captured } as const]),
    ...(err === undefined ? [] : [{ pipe: 'pipe.err', file: err } as const]),
  ]
}

/** Makes the pipes of a ticket. Problems: engine.start-failed. */
export async function makePipes(folder: string, names: readonly string[]): Promise<void> {
  const made = await run('mkfifo', ['-m', '600', ...names.map((name) => join(folder, name))])
  if (made.exit !== 0) fail('engine.start-failed', `mkfifo: ${made.stderr.trim()}`)
}

/**
 * The lock says that it lives and keeps others away. It opens a pipe when the program does, and ends with it.
 * A disk that is full must not hold the program up; what it lost is told by marks that are removed, which needs no room.
 */
function scriptOf(streams: readonly Stream[]): string {
  return [
    ...spoolFunctions,
    'cd "$1" || exit 0',
    `exec 9>pouring && flock -n 9 || exit ${heldElsewhere}`,
    '[ -e unpoured ] || exit 0',
    ...streams.map(({ pipe, file, captured }) => `{ ${writerOf(file, captured)}; } <${pipe} &`),
    'wait',
    'rm -f unpoured',
  ].join('\n')
}

/** Starts a process that pumps the streams of a run into its log, unless there is one already; it outlives this process. */
export async function pumpLog(
  yard: DockerContext,
  name: string,
  steps: readonly StepRecord[],
): Promise<void> {
  const beside = { known: yard.pourers, clock: yard.clock, run: name }
  const { folder, unpoured, private: secret } = ticketOf(yard, name)
  if (isKnown(beside) || !existsSync(unpoured)) return
  const target = (await readlink(secret).catch(unlessAbsent)) ?? ''
  const script = scriptOf(streamsOf({ folder, private: target }, steps))
  await startBeside(beside, script, [folder])
}

const glanceMs = 20

/** Resolves when everything that an ended program printed is in the files, as far as it ever will be; what pours may wait for a reader. */
export async function untilLogIsPumped(
  paths: TicketPaths,
  changes: Changes,
  read: () => Promise<void>,
): Promise<void> {
  while (existsSync(paths.unpoured)) {
    await wake(paths)
    if (!(await isHeld(paths.pouring))) return
    await read()
    await changes.next(glanceMs)
  }
}

/** Takes the pipes away; processes that wait for their other end go on. */
export async function removePipes(paths: TicketPaths): Promise<void> {
  await wake(paths, (pipe) => rm(pipe, { force: true }))
}

/** Opening a pipe for both ends wakes the processes that wait for either; when it is closed again, they find its end. */
async function wake({ pipes }: TicketPaths, meanwhile?: (pipe: string) => Promise<void>): Promise<void> {
  for (const pipe of pipes) {
    const handle = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK).catch(unlessAbsent)
    try {
      await meanwhile?.(pipe)
    } finally {
      await handle?.close()
    }
  }
}
