/** Traces of a broker: opened when its environment names an endpoint, told to log and figures, closed last. */
import type { RegistrySettings } from '../artifacts/index.ts'
import type { Seen } from '../diagnostics/seen.ts'
import { seenTraces } from '../diagnostics/seen-traces.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Observe } from '../http/observe.ts'
import type { Sides } from '../http/server.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { describeProblem } from '../model/problem.ts'
import type { Environment } from '../settings/environment.ts'
import type { Store } from '../store/store.ts'
import { areTracesAskedFor } from '../traces/asked.ts'
import type { Traces } from '../traces/index.ts'
import type { OperationSpans } from '../traces/operations.ts'
import type { WorkReport } from '../work/work-report.ts'
import type { WorkSpans } from '../work/work-spans.ts'

export interface BrokerTraces {
  /** Absent: there are none, and nothing of them is loaded. */
  readonly traces: Traces | undefined
  /** What doctor says of them; nothing where they are not asked for. */
  seen(): readonly Seen[]
  /** What the parts tell of themselves as spans; absent with the traces. */
  readonly spans: BrokerSpans | undefined
  /** The same report, which also tells the spans of operations how these went. */
  reported(report: WorkReport): WorkReport
  close(): Promise<void>
}

export interface BrokerSpans extends WorkSpans, Pick<OperationSpans, 'accepting'> {
  /** Asks another process for something, in a span of its own. */
  call: WorkSpans['within']
  /** Calls of registries, each in a span of its own that the registry is told. */
  readonly registry: NonNullable<RegistrySettings['traced']>
  /** A write of the store, in a span of its own. */
  transaction(write: Store['write']): Store['write']
}

interface TracesParts {
  readonly version: string
  readonly metrics: Pick<Metrics, 'spansSent' | 'spansLost'>
  readonly log: Log
}

/** How long the end of a broker waits for a collector. */
const closeMs = 2000

const none: BrokerTraces = {
  ...{ traces: undefined, spans: undefined },
  seen: () => [],
  reported: (report) => report,
  close: async () => undefined,
}

/** Opens them; what is wrong with the variables is told, and the broker starts all the same. */
export async function openTraces(
  environment: Environment,
  { version, metrics, log }: TracesParts,
): Promise<BrokerTraces> {
  if (!areTracesAskedFor(environment)) return none
  const { readTraces, startTraces } = await import('../traces/index.ts')
  const read = readTraces(environment)
  const { configuration, place, problems } = read
  if (problems.length > 0)
    log.warn('traces.misconfigured', 'Variables of traces have faults', {
      problems: problems.map(describeProblem),
    })
  if (configuration === undefined) return { ...none, seen: () => seenTraces(read) }
  const traces = startTraces(configuration, {
    clock: systemClock,
    chance: systemChance,
    process: { 'service.version': version },
    sent: metrics.spansSent,
    lost: metrics.spansLost,
    changed: (why) => {
      if (why === undefined) log.info('traces.sent', 'Traces are handed over again', { place })
      else log.warn('traces.unsent', 'Traces cannot be handed over', { place, why })
    },
  })
  log.ask(traces.tracer.logFields)
  log.info('traces.started', 'Traces are handed over', { place })
  return {
    traces,
    spans: spansOf(traces),
    reported: (report) => reportedTo(traces.operations, report),
    seen: () => seenTraces(read, traces.fault()),
    close: () => traces.close(closeMs),
  }
}

function spansOf({ tracer, operations }: Traces): BrokerSpans {
  const { accepting, claimed } = operations
  return {
    accepting,
    claimed,
    within: (name, attributes, work) => tracer.within({ name, attributes }, work),
    call: (name, attributes, work) => tracer.within({ name, attributes, kind: 'client' }, work),
    registry: ({ method, host }, send) => {
      const attributes = { 'http.request.method': method, 'server.address': host }
      return tracer.within({ name: `registry ${method}`, kind: 'client', attributes }, async (span) => {
        const answer = await send(tracer.headers())
        span?.note({ 'http.response.status_code': answer.status })
        return answer
      })
    },
    transaction: (write) => (work, manner) => {
      // Several are carried out by the one that came first, and what is done in one belongs to what asked for it.
      const own = tracer.bound(work)
      return tracer.within({ name: 'store TX', kind: 'client' }, () => write(own, manner))
    },
  }
}

/** The same store; each of its transactions is a span where there are any. */
export function tracedStore(store: Store, spans: BrokerSpans | undefined): Store {
  return spans === undefined ? store : { ...store, write: spans.transaction(store.write) }
}

function reportedTo({ ended, left }: OperationSpans, report: WorkReport): WorkReport {
  return {
    event(event) {
      if (event.kind === 'ended') ended(event.operation, event)
      else if (event.kind === 'lease-lost') left(event.operation, 'store.fenced')
      else if (event.kind === 'quarantined') left(event.operation, 'internal.unexpected')
      report.event(event)
    },
  }
}

/** The same sides of the listener, within spans where there are any. */
export function tracedSides({ traces }: BrokerTraces, { osb, other }: Sides): Sides {
  if (traces === undefined) return { osb, other }
  const { traced } = traces.requests
  return { osb: traced(osb), other: traced(other) }
}

/** Tells of an answered request, and ends its span if it has one. */
export function tracedAnswers({ traces }: BrokerTraces, request: Observe['request']): Observe['request'] {
  if (traces === undefined) return request
  const { answered, within } = traces.requests
  return (seen, of) => {
    within(of, () => request(seen, of))
    answered(of, seen)
  }
}
