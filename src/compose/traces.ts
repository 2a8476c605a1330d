/** Traces of a broker: opened when its environment names an endpoint, told to log and figures, closed last. */
import type { Seen } from '../diagnostics/seen.ts'
import { seenTraces } from '../diagnostics/seen-traces.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Observe } from '../http/observe.ts'
import type { Sides } from '../http/server.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { describeProblem } from '../model/problem.ts'
import type { Environment } from '../settings/environment.ts'
import { areTracesAskedFor } from '../traces/asked.ts'
import type { Traces } from '../traces/index.ts'

export interface BrokerTraces {
  /** Absent: there are none, and nothing of them is loaded. */
  readonly traces: Traces | undefined
  /** What doctor says of them; nothing where they are not asked for. */
  seen(): readonly Seen[]
  close(): Promise<void>
}

interface TracesParts {
  readonly version: string
  readonly metrics: Pick<Metrics, 'spansSent' | 'spansLost'>
  readonly log: Log
}

/** How long the end of a broker waits for a collector. */
const closeMs = 2000

const none: BrokerTraces = { traces: undefined, seen: () => [], close: async () => undefined }

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
  log.info('traces.started', 'Traces are handed over', { place })
  return {
    traces,
    seen: () => seenTraces(read, traces.fault()),
    close: () => traces.close(closeMs),
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
  const { answered } = traces.requests
  return (seen, of) => {
    request(seen, of)
    answered(of, seen)
  }
}
