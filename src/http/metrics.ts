/** Counts what happens and shows it to Prometheus; counters in memory, gauges by one question to the store. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Look } from '../store/store.ts'
import type { SeenRequest } from './observe.ts'
import { gaugesOfStore, type Offered } from './store-metrics.ts'

export interface Metrics {
  request(seen: SeenRequest): void
  requestBegins(): void
  authFailed(reason: 'credentials' | 'role'): void
  rateLimited(side: 'osb' | 'operator'): void
  quotaRefused(): void
  auditFailed(): void
  /** When a certificate ends, in seconds since 1970. */
  certificate(use: 'server', endsAt: number): void
  accepted(kind: string, format: string): void
  claimed(kind: string, queuedSeconds: number): void
  finished(ended: Finished): void
  /** A program of a package ran: its own share of the time. */
  ran(run: Ran): void
  /** Our share of the time. */
  spent(phase: 'prepare' | 'start' | 'finish', seconds: number): void
  engineCall(engine: string, call: string, seconds: number, failed: boolean): void
  imageUnpacked(seconds: number): void
  reloaded(successfully: boolean): void
  adopted(engine: string): void
  leaseLost(): void
  orphanRemoved(): void
  logLineDropped(): void
  engine(name: string, up: boolean): void
  /** Adds what is counted in the store and the catalog, once they are there. */
  watch(look: Look, offered: () => readonly Offered[]): void
  /** A figure that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  readonly contentType: string
  text(): Promise<string>
}

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

export interface MetricsOptions {
  readonly version: string
  readonly nodeVersion: string
}

const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const operationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200]

/** Opens the counters. */
export function openMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counter: Makers['counter'] = (name, help, labelNames) =>
    new Counter({ name, help, labelNames: [...labelNames], registers })
  const histogram: Makers['histogram'] = (name, help, { labelNames, buckets }) =>
    new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers })

  const requests = requestFigures(registry)
  const auth = counter('chandler_auth_failures_total', 'Refused callers.', ['method', 'reason'])
  const limited = counter('chandler_rate_limited_total', 'Requests above a limit.', ['scope'])
  const quota = counter('chandler_quota_refusals_total', 'Orders above a quota.', ['scope'])
  const audit = counter('chandler_audit_failures_total', 'Audit records that could not be written.', [])
  const [reloads, reloadedAt] = [
    ['successful', 'Whether the last reload was taken over.'],
    ['timestamp_seconds', 'When the configuration was last taken over.'],
  ].map(
    ([name, help = '']) => new Gauge({ name: `chandler_config_last_reload_${name}`, help, registers }),
  ) as [Gauge, Gauge]
  reloads.set(1)
  reloadedAt.setToCurrentTime()
  const certificates = new Gauge({
    name: 'chandler_certificate_not_after_timestamp_seconds',
    help: 'When a certificate ends.',
    labelNames: ['use'],
    registers,
  })
  const adopted = counter('chandler_reattach_total', 'Runs that were found again.', ['engine'])
  const lost = counter('chandler_leases_lost_total', 'Operations another node took over.', [])
  const orphans = counter('chandler_orphans_removed_total', 'Leftover runs that were removed.', [])
  const dropped = counter('chandler_log_lines_dropped_total', 'Log lines lost to a slow reader.', [])
  const engines = new Gauge({
    name: 'chandler_engine_up',
    help: 'Whether the last probe of an engine went well.',
    labelNames: ['engine'],
    registers,
  })
  new Gauge({
    name: 'chandler_build_info',
    help: 'Always 1.',
    labelNames: ['version', 'node_version'],
    registers,
  })
    .labels(options.version, options.nodeVersion)
    .set(1)

  return {
    ...requests,
    ...operationFigures({ counter, histogram }),
    ...engineFigures({ counter, histogram }),
    quotaRefused: () => quota.labels('instances').inc(),
    auditFailed: () => audit.inc(),
    certificate: (use, endsAt) => certificates.labels(use).set(endsAt),
    reloaded: (successfully) => {
      reloads.set(successfully ? 1 : 0)
      if (successfully) reloadedAt.setToCurrentTime()
    },
    authFailed: (reason) => auth.labels('basic', reason).inc(),
    rateLimited: (side) => limited.labels(side).inc(),
    adopted: (engine) => adopted.labels(engine).inc(),
    leaseLost: () => lost.inc(),
    orphanRemoved: () => orphans.inc(),
    logLineDropped: () => dropped.inc(),
    engine: (name, up) => engines.labels(name).set(up ? 1 : 0),
    watch: (look, offered) => gaugesOfStore(registry, look, offered),
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          // What cannot be read now is left as it was.
          const value = await Promise.resolve()
            .then(read)
            .catch(() => undefined)
          if (value !== undefined) this.set(value)
        },
      })
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

interface Makers {
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L>
  histogram<L extends string>(
    name: string,
    help: string,
    shape: { readonly labelNames: readonly L[]; readonly buckets: readonly number[] },
  ): Histogram<L>
}

type OperationFigures = Pick<Metrics, 'accepted' | 'claimed' | 'finished' | 'ran' | 'spent'>

/** Orders by what they were and how they ended, and where the time went. */
function operationFigures({ counter, histogram }: Makers): OperationFigures {
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
  const runs = histogram('chandler_run_duration_seconds', 'How long programs of packages ran.', {
    labelNames: ['format', 'engine', 'action', 'outcome'],
    buckets,
  })
  const overhead = histogram('chandler_operation_overhead_seconds', 'What we add to the programs.', {
    labelNames: ['phase'],
    buckets: httpBuckets,
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
    spent: (phase, seconds) => overhead.labels(phase).observe(seconds),
  }
}

/** What engines and images take. */
function engineFigures({ counter, histogram }: Makers): Pick<Metrics, 'engineCall' | 'imageUnpacked'> {
  const calls = histogram('chandler_engine_call_duration_seconds', 'Time engines took to answer.', {
    labelNames: ['engine', 'call'],
    buckets: httpBuckets,
  })
  const errors = counter('chandler_engine_call_errors_total', 'Calls of engines that failed.', [
    'engine',
    'call',
  ])
  const images = histogram(
    'chandler_image_pull_duration_seconds',
    'Time until an image was there, unpacked.',
    {
      labelNames: [],
      buckets: operationBuckets,
    },
  )
  return {
    engineCall: (engine, call, seconds, failed) => {
      calls.labels(engine, call).observe(seconds)
      if (failed) errors.labels(engine, call).inc()
    },
    imageUnpacked: (seconds) => images.observe(seconds),
  }
}

/** Requests by method, template and status. */
function requestFigures(registry: Registry): Pick<Metrics, 'request' | 'requestBegins'> {
  const registers = [registry]
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time to answer.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [...httpBuckets],
    registers,
  })
  let active = 0
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests in the house.',
    registers,
    collect() {
      this.set(active)
    },
  })
  // Finding a series by its labels costs more than counting: each is looked up once.
  const series = new Map<string, { observe(seconds: number): void }>()
  return {
    requestBegins: () => {
      active++
    },
    request: ({ method, route, status, ms }) => {
      active--
      const key = `${method} ${status} ${route}`
      const known = series.get(key) ?? durations.labels(knownMethod(method), route, String(status))
      if (series.size < seriesMax) series.set(key, known)
      known.observe(ms / 1000)
    },
  }
}

/** Callers invent methods; the memory of them is bounded. */
const seriesMax = 1000

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])

/** A label has a closed set of values, whatever callers invent. */
function knownMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}
