/** Counts what happens and shows it to Prometheus; counters in memory, gauges by one question to the store. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Look, StateCount } from '../store/store.ts'
import type { SeenRequest } from './observe.ts'

export interface Metrics {
  request(seen: SeenRequest): void
  requestBegins(): void
  authFailed(reason: 'credentials' | 'role'): void
  rateLimited(side: 'osb' | 'operator'): void
  claimed(queuedSeconds: number): void
  finished(kind: string, outcome: string, seconds: number): void
  adopted(engine: string): void
  leaseLost(): void
  orphanRemoved(): void
  logLineDropped(): void
  engine(name: string, up: boolean): void
  /** Adds what is counted in the store and the catalog, once they are there. */
  watch(look: Look, offered: () => Offered): void
  readonly contentType: string
  text(): Promise<string>
}

export interface Offered {
  readonly services: number
  readonly plans: number
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
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers })
  const histogram = <L extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: readonly L[]; readonly buckets: readonly number[] },
  ) => new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers })

  const requests = requestFigures(registry)
  const auth = counter('chandler_auth_failures_total', 'Refused callers.', ['method', 'reason'])
  const limited = counter('chandler_rate_limited_total', 'Requests above a limit.', ['scope'])
  const finished = counter('chandler_operations_finished_total', 'Operations that ended.', [
    'kind',
    'outcome',
  ])
  const durations = histogram('chandler_operation_duration_seconds', 'From order to end.', {
    labelNames: ['kind', 'outcome'],
    buckets: operationBuckets,
  })
  const queued = histogram('chandler_operation_queue_seconds', 'From order to first claim.', {
    labelNames: [],
    buckets: operationBuckets,
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
    authFailed: (reason) => auth.labels('basic', reason).inc(),
    rateLimited: (side) => limited.labels(side).inc(),
    claimed: (seconds) => queued.observe(seconds),
    finished: (kind, outcome, seconds) => {
      finished.labels(kind, outcome).inc()
      durations.labels(kind, outcome).observe(seconds)
    },
    adopted: (engine) => adopted.labels(engine).inc(),
    leaseLost: () => lost.inc(),
    orphanRemoved: () => orphans.inc(),
    logLineDropped: () => dropped.inc(),
    engine: (name, up) => engines.labels(name).set(up ? 1 : 0),
    watch: (look, offered) => gaugesOfStore(registry, look, offered),
    contentType: registry.contentType,
    text: () => registry.metrics(),
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

const countedEveryMs = 60_000

/** Counted by one question, at most once a minute, whoever scrapes. */
function gaugesOfStore(registry: Registry, look: Look, offered: () => Offered): void {
  const registers = [registry]
  const writable = new Gauge({
    name: 'chandler_store_writable',
    help: 'Whether the store answered.',
    registers,
  })
  let last: readonly StateCount[] = []
  let counted: { readonly at: number; readonly counts: Promise<readonly StateCount[]> } | undefined
  /** A store that is down leaves the figures as they were, and is asked again at the next scrape. */
  const ask = async (): Promise<readonly StateCount[]> => {
    try {
      last = await look.countByState()
      writable.set(1)
    } catch {
      writable.set(0)
      counted = undefined
    }
    return last
  }
  const counts = (): Promise<readonly StateCount[]> => {
    const now = performance.now()
    if (counted === undefined || now - counted.at > countedEveryMs) counted = { at: now, counts: ask() }
    return counted.counts
  }
  const byState = (name: string, help: string, of: StateCount['of']) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset()
        for (const one of await counts()) if (one.of === of) this.labels(one.state).set(one.count)
      },
    })
  const single = (name: string, help: string, read: (counts: readonly StateCount[]) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(read(await counts()))
      },
    })
  byState('chandler_instances', 'Instances by state.', 'instance')
  byState('chandler_bindings', 'Bindings by state.', 'binding')
  single('chandler_operations_running', 'Operations under way.', (all) => sum(all, running))
  single('chandler_operations_queued', 'Operations that wait.', (all) => sum(all, ['queued']))
  single('chandler_operations_quarantined', 'Operations held back.', (all) => sum(all, ['quarantined']))
  single('chandler_operations_oldest_queued_seconds', 'Age of the oldest that waits.', (all) =>
    oldest(all, ['queued']),
  )
  single('chandler_operations_oldest_running_seconds', 'Age of the oldest under way.', (all) =>
    oldest(all, running),
  )
  const catalog = (name: string, help: string, of: 'services' | 'plans') =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(offered()[of])
      },
    })
  catalog('chandler_catalog_offerings', 'Services in the catalog.', 'services')
  catalog('chandler_catalog_plans', 'Plans in the catalog.', 'plans')
}

const running = ['preparing', 'running', 'collecting', 'stopping']

function operationsIn(counts: readonly StateCount[], states: readonly string[]): readonly StateCount[] {
  return counts.filter((one) => one.of === 'operation' && states.includes(one.state))
}

function sum(counts: readonly StateCount[], states: readonly string[]): number {
  return operationsIn(counts, states).reduce((total, { count }) => total + count, 0)
}

function oldest(counts: readonly StateCount[], states: readonly string[]): number {
  return Math.max(0, ...operationsIn(counts, states).map(({ oldestMs }) => oldestMs / 1000))
}
