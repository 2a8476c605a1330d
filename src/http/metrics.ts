/** Counts what happens and shows it to Prometheus; counters in memory, gauges by one question to the store. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  type PrometheusContentType,
  Registry,
} from 'prom-client'
import type { Look } from '../store/store.ts'
import { figureReader } from './figure-reader.ts'
import type { SeenRequest } from './observe.ts'
import { gaugesOfStore, type Offered } from './store-metrics.ts'
import {
  answerBuckets,
  type LeaseFigures,
  leaseFigures,
  type Makers,
  type OperationFigures,
  operationFigures,
  type SupplyFigures,
  supplyFigures,
} from './work-metrics.ts'

export interface Metrics extends OperationFigures, LeaseFigures, SupplyFigures {
  request(seen: SeenRequest): void
  requestBegins(): void
  authFailed(reason: 'credentials' | 'role'): void
  rateLimited(side: 'osb' | 'operator'): void
  quotaRefused(scope: 'instances' | 'bindings'): void
  auditFailed(): void
  /** When a certificate ends, in seconds since 1970. */
  certificate(use: 'server', endsAt: number): void
  reloaded(successfully: boolean): void
  logLineDropped(): void
  spansSent(spans: number): void
  spansLost(spans: number, reason: 'queue' | 'refused' | 'unreachable'): void
  /** Adds what is counted in the store and the catalog, once they are there. */
  watch(look: Look, offered: () => readonly Offered[]): void
  /** A figure that is read at each scrape. */
  gauge(
    name: string,
    help: string,
    read: () => number | Promise<number>,
    labels?: Readonly<Record<string, string>>,
  ): void
  /** The form of `text` for a client that accepts these media types. */
  formFor(accept: string | undefined): Form
  text(form?: Form): Promise<string>
  /** Every figure with what it tells. */
  table(): readonly Figure[]
}

/** A media type: the text of Prometheus, or OpenMetrics. */
export type Form = PrometheusContentType | OpenMetricsContentType

export interface Figure {
  readonly name: string
  readonly kind: string
  readonly labels: readonly string[]
  readonly help: string
}

export interface MetricsOptions {
  readonly version: string
  readonly nodeVersion: string
  /** A figure that is read when it is scraped cannot be read; told once, until it can be again. */
  readonly unread?: (figure: string, error: unknown) => void
}

function makersOf(registry: Registry): Makers {
  const registers = [registry]
  return {
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames: [...labelNames], registers }),
    histogram: (name, help, { labelNames, buckets }) =>
      new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers }),
    gauge: (name, help, labelNames) => new Gauge({ name, help, labelNames: [...labelNames], registers }),
  }
}

/** Opens the counters. */
export function openMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const makers = makersOf(registry)
  const { counter, gauge } = makers
  const read = figureReader(options.unread ?? (() => undefined))

  const requests = requestFigures(registry)
  const auth = counter('chandler_auth_failures_total', 'Refused credentials.', ['method', 'reason'])
  const limited = counter('chandler_rate_limited_total', 'Requests above a limit.', ['scope'])
  const quota = counter('chandler_quota_refusals_total', 'Orders above a quota.', ['scope'])
  const audit = counter('chandler_audit_failures_total', 'Audit records that could not be written.', [])
  const reloads = gauge(
    'chandler_config_last_reload_successful',
    'Whether the last reload was taken over.',
    [],
  )
  const reloadedAt = gauge(
    'chandler_config_last_reload_timestamp_seconds',
    'When the configuration was last taken over.',
    [],
  )
  reloads.set(1)
  reloadedAt.setToCurrentTime()
  const certificates = gauge('chandler_certificate_not_after_timestamp_seconds', 'When a certificate ends.', [
    'use',
  ])
  const dropped = counter('chandler_log_lines_dropped_total', 'Log lines lost to a slow reader.', [])
  gauge('chandler_build_info', 'Always 1.', ['version', 'node_version'])
    .labels(options.version, options.nodeVersion)
    .set(1)

  return {
    ...requests,
    ...operationFigures(makers),
    ...leaseFigures(makers),
    ...supplyFigures(makers),
    ...spanFigures(makers),
    quotaRefused: (scope) => quota.labels(scope).inc(),
    auditFailed: () => audit.inc(),
    certificate: (use, endsAt) => certificates.labels(use).set(endsAt),
    reloaded: (successfully) => {
      reloads.set(successfully ? 1 : 0)
      if (successfully) reloadedAt.setToCurrentTime()
    },
    authFailed: (reason) => auth.labels('basic', reason).inc(),
    rateLimited: (side) => limited.labels(side).inc(),
    logLineDropped: () => dropped.inc(),
    watch: (look, offered) => gaugesOfStore(registry, read, { look, offered }),
    gauge: (name, help, ask, labels = {}) => {
      new Gauge({
        name,
        help,
        labelNames: Object.keys(labels),
        registers: [registry],
        async collect() {
          const value = await read(name, ask)
          if (value !== undefined) this.set(labels, value)
        },
      })
    },
    formFor: (accept) =>
      accept?.includes('application/openmetrics-text')
        ? Registry.OPENMETRICS_CONTENT_TYPE
        : registry.contentType,
    text: (form = registry.contentType) => inForm(registry, form).metrics(),
    table: () => tableOf(registry),
  }
}

/** The same figures, printed otherwise. */
function inForm(registry: Registry, form: Form): Registry<Form> {
  if (form === registry.contentType) return registry
  const other = new Registry<Form>()
  other.setContentType(form)
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = registry.getSingleMetric(name)
    if (metric !== undefined) other.registerMetric(metric)
  }
  return other
}

function tableOf(registry: Registry): readonly Figure[] {
  return registry.getMetricsAsArray().map((one) => ({
    name: one.name,
    kind: kindOf(one),
    labels: 'labelNames' in one && Array.isArray(one.labelNames) ? one.labelNames.map(String) : [],
    help: one.help,
  }))
}

function kindOf(metric: object): string {
  if (metric instanceof Histogram) return 'histogram'
  return metric instanceof Counter ? 'counter' : 'gauge'
}

/** Spans of traces, where there are any. */
function spanFigures({ counter }: Makers): Pick<Metrics, 'spansSent' | 'spansLost'> {
  const sent = counter('chandler_spans_sent_total', 'Spans of traces that the collector took.', [])
  const dropped = counter(
    'chandler_spans_dropped_total',
    'Spans of traces that were lost: the queue was full, the collector refused them or was not reached.',
    ['reason'],
  )
  return {
    spansSent: (many) => sent.inc(many),
    spansLost: (many, reason) => dropped.labels(reason).inc(many),
  }
}

/** Requests by method, template and status. */
function requestFigures(registry: Registry): Pick<Metrics, 'request' | 'requestBegins'> {
  const registers = [registry]
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time to answer.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [...answerBuckets],
    registers,
  })
  let active = 0
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests that are being answered.',
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
