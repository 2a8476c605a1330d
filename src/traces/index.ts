/** Traces for an OpenTelemetry collector, over OTLP/HTTP; loaded when the environment names an endpoint. */
import type { Chance, Clock } from '../kit/clock.ts'
import type { Problem } from '../model/problem.ts'
import { type Configuration, readConfiguration } from './configuration.ts'
import { type Loss, openExportQueue } from './export-queue.ts'
import { type OperationSpans, operationSpans } from './operations.ts'
import type { Attributes } from './otlp.ts'
import { type RequestSpans, requestSpans } from './requests.ts'
import { samplerOf } from './sampler.ts'
import { openSender } from './send.ts'
import { makeTracer, type Tracer } from './tracer.ts'

export interface Traces {
  readonly requests: RequestSpans
  readonly operations: OperationSpans
  readonly tracer: Pick<Tracer, 'within' | 'bound' | 'headers' | 'logFields'>
  /** Known of this process from now on. */
  tag(process: Attributes): void
  /** Why the latest batch could not be handed over; undefined: it was, or there was none. */
  fault(): string | undefined
  /** Sends what waits, as far as that goes in this time. */
  close(withinMs: number): Promise<void>
}

export interface TracesRead {
  /** Absent: the variables say that there are to be none, or do not say where to. */
  readonly configuration?: Configuration
  /** Where spans go, without what may be secret. */
  readonly place?: string
  readonly problems: readonly Problem[]
}

/** What the environment says of traces. */
export function readTraces(environment: Readonly<Record<string, string | undefined>>): TracesRead {
  const { configuration, problems } = readConfiguration(environment)
  if (configuration === undefined) return { problems }
  const { origin, pathname } = configuration.url
  return { configuration, place: `${origin}${pathname}`, problems }
}

export interface TracesParts {
  readonly clock: Clock
  readonly chance: Chance
  /** What identifies this process: `service.version` and the like. */
  readonly process: Attributes
  sent(spans: number): void
  lost(spans: number, why: Loss): void
  /** Handing over fails from now on, or, without a reason, goes well again. */
  changed(why: string | undefined): void
}

/** Starts to keep and send spans. */
export function startTraces(configuration: Configuration, parts: TracesParts): Traces {
  const { clock, chance, sent, lost } = parts
  const { sampler, batch, propagators } = configuration
  let latest: string | undefined
  const resource = { ...configuration.resource, ...parts.process }
  const queue = openExportQueue({
    ...{ clock, chance, batch, sent, lost },
    sender: openSender(configuration),
    resource,
    told(why) {
      if ((why === undefined) !== (latest === undefined)) parts.changed(why)
      latest = why
    },
  })
  const keep = queue.add
  const tracer = makeTracer({ clock, chance, sampler: samplerOf(sampler.name, sampler.share), keep })
  return {
    // What the operator says of the process goes before.
    tag: (process) => void Object.assign(resource, { ...process, ...configuration.resource }),
    requests: requestSpans(tracer, propagators),
    operations: operationSpans(tracer),
    tracer,
    fault: () => latest,
    close: queue.close,
  }
}
