/** The context of a span as it travels: W3C `traceparent` and `tracestate`, and on the way in also B3. */

/** What identifies a span to those that go on from it. */
export interface SpanContext {
  /** 32 digits, hexadecimal, not all zero. */
  readonly traceId: string
  /** 16 digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** What tracing systems before this one want to be passed on. */
  readonly state?: string
}

/** The ways in which a caller may tell its context. */
export const propagators = ['tracecontext', 'b3', 'b3multi'] as const
export type Propagator = (typeof propagators)[number]

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The context that headers tell; W3C goes before B3, the single header of B3 before the others. */
export function contextIn(headers: Headers, known: readonly Propagator[]): SpanContext | undefined {
  for (const propagator of known) {
    const context = readers[propagator](headers)
    if (context !== undefined) return context
  }
  return undefined
}

const readers: Readonly<Record<Propagator, (headers: Headers) => SpanContext | undefined>> = {
  tracecontext: (headers) => {
    const context = parseTraceparent(one(headers['traceparent']))
    const state = stateOf(headers['tracestate'])
    return context && state !== undefined ? { ...context, state } : context
  },
  b3: (headers) => {
    const [traceId, spanId, sampled] = (one(headers['b3']) ?? '').split('-')
    return b3(traceId, spanId, sampled === '1' || sampled === 'd')
  },
  b3multi: (headers) => {
    const isSampled =
      one(headers['x-b3-flags']) === '1' || /^(?:1|true)$/.test(one(headers['x-b3-sampled']) ?? '')
    return b3(one(headers['x-b3-traceid']), one(headers['x-b3-spanid']), isSampled)
  },
}

/** `00-TRACE-SPAN-FLAGS`; later versions may have more behind it. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text ?? '')
  const [, version, traceId = '', spanId = '', flags = '', more] = found ?? []
  if (found === null || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return checked({ traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/** The same as text. */
export function traceparentOf({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** The headers of W3C, for hosts that are asked. */
export function headersOf(context: SpanContext): Readonly<Record<string, string>> {
  const { state } = context
  return { traceparent: traceparentOf(context), ...(state !== undefined && { tracestate: state }) }
}

/** B3 knows ids of 64 bits, too. */
function b3(traceId = '', spanId = '', isSampled: boolean): SpanContext | undefined {
  if (!/^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i.test(traceId) || !/^[0-9a-f]{16}$/i.test(spanId)) return undefined
  return checked({
    traceId: traceId.toLowerCase().padStart(32, '0'),
    spanId: spanId.toLowerCase(),
    isSampled,
  })
}

function checked(context: SpanContext): SpanContext | undefined {
  return /^0+$/.test(context.traceId) || /^0+$/.test(context.spanId) ? undefined : context
}

const stateMax = 512

/** Longer ones may be dropped as a whole, and what is no list of keys and values must be. */
function stateOf(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === 'object' ? value.join(',') : value
  if (text === undefined || text.length > stateMax) return undefined
  return /^[ \t]*[a-z0-9][a-z0-9_\-*/@]*=[\x20-\x7e]*$/.test(text) ? text : undefined
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.trim() : undefined
}
