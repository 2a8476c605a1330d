/** Stays with a run until it is over: hands its log on, keeps its limits, brings back what is wanted. */
import type { Clock } from '../../kit/clock.ts'
import { emptyReport, type Report } from '../../model/report.ts'
import { statSmall } from '../absent.ts'
import { type Helper, withHelpers } from '../beside.ts'
import { watchFolder } from '../changes.ts'
import { bytesBelow, bytesHeld } from '../disk-use.ts'
import { type DiskUses, type DiskWatch, watchDisk } from '../disk-watch.ts'
import type { Watch } from '../engine.ts'
import { familyOf } from '../family.ts'
import { filesOf, type StepFiles } from '../step-files.ts'
import { openTail } from '../tail.ts'
import type { Ahead } from './ahead.ts'
import { askWhileRunning } from './ask.ts'
import type { Host } from './host.ts'
import { shimState } from './identity.ts'
import { keepRunning } from './kept-workspace-files.ts'
import { lendWhileRunning } from './lend-addresses.ts'
import { type Ended, reportOf } from './report-of.ts'
import {
  type ArtifactContext,
  openFolders,
  pathsOf,
  type RunPaths,
  type RunRecord,
  readRecord,
} from './run-folder.ts'
import { isOver, type Stopping, stopRun } from './stop.ts'

export interface Following {
  readonly disks: DiskUses
  readonly rooms: ArtifactContext
  readonly host: Host
  readonly clock: Clock
  readonly ahead: Pick<Ahead, 'loanTo'>
}

/** How often it is looked, whatever was heard. */
const glanceMs = 250

/** Follows to the end; may be done again by another process, and answers the same. */
export async function follow(at: Following, run: string, watch: Watch): Promise<Report> {
  const paths = pathsOf(at.rooms, run)
  const record = readRecord(paths)
  if (record === undefined) return emptyReport({ kind: 'lost' }, at.clock.now())
  const stopping: Ended = { host: at.host, clock: at.clock, paths, record, disk: diskOf(at, run, record) }
  const helpers: readonly Helper[] = [
    (signal) => keepDeadline(stopping, signal),
    (signal) => keepDisk(stopping, signal),
    (signal) => lendWhileRunning(stopping, at.ahead.loanTo(run), signal),
    (signal) => keepRunning(stopping, watch, signal),
    (signal) => askWhileRunning(stopping, signal),
  ]
  await withHelpers(watch.signal, helpers, (signal) => hearOut(stopping, watch, signal))
  if (watch.signal.aborted) return emptyReport({ kind: 'lost' }, at.clock.now())
  return await reportOf(stopping, watch)
}

/** Hands the log on until the run is over and nothing of it is left unheard; answers whether it came to that. */
async function hearOut(at: Stopping, watch: Watch, signal: AbortSignal): Promise<boolean> {
  const { paths, record, clock } = at
  const files = filesOf(paths, record.steps)
  const tail = openTail({ folder: paths.folder, files, watch })
  const changes = watchFolder(paths.folder, clock)
  const isElsewhere = record.boot !== at.host.boot
  try {
    for (;;) {
      // Asked first: what is read after the end is all there will be.
      const ended = isElsewhere || (await isOver(paths))
      await tail.drain()
      if (ended || signal.aborted) return ended
      if (printsTooMuch(files)) await stopRun(at, 'stdout', 0)
      await changes.next(glanceMs)
    }
  } finally {
    changes.close()
    await tail.close()
  }
}

function printsTooMuch(files: readonly StepFiles[]): boolean {
  for (const { captured } of files) {
    if (captured === undefined) continue
    const size = statSmall(captured.file)?.size ?? 0
    if (size > captured.bytesMax) return true
  }
  return false
}

/** The time counts from the start of the run, not from when we came. */
async function keepDeadline(at: Stopping, signal: AbortSignal): Promise<void> {
  const { paths, record, clock } = at
  while (!signal.aborted) {
    const startedAt = beginningOf(paths)
    const left = (startedAt ?? clock.now()) + record.limits.seconds * 1000 - clock.now()
    if (left <= 0) return stopRun(at, 'timed-out', record.limits.graceSeconds)
    await clock.sleep(Math.min(left, longestNapMs), signal)
  }
}

/** A timer takes no more than 2^31 ms. */
const longestNapMs = 60_000

async function keepDisk(at: Ended, signal: AbortSignal): Promise<void> {
  if (await watchDisk(at.disk, signal)) await stopRun(at, 'disk', 0)
}

function diskOf({ disks, rooms, clock }: Following, run: string, record: RunRecord): DiskWatch {
  const paths = pathsOf(rooms, run)
  return {
    uses: disks,
    run,
    folders: [paths.folder],
    bytesMax: record.limits.diskBytes,
    clock,
    async measure() {
      const shim = await shimState(paths)
      const family = shim.kind === 'alive' ? await familyOf(shim.mark.pid) : []
      return (await bytesBelow(openFolders(paths))) - record.broughtBytes + bytesHeld(family)
    },
  }
}

/** When the run began, by the clock of this host. */
export function beginningOf(paths: RunPaths): number | undefined {
  const stats = statSmall(paths.began)
  return stats && Math.round(stats.mtimeMs)
}
