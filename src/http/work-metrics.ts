/** Figures of the work: orders and how they ended, leases, runs, engines, images. */
import type { Counter, Gauge, Histogram } from 'prom-client'

/** Makes figures in the registry of the house. */
export interface Makers {
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L>
  gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L>
  histogram<L extends string>(
    name: string,
    help: string,
    shape: { readonly labelNames: readonly L[]; readonly buckets: readonly number[] },
  ): Histogram<L>
}

export const answerBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const operationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200]
const queryBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]

export interface Finished {
  readonly kind: string
  readonly format: string
  readonly outcome: string
  /** The code of the first problem; `none` when all went well. */
  readonly reason: string
  readonly seconds: number
}

export interface Ran {
  readonly format: string
  readonly engine: string
  readonly action: string
  readonly outcome: string
  readonly seconds: number
}

export interface Spent {
  readonly format: string
  readonly engine: string
  readonly phase: string
  readonly seconds: number
}

export interface OperationFigures {
  accepted(kind: string, format: string): void
  /** Taken up for the first time. */
  claimed(kind: string, queuedSeconds: number): void
  finished(ended: Finished): void
  /** A program of a package ran: its own share of the time. */
  ran(run: Ran): void
  attempted(run: Pick<Ran, 'format' | 'engine'>, result: string): void
  /** Our share of the time. */
  spent(share: Spent): void
}

/** Orders by what they were and how they ended, and where the time went. */
export function operationFigures({ counter, histogram }: Makers): OperationFigures {
  const buckets = operationBuckets
  const accepted = counter('chandler_operations_accepted_total', 'Orders that were written down.', [
    'kind',
    'format',
  ])
  const finished = counter('chandler_operations_finished_total', 'Operations that ended.', [
    'kind',
    'format',
    'outcome',
    'reason',
  ])
  const durations = histogram('chandler_operation_duration_seconds', 'From order to end.', {
    labelNames: ['kind', 'format', 'outcome'],
    buckets,
  })
  const queued = histogram('chandler_operation_queue_seconds', 'From order to first claim.', {
    labelNames: ['kind'],
    buckets,
  })
  const attempts = counter('chandler_operation_attempts_total', 'Runs that came to their end.', [
    'format',
    'engine',
    'result',
  ])
  const runs = histogram('chandler_run_duration_seconds', 'How long programs of packages ran.', {
    labelNames: ['format', 'engine', 'action', 'outcome'],
    buckets,
  })
  const overhead = histogram('chandler_operation_overhead_seconds', 'Time that the broker adds.', {
    labelNames: ['format', 'engine', 'phase'],
    buckets: answerBuckets,
  })
  return {
    accepted: (kind, format) => accepted.labels(kind, format).inc(),
    claimed: (kind, seconds) => queued.labels(kind).observe(seconds),
    finished: ({ kind, format, outcome, reason, seconds }) => {
      finished.labels(kind, format, outcome, reason).inc()
      durations.labels(kind, format, outcome).observe(seconds)
    },
    ran: ({ format, engine, action, outcome, seconds }) =>
      runs.labels(format, engine, action, outcome).observe(seconds),
    attempted: ({ format, engine }, result) => attempts.labels(format, engine, result).inc(),
    spent: ({ format, engine, phase, seconds }) => overhead.labels(format, engine, phase).observe(seconds),
  }
}

/** Runs of an engine, and what they are there: processes, containers. */
export interface OrphanKind {
  readonly engine: string
  readonly type: string
}

export interface LeaseFigures {
  leasesRenewed(count: number): void
  leaseRenewalFailed(): void
  leaseLost(): void
  /** An operation was taken up that another node had begun. */
  tookOver(): void
  fencedWrite(): void
  /** A run from before was looked for. */
  reattached(engine: string, result: 'found' | 'missing' | 'foreign'): void
  /** What the last sweep of an engine had to leave. */
  orphans(of: OrphanKind, runs: number): void
  orphanRemoved(of: OrphanKind): void
}

/** Which node holds what, and what nodes that are gone have left. */
export function leaseFigures({ counter, gauge }: Makers): LeaseFigures {
  const renewed = counter('chandler_lease_renewals_total', 'Leases that were renewed.', [])
  const failed = counter('chandler_lease_renew_failures_total', 'Rounds in which no lease was renewed.', [])
  const lost = counter('chandler_leases_lost_total', 'Operations another node took over.', [])
  const takeovers = counter(
    'chandler_takeovers_total',
    'Operations that this node took over from another.',
    [],
  )
  const fenced = counter(
    'chandler_fenced_writes_rejected_total',
    'Writes refused because another process had taken over.',
    [],
  )
  const reattached = counter('chandler_reattach_total', 'Runs of an earlier process that were looked for.', [
    'engine',
    'result',
  ])
  const orphans = gauge('chandler_orphans', 'Leftover runs the last sweep could not remove.', [
    'engine',
    'type',
  ])
  const removed = counter('chandler_orphans_removed_total', 'Leftover runs that were removed.', [
    'engine',
    'type',
  ])
  return {
    leasesRenewed: (count) => renewed.inc(count),
    leaseRenewalFailed: () => failed.inc(),
    leaseLost: () => lost.inc(),
    tookOver: () => takeovers.inc(),
    fencedWrite: () => fenced.inc(),
    reattached: (engine, result) => reattached.labels(engine, result).inc(),
    orphans: ({ engine, type }, runs) => orphans.labels(engine, type).set(runs),
    orphanRemoved: ({ engine, type }) => removed.labels(engine, type).inc(),
  }
}

export interface SupplyFigures {
  engine(name: string, up: boolean): void
  engineCall(engine: string, call: string, seconds: number, failed: boolean): void
  imageUnpacked(seconds: number): void
  /** Bytes of an image that came from elsewhere. */
  imageArrived(bytes: number): void
  /** A package of the catalog was read, kept as it was, or refused. */
  packageRead(source: string, result: 'offered' | 'kept' | 'refused'): void
  /** How many images of a source came to what when it was last listed. */
  sourceListed(source: string, images: Readonly<Record<string, number>>): void
  storeAnswered(query: string, seconds: number, failed: boolean): void
}

/** What engines, images, packages and the store take. */
export function supplyFigures({ counter, gauge, histogram }: Makers): SupplyFigures {
  const up = gauge('chandler_engine_up', 'Whether the last probe of an engine went well.', ['engine'])
  const calls = histogram('chandler_engine_call_duration_seconds', 'Time engines took to answer.', {
    labelNames: ['engine', 'call'],
    buckets: answerBuckets,
  })
  const errors = counter('chandler_engine_call_errors_total', 'Calls of engines that failed.', [
    'engine',
    'call',
  ])
  const images = histogram('chandler_image_pull_duration_seconds', 'Until an image was there, unpacked.', {
    labelNames: [],
    buckets: operationBuckets,
  })
  const arrived = counter('chandler_image_pull_bytes_total', 'Bytes of images that were brought here.', [])
  const packages = counter('chandler_package_refresh_total', 'Packages of the catalog that were read.', [
    'source',
    'result',
  ])
  const packagesAt = gauge(
    'chandler_package_refresh_last_success_timestamp_seconds',
    'When a package of the catalog was last read.',
    ['source'],
  )
  const listed = gauge('chandler_source_images', 'Images of a source by what came of them.', [
    'source',
    'result',
  ])
  const listedAt = gauge(
    'chandler_source_listed_timestamp_seconds',
    'When a source last said which images it holds.',
    ['source'],
  )
  const queries = histogram('chandler_store_query_duration_seconds', 'Time the store took to answer.', {
    labelNames: ['query', 'result'],
    buckets: queryBuckets,
  })
  const known = new Map<string, { observe(seconds: number): void }>()
  return {
    engine: (name, isUp) => up.labels(name).set(isUp ? 1 : 0),
    engineCall: (engine, call, seconds, failed) => {
      calls.labels(engine, call).observe(seconds)
      if (failed) errors.labels(engine, call).inc()
    },
    imageUnpacked: (seconds) => images.observe(seconds),
    imageArrived: (bytes) => arrived.inc(bytes),
    packageRead: (source, result) => {
      packages.labels(source, result).inc()
      if (result === 'offered') packagesAt.labels(source).setToCurrentTime()
    },
    sourceListed: (source, images) => {
      for (const [result, count] of Object.entries(images)) listed.labels(source, result).set(count)
      listedAt.labels(source).setToCurrentTime()
    },
    storeAnswered: (query, seconds, failed) => {
      // Finding a series by its labels costs more than a query that finds its page in memory.
      const key = failed ? `${query} failed` : query
      const series = known.get(key) ?? queries.labels(query, failed ? 'failed' : 'ok')
      known.set(key, series)
      series.observe(seconds)
    },
  }
}
