/** What a worker works with. */
import type { Ports } from '../broker/ports.ts'
import type { Engine } from '../engines/engine.ts'
import type { Job } from '../model/job.ts'
import type { Problem } from '../model/problem.ts'
import { faultOfHost } from '../model/refusal.ts'
import { jobWithin, ruled } from '../model/tenant-rule.ts'
import type { Beforehand } from './beforehand.ts'
import type { EndHints } from './end-hints.ts'
import type { LogWriter } from './log-writer.ts'
import type { WorkReport } from './work-report.ts'
import type { WorkSpans } from './work-spans.ts'

export interface Tools {
  readonly ports: Ports
  readonly cluster: { readonly id: string; readonly epoch: number }
  readonly engines: readonly Engine[]
  readonly bell: EndHints
  readonly logs: LogWriter
  readonly limits: WorkLimits
  /** As it is now: it may change while the worker works. */
  room(): WorkCapacity
  readonly report: WorkReport
  readonly beforehand?: Beforehand
  /** Absent: no traces are wanted. */
  readonly spans?: WorkSpans | undefined
}

/** How much may be under way at once. */
export interface WorkCapacity {
  readonly concurrency: number
  readonly perPlatform: number
  /** Only these operations are taken up; absent: whatever is due. */
  readonly only?: readonly string[]
}

export interface WorkLimits {
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly stagesMax: number
  readonly attemptsMax: number
}

/** The engine that runs a job: the first that does not refuse it, or the one of a name. What only pretends runs for all. */
export function engineFor(engines: readonly Engine[], job: Job, name?: string): Engine | undefined {
  return meantEngines(engines, name).find((engine) => engine.refuses(job) === undefined)
}

function meantEngines(engines: readonly Engine[], name: string | undefined): readonly Engine[] {
  return engines.filter((engine) =>
    name === undefined
      ? engine.reserved !== true
      : engine.name === name || engine.facts.programs.every((kind) => kind === 'pretend'),
  )
}

/** A job as its tenant may have it run, and the engine for it. Problems: engine.refused. */
export function placedFor(
  { ports, engines }: Pick<Tools, 'ports' | 'engines'>,
  tenant: string,
  job: Job,
): { readonly job: Job; readonly engine: Engine } | Problem {
  const { tenants = [] } = ports.policy()
  const within = jobWithin(tenants, tenant, job)
  const name = ruled(tenants, tenant, 'engine')
  const engine = engineFor(engines, within, name)
  return engine === undefined ? refusedBy(engines, within, name) : { job: within, engine }
}

/** That there is no engine for a job. */
export function refusedBy(engines: readonly Engine[], job: Job, name: string | undefined): Problem {
  const fault = faultOfHost(meantEngines(engines, name).map((engine) => engine.refuses(job)))
  if (fault !== undefined) return fault
  const { kind } = job.program
  const detail = name === undefined ? kind : `${kind}: this tenant runs on ${name} only`
  return { code: 'engine.refused', detail }
}
