/** Spans in the words of OTLP over HTTP, as JSON. */
import type { SpanContext } from './context.ts'

export type AttributeValue = string | number | boolean

/** Those that are undefined are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

export type SpanKind = 'internal' | 'server' | 'client'

/** A span that has ended. */
export interface EndedSpan {
  readonly context: SpanContext
  /** The span it is part of. */
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly begunAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly links: readonly SpanContext[]
  /** What went wrong, in constant words: never a text that may hold a secret. */
  readonly fault: string | undefined
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }

/** A request that hands over these spans. */
export function exportRequest(resource: Attributes, spans: readonly EndedSpan[]): string {
  const scope = { name: 'chandler', version: resource['service.version'] }
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  })
}

function spanOf({ context, parentId, name, kind, begunAt, endedAt, attributes, links, fault }: EndedSpan) {
  return {
    ...identityOf(context),
    parentSpanId: parentId,
    flags: 1,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(begunAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    links: links.length === 0 ? undefined : links.map(identityOf),
    status: fault === undefined ? undefined : { code: 2, message: fault },
  }
}

function identityOf({ traceId, spanId, state }: SpanContext) {
  return { traceId, spanId, traceState: state }
}

/** More digits than a number can hold. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms)
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: typed(value) }],
  )
}

function typed(value: AttributeValue) {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
