/** A driver of another tool as an engine: its runs live and end with the command that began them. */
import type { Engine, LogPiece } from '../../engines/engine.ts'
import type { Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import { callDriver, type RunAbout } from './command-driver.ts'

/** The name under which runs of drivers are written down. */
export const driverEngineName = 'cnab-driver'

interface DriverRun {
  readonly job: Job
  readonly operation: string
  readonly stop: AbortController
  isStarted: boolean
  report?: Promise<Report>
}

/** The engine of a driver; without one it only knows that runs of other commands are lost. */
export function driverEngine(
  program: string | undefined,
  aboutOf: (operation: string) => Promise<RunAbout>,
): Engine {
  const runs = new Map<string, DriverRun>()
  const runOf = (name: string): DriverRun => runs.get(name) ?? fail('engine.layout-gone', name)
  const call = async ({ job, operation, stop }: DriverRun, log: (piece: LogPiece) => Promise<void>) =>
    callDriver(program ?? fail('engine.unavailable', driverEngineName), {
      job,
      about: await aboutOf(operation),
      signal: stop.signal,
      log,
    })
  return {
    name: driverEngineName,
    facts: {
      run: 'process',
      programs: ['image'],
      severalSteps: false,
      outlives: false,
      streamsApart: true,
      readOnlyMounts: false,
      folderLimit: 'none',
      networkNone: false,
      memoryLimit: false,
      processLimit: false,
      processorLimit: false,
      cluster: ['none'],
    },
    check: () => Promise.resolve([]),
    refuses: ({ program: { kind } }) =>
      program !== undefined && kind === 'image' ? undefined : { code: 'engine.refused', detail: kind },
    layOut: ({ name, job, operation }) => {
      if (!runs.has(name)) runs.set(name, { job, operation, stop: new AbortController(), isStarted: false })
      return Promise.resolve()
    },
    start: ({ name }) => {
      runOf(name).isStarted = true
      return Promise.resolve(name)
    },
    look: (name) => {
      const run = runs.get(name)
      if (run === undefined) return Promise.resolve({ kind: 'absent' })
      return Promise.resolve(run.isStarted ? { kind: 'started', ticket: name } : { kind: 'laid-out' })
    },
    follow: (ticket, watch) => {
      const run = runOf(ticket)
      run.report ??= call(run, (piece) => watch.log(piece))
      return run.report
    },
    stop: (name) => {
      runs.get(name)?.stop.abort()
      return Promise.resolve()
    },
    discard: (name) => {
      runs.get(name)?.stop.abort()
      runs.delete(name)
      return Promise.resolve()
    },
    list: () => Promise.resolve([]),
    close: () => {
      for (const { stop } of runs.values()) stop.abort()
      return Promise.resolve()
    },
  }
}
