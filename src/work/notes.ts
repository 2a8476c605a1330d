/** What was written down or read under one lease: no other node changes it meanwhile, so it is not unsealed again. */
import type { Job } from '../model/job.ts'
import type { Report } from '../model/report.ts'
import type { Facts } from './facts.ts'

export interface Notes {
  /** Until a stage has changed them. */
  facts: Facts | undefined
  /** The contract of its package, once the facts were read. */
  format: string | undefined
  /** By the names of runs. */
  readonly jobs: Map<string, Job>
  readonly reports: Map<string, Report>
  /** The run whose layout took so long that the operation was asked again whether it is still to start. */
  slowLayout: string | undefined
}

export function makeNotes(): Notes {
  return { facts: undefined, format: undefined, jobs: new Map(), reports: new Map(), slowLayout: undefined }
}
