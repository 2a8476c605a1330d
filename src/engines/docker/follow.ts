/** Stays with a container until it has ended: hands its log on, keeps its limits, tells what came of it. */
import { rename, stat, writeFile } from 'node:fs/promises'
import type { Want } from '../../model/job.ts'
import { emptyReport, type Report } from '../../model/report.ts'
import { unlessAbsent } from '../absent.ts'
import { type Helper, withHelpers } from '../beside.ts'
import { watchFolder } from '../changes.ts'
import { watchDisk } from '../disk-watch.ts'
import type { Watch } from '../engine.ts'
import { filesOf, type StepFiles } from '../step-files.ts'
import { openTail } from '../tail.ts'
import { ask } from './ask.ts'
import { hasEnded, inspect } from './container.ts'
import { type DockerContext, ticketOf } from './context.ts'
import { diskOf } from './disk.ts'
import { keepNetwork, lendToContainer } from './keep-network.ts'
import { keepRunning } from './kept-container-files.ts'
import { pumpLog, untilLogIsPumped } from './log-pump.ts'
import { answerFile, reportOf } from './report-of.ts'
import { type Stopping, stopRun } from './stop.ts'
import { readTicket } from './ticket.ts'

/** An engine has no hint for us that is both quick and sure; looking is cheap. */
const firstGlanceMs = 4
const longestGlanceMs = 100

/** Follows to the end; may be done again by another process, and answers the same. */
export async function follow(yard: DockerContext, run: string, watch: Watch): Promise<Report> {
  const paths = ticketOf(yard, run)
  const record = await readTicket(paths)
  if (record === undefined) return emptyReport({ kind: 'lost' }, yard.clock.now())
  const at: Stopping = { yard, run, paths, record }
  const disk = await diskOf(yard, run, at)
  const helpers: readonly Helper[] = [
    async (signal) => {
      if (await watchDisk(disk, signal)) await stopRun(at, 'disk', 0)
    },
    (signal) => keepDeadline(at, signal),
    (signal) => keepRunning(at, watch, signal),
    (signal) => askWhileRunning(at, signal),
    (signal) => lendToContainer(at, signal),
  ]
  await withHelpers(watch.signal, helpers, (signal) => hearOut(at, watch, signal))
  return watch.signal.aborted
    ? emptyReport({ kind: 'lost' }, yard.clock.now())
    : await reportOf({ ...at, disk }, watch)
}

/** Answers whether it heard the end. */
async function hearOut(
  { yard, run, paths, record }: Stopping,
  watch: Watch,
  signal: AbortSignal,
): Promise<boolean> {
  const files = filesOf(paths, record.steps)
  const tail = openTail({ folder: paths.folder, files, watch })
  const changes = watchFolder(paths.folder, yard.clock)
  let glance = firstGlanceMs
  try {
    for (;;) {
      const there = await inspect(yard.docker, run)
      const ended = there === undefined || hasEnded(there)
      if (ended) await untilLogIsPumped(paths, changes, () => tail.drain())
      // The processes beside it may have been killed.
      else await pumpLog(yard, run, record.steps)
      if (!ended && record.network) await keepNetwork(yard, run, { there, addresses: record.network })
      await tail.drain()
      if (ended || signal.aborted) return ended
      if (await printsTooMuch(files)) await stopRun({ yard, run, paths, record }, 'stdout', 0)
      await changes.next(glance)
      glance = Math.min(glance * 1.5, longestGlanceMs)
    }
  } finally {
    changes.close()
    await tail.close()
  }
}

async function printsTooMuch(files: readonly StepFiles[]): Promise<boolean> {
  for (const { captured } of files) {
    if (captured === undefined) continue
    const size = (await stat(captured.file).catch(unlessAbsent))?.size ?? 0
    if (size > captured.bytesMax) return true
  }
  return false
}

/** A timer takes no more than 2^31 ms. */
const longestNapMs = 60_000

async function keepDeadline(at: Stopping, signal: AbortSignal): Promise<void> {
  const { yard, run, record } = at
  const startedAt = (await inspect(yard.docker, run))?.startedAt || yard.clock.now()
  const until = startedAt + record.limits.seconds * 1000
  while (!signal.aborted) {
    const left = until - yard.clock.now()
    if (left <= 0) return stopRun(at, 'timed-out', record.limits.graceSeconds)
    await yard.clock.sleep(Math.min(left, longestNapMs), signal)
  }
}

async function askWhileRunning(at: Stopping, signal: AbortSignal): Promise<void> {
  const wants = at.record.wants.filter((want) => want.kind === 'ask')
  await Promise.all(wants.map((want) => askUntilAnswered(at, want, signal)))
}

async function askUntilAnswered(
  { yard, run, paths }: Stopping,
  want: Extract<Want, { kind: 'ask' }>,
  signal: AbortSignal,
): Promise<void> {
  const file = answerFile(paths, want.name)
  while (!signal.aborted && (await stat(file).catch(unlessAbsent)) === undefined) {
    const answer = await ask(yard.docker, run, want.argv)
    if (answer !== undefined) {
      await writeFile(`${file}.tmp`, answer, { mode: 0o600 })
      await rename(`${file}.tmp`, file)
      return
    }
    await yard.clock.sleep(want.everySeconds * 1000, signal)
  }
}
