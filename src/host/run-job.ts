/** Runs one job outside any operation: packages that describe themselves, and actions tried without a broker. */
import { randomBytes } from 'node:crypto'
import type { Engine, LogPiece } from '../engines/engine.ts'
import type { Job } from '../model/job.ts'
import { fail, ProblemError } from '../model/problem.ts'
import { faultOfHost } from '../model/refusal.ts'
import { emptyReport, type Report } from '../model/report.ts'

export interface Run {
  /** Told apart from the runs of operations, so that no sweep takes it for an orphan of theirs. */
  readonly cluster: string
  /** A word for the name of the run. */
  readonly purpose: string
  /** For callers that must find the run again; else made here. */
  readonly name?: string
  readonly signal: AbortSignal
  log(piece: LogPiece): Promise<void>
  progress(text: string): void
}

/** The report of a run that is laid out, followed to its end and cleared away. Problems: engine.refused. */
export async function runJob(engines: readonly Engine[], job: Job, run: Run): Promise<Report> {
  const engine = engines.find((one) => one.refuses(job) === undefined) ?? failFor(engines, job)
  const name = run.name ?? newRunName(run.purpose)
  const watch = {
    had: () => 0,
    log: run.log,
    progress: run.progress,
    kept: () => Promise.resolve(),
    signal: run.signal,
  }
  const stop = () => void engine.stop(name, job.limits.graceSeconds).catch(() => undefined)
  try {
    await engine.layOut({ name, job, cluster: run.cluster, operation: name, fence: 0 }, watch)
    const ticket = await engine.start({ name, fence: 0 })
    run.signal.addEventListener('abort', stop, { once: true })
    // Following goes on while the run is being stopped, so that its end and its last words are seen.
    return await engine.follow(ticket, { ...watch, signal: new AbortController().signal })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'engine.start-failed') throw error
    // What cannot be started is a report like any other: the contract says what it means.
    return emptyReport({ kind: 'not-started', detail: error.problem.detail ?? error.message }, Date.now())
  } finally {
    run.signal.removeEventListener('abort', stop)
    await engine.discard(name)
  }
}

/** A name that no other run has. */
export function newRunName(purpose: string): string {
  return `chd-${purpose}-${randomBytes(8).toString('hex')}`
}

function failFor(engines: readonly Engine[], job: Job): never {
  const reasons = engines.map((one) => one.refuses(job))
  const fault = faultOfHost(reasons)
  if (fault !== undefined) throw new ProblemError(fault)
  return fail('engine.refused', reasons.find((one) => one?.detail)?.detail ?? job.program.kind)
}
