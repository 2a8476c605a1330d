/** Spans while they last: begun below the one under way, ended once, handed on if they are kept. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Chance, Clock } from '../kit/clock.ts'
import type { SpanContext } from './context.ts'
import type { Attributes, EndedSpan, SpanKind } from './otlp.ts'
import type { Sampler } from './sampler.ts'

export interface SpanOrder {
  readonly name: string
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** The span it follows, when that is not the one under way here; `none`: it begins a trace of its own. */
  readonly parent?: SpanContext | 'none'
}

export interface OpenSpan {
  readonly context: SpanContext
  /** Says more of it, or says otherwise. */
  note(attributes: Attributes): void
  /** Ends it; a second end changes nothing. */
  end(how?: { readonly name?: string; readonly fault?: string | undefined }): void
}

export interface Tracer {
  begin(order: SpanOrder): OpenSpan
  /** The span under way is this one, in the work and in what it awaits. */
  run<T>(span: OpenSpan, work: () => T): T
}

/** Moments and parent of a span that lasts; those of one process are told by one clock that only grows. */
interface Lasting extends OpenSpan {
  readonly origin: number
}

export interface TracerParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly chance: Chance
  readonly sampler: Sampler
  keep(span: EndedSpan): void
}

/** Makes one; which span is under way is remembered by the process. */
export function makeTracer(parts: TracerParts): Tracer {
  const underWay = new AsyncLocalStorage<Lasting>()
  return {
    begin: (order) => beginSpan(parts, order, underWay.getStore()),
    // Spans are made here only.
    run: (span, work) => underWay.run(span as Lasting, work),
  }
}

function beginSpan(
  { clock, chance, sampler, keep }: TracerParts,
  { name, kind = 'internal', attributes = {}, parent: given }: SpanOrder,
  above: Lasting | undefined,
): Lasting {
  const local = given === undefined ? above : undefined
  const parent = given === 'none' ? undefined : (given ?? local?.context)
  const traceId = parent?.traceId ?? hex(chance, 16)
  const context: SpanContext = {
    traceId,
    spanId: hex(chance, 8),
    isSampled: sampler(traceId, parent),
    ...(parent?.state !== undefined && { state: parent.state }),
  }
  const begunAt = clock.monotonic()
  // A wall clock that is set in between must not have a part end after the whole.
  const origin = local?.origin ?? clock.now() - begunAt
  const noted: Record<string, Attributes[string]> = { ...attributes }
  let isOpen = true
  return {
    context,
    origin,
    note: (more) => void Object.assign(noted, more),
    end(how = {}) {
      if (!isOpen || !context.isSampled) return
      isOpen = false
      keep({
        ...{ context, kind, links: [], attributes: noted, parentId: parent?.spanId },
        name: how.name ?? name,
        begunAt: origin + begunAt,
        endedAt: origin + clock.monotonic(),
        fault: how.fault,
      })
    },
  }
}

function hex(chance: Chance, count: number): string {
  return Buffer.from(chance.bytes(count)).toString('hex')
}
