/** Spans while they last: begun below the one under way, ended once, handed on if they are kept. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Chance, Clock } from '../kit/clock.ts'
import { toProblem } from '../model/problem.ts'
import { type ProblemCode, problemCodes } from '../model/problem-codes.ts'
import { headersOf, type SpanContext } from './context.ts'
import type { Attributes, EndedSpan, SpanKind } from './otlp.ts'
import type { Sampler } from './sampler.ts'

export interface SpanOrder {
  readonly name: string
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** The span it follows, when that is not the one under way here; `none`: it begins a trace of its own. */
  readonly parent?: SpanContext | 'none'
  /** Spans that it goes back to without being a part of them; the first decides whether it is kept. */
  readonly links?: readonly SpanContext[]
}

/** What went wrong, in constant words: the text of an error may hold a secret. */
export interface SpanFault {
  readonly type: string
  readonly message: string
}

export interface OpenSpan {
  readonly context: SpanContext
  /** Says more of it, or says otherwise. */
  note(attributes: Attributes): void
  /** Ends it; a second end changes nothing. */
  end(how?: { readonly name?: string; readonly fault?: SpanFault | undefined }): void
}

export interface Tracer {
  begin(order: SpanOrder): OpenSpan
  /** The span under way is this one, in the work and in what it awaits. */
  run<T>(span: OpenSpan, work: () => T): T
  /** Does a part of a work in a span of its own; without one where there is none under way, or that is not kept. */
  within<T>(order: SpanOrder, work: (span: OpenSpan | undefined) => Promise<T>): Promise<T>
  /** The span under way, kept or not, as lines of a log name it; empty where there is none. */
  logFields(): Readonly<Record<string, string>>
  /** What tells another host which span its part belongs to; empty where there is none under way. */
  headers(): Readonly<Record<string, string>>
  /** The same work, to be done by another: the span under way is then the one that is so now. */
  bound<A extends readonly unknown[], T>(work: (...given: A) => T): (...given: A) => T
}

/** Moments and parent of a span that lasts; those of one process are told by one clock that only grows. */
interface Lasting extends OpenSpan {
  readonly origin: number
  /** Whether what is done now may be part of it: it has not ended. */
  lasts(): boolean
}

export interface TracerParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly chance: Chance
  readonly sampler: Sampler
  keep(span: EndedSpan): void
}

/** Makes one; which span is under way is remembered by the process. */
export function makeTracer(parts: TracerParts): Tracer {
  const underWay = new AsyncLocalStorage<Lasting | undefined>()
  // A loop that began within a span goes on after it.
  const current = (): Lasting | undefined => {
    const now = underWay.getStore()
    return now?.lasts() ? now : undefined
  }
  const begin = (order: SpanOrder): Lasting => beginSpan(parts, order, current())
  return {
    begin,
    // Spans are made here only.
    run: (span, work) => underWay.run(span as Lasting, work),
    within: async (order, work) => {
      if (current()?.context.isSampled !== true) return work(undefined)
      const span = begin(order)
      try {
        const done = await underWay.run(span, () => work(span))
        span.end()
        return done
      } catch (error) {
        span.end({ fault: faultOf(toProblem(error).code) })
        throw error
      }
    },
    logFields: () => {
      const now = current()
      if (now === undefined) return {}
      const { traceId, spanId, isSampled } = now.context
      return { trace_id: traceId, span_id: spanId, trace_flags: isSampled ? '01' : '00' }
    },
    headers: () => {
      const now = current()
      return now === undefined ? {} : headersOf(now.context)
    },
    bound: (work) => {
      const now = underWay.getStore()
      return (...given) => underWay.run(now, () => work(...given))
    },
  }
}

/** A problem as a span tells it. */
export function faultOf(code: ProblemCode): SpanFault {
  return { type: code, message: problemCodes[code].title }
}

function beginSpan(
  { clock, chance, sampler, keep }: TracerParts,
  { name, kind = 'internal', attributes = {}, parent: given, links = [] }: SpanOrder,
  above: Lasting | undefined,
): Lasting {
  const local = given === undefined ? above : undefined
  const parent = given === 'none' ? undefined : (given ?? local?.context)
  const traceId = parent?.traceId ?? hex(chance, 16)
  const context: SpanContext = {
    traceId,
    spanId: hex(chance, 8),
    isSampled: sampler(traceId, parent ?? links[0]),
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
    lasts: () => isOpen,
    note: (more) => void Object.assign(noted, more),
    end({ name: final = name, fault } = {}) {
      if (!isOpen) return
      isOpen = false
      if (!context.isSampled) return
      if (fault !== undefined) noted['error.type'] = fault.type
      keep({
        ...{ context, kind, links, name: final, attributes: noted, parentId: parent?.spanId },
        begunAt: origin + begunAt,
        endedAt: origin + clock.monotonic(),
        fault: fault?.message,
      })
    },
  }
}

function hex(chance: Chance, count: number): string {
  return Buffer.from(chance.bytes(count)).toString('hex')
}
