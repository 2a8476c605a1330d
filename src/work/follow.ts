/** Stays with a run until its report is there: keeps its log, watches for cancel and deadline, stops it when asked. */

import type { Engine, Watch } from '../engines/engine.ts'
import { enough } from '../kit/enough.ts'
import type { Mask } from '../kit/redact.ts'
import type { Job } from '../model/job.ts'
import type { Run } from '../model/operation.ts'
import { toProblem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import { keepFile } from './kept-file-records.ts'
import type { Lease } from './lease.ts'
import { type LogSink, openLogSink } from './log-sink.ts'
import { type StopReason, stopReason } from './next.ts'
import { openProgressNote } from './progress-note.ts'
import { recordProgress } from './record.ts'
import { remarksOf } from './remarks.ts'
import { isTransient } from './retry.ts'
import type { Tools } from './tools.ts'

export interface Following {
  readonly tools: Tools
  readonly lease: Lease
  readonly run: Run
  readonly engine: Engine
  readonly job: Job
  /** Hides what must not be seen in the log. */
  readonly mask: Mask
  /** Ends the following, not the run. */
  readonly leave: AbortSignal
}

interface Ended {
  readonly report: Report
  /** When it came, by the monotonic clock. */
  readonly at: number
}

/** The report of a started run; undefined when we were told to leave. */
export async function followRun(
  following: Following,
  ticket: string,
  stop: StopReason | undefined,
): Promise<Ended | undefined> {
  const { tools, lease, run, job } = following
  const over = new AbortController()
  const failed = new AbortController()
  const leave = AbortSignal.any([following.leave, lease.lost, failed.signal])
  const sink = await openLogSink({
    store: tools.ports.store,
    writer: tools.logs,
    operation: lease.operation,
    run: run.name,
    mask: following.mask,
    bytesMax: job.limits.logBytes,
    lost: (error) =>
      tools.report.event({ kind: 'fault', operation: lease.operation, doing: 'keep the log', error }),
  })
  const note = openProgressNote(tools, lease, following.mask)
  const watch: Watch = {
    had: (step, stream) => sink.had(step, stream),
    log: (piece) => sink.take(piece),
    progress: (text) => note.take(text),
    kept: (name, bytes) => keepFile(tools.ports.store, run, name, bytes),
    signal: leave,
  }
  const stopping = stopWhenAsked(following, stop, AbortSignal.any([over.signal, leave])).catch(
    (error: unknown) => failed.abort(error),
  )
  try {
    const report = await followAnyhow(following, ticket, watch)
    const at = tools.ports.clock.monotonic()
    if (failed.signal.aborted) throw failed.signal.reason
    if (leave.aborted) return undefined
    await remark(sink, report, job)
    await sink.end()
    // What the engine has read of the end is not masked, and may begin in the midst of a secret.
    const used = { ...report.used, logBytes: printed(sink, job) }
    return { report: { ...report, used, logTail: sink.shownTail() }, at }
  } finally {
    over.abort(enough)
    await stopping
    await note.end()
    await sink.end()
  }
}

/** A log that cannot be followed must not keep the report of its run from being read. */
async function followAnyhow(
  { engine, tools, lease }: Following,
  ticket: string,
  watch: Watch,
): Promise<Report> {
  try {
    return await engine.follow(ticket, watch)
  } catch (error) {
    const problem = toProblem(error)
    if (watch.signal.aborted || isTransient(problem) || problem.code === 'store.fenced') throw error
    tools.report.event({ kind: 'fault', operation: lease.operation, doing: 'follow the log', error })
    return engine.follow(ticket, { ...watch, had: () => 0, log: () => Promise.resolve() })
  }
}

function printed(sink: LogSink, { steps }: Job): number {
  return steps.reduce((sum, { name }) => sum + sink.had(name, 'stdout') + sink.had(name, 'stderr'), 0)
}

/** Once, whichever node followed before: what is kept of it already is not told again. */
async function remark(sink: LogSink, report: Report, { limits, steps }: Job): Promise<void> {
  const step = steps[0].name
  const text = remarksOf(report, limits)
  if (text === '' || sink.had(step, 'system') > 0) return
  await sink.take({ stream: 'system', step, bytes: Buffer.from(text) })
}

/** Looks for a cancel or the deadline as often as the heart beats, or at once when the bell rings; then stops the run. */
async function stopWhenAsked(
  following: Following,
  known: StopReason | undefined,
  over: AbortSignal,
): Promise<void> {
  const { tools } = following
  let stop = known
  while (!over.aborted) {
    try {
      stop ??= await reasonToStop(following, over)
      if (stop === undefined || over.aborted) return
      return await stopRun(following, stop)
    } catch (error) {
      // The store or the engine is away: the run goes on, and so does the watch.
      if (!isTransient(toProblem(error))) throw error
      await tools.ports.clock.sleep(tools.limits.heartbeatMs, over)
    }
  }
}

async function reasonToStop({ tools, lease }: Following, over: AbortSignal): Promise<StopReason | undefined> {
  const { store, clock } = tools.ports
  while (!over.aborted) {
    const nap = new AbortController()
    const rung = tools.bell.wait(`cancel ${lease.operation}`, AbortSignal.any([over, nap.signal]))
    const operation = await store.look.operation(lease.operation)
    const now = await store.look.nowFor(operation?.createdAt ?? 0)
    const reason = operation && stopReason({ operation, now })
    if (reason !== undefined || operation === undefined) {
      nap.abort(enough)
      return reason
    }
    const untilDeadline = Math.max(0, operation.deadlineAt - now)
    const ms = Math.min(tools.limits.heartbeatMs, untilDeadline)
    await Promise.race([rung, clock.sleep(ms, AbortSignal.any([over, nap.signal]))])
    nap.abort(enough)
  }
  return undefined
}

async function stopRun({ tools, lease, run, engine, job }: Following, stop: StopReason): Promise<void> {
  const reason = stop === 'cancelled' ? 'stopping: cancel was asked for' : 'stopping: the deadline has passed'
  await recordProgress(tools, lease, { state: 'stopping', reason })
  lease.check()
  await engine.stop(run.name, job.limits.graceSeconds)
}
