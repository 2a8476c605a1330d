/** What a worker works with. */
import type { Ports } from '../broker/ports.ts'
import type { Engine } from '../engines/engine.ts'
import type { Job } from '../model/job.ts'
import type { Beforehand } from './beforehand.ts'
import type { EndHints } from './end-hints.ts'
import type { LogWriter } from './log-writer.ts'
import type { WorkReport } from './work-report.ts'

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

/** The engine that runs a job: the first that does not refuse it. */
export function engineFor(engines: readonly Engine[], job: Job): Engine | undefined {
  return engines.find((engine) => engine.refuses(job) === undefined)
}
