/** What was written down or read under one lease: nobody else changes it meanwhile, so it is not unsealed again. */
import type { OperationOrder } from '../broker/orders.ts'
import type { Job } from '../model/job.ts'
import type { Report } from '../model/report.ts'

export interface Notes {
  order?: OperationOrder
  /** By the names of runs. */
  readonly jobs: Map<string, Job>
  readonly reports: Map<string, Report>
}

export function makeNotes(): Notes {
  return { jobs: new Map(), reports: new Map() }
}
