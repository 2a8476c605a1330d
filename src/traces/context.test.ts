/** Contexts as callers write them. */
import { expect, test } from 'vitest'
import { contextIn, propagators } from './context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const sampled = { traceId: trace, spanId: span, isSampled: true }
const unsampled = { ...sampled, isSampled: false }

test.each([
  ['traceparent, sampled', { traceparent: `00-${trace}-${span}-01` }, sampled],
  ['traceparent, not sampled', { traceparent: `00-${trace}-${span}-00` }, unsampled],
  ['other flags besides', { traceparent: `00-${trace}-${span}-03` }, sampled],
  ['a later version with more behind it', { traceparent: `01-${trace}-${span}-01-more` }, sampled],
  ['the first version with more behind it', { traceparent: `00-${trace}-${span}-01-more` }, undefined],
  ['the version that there is none of', { traceparent: `ff-${trace}-${span}-01` }, undefined],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-${span}-01` }, undefined],
  ['a span of zeros', { traceparent: `00-${trace}-${'0'.repeat(16)}-01` }, undefined],
  ['capital letters', { traceparent: `00-${trace.toUpperCase()}-${span}-01` }, undefined],
  ['no context at all', { traceparent: 'x' }, undefined],
  [
    'a state to be passed on',
    { traceparent: `00-${trace}-${span}-01`, tracestate: 'a=1,b@c=2' },
    { ...sampled, state: 'a=1,b@c=2' },
  ],
  ['a state that is none', { traceparent: `00-${trace}-${span}-01`, tracestate: '=x' }, sampled],
  [
    'a state that is too long',
    { traceparent: `00-${trace}-${span}-01`, tracestate: `a=${'x'.repeat(600)}` },
    sampled,
  ],
  ['b3 in one header', { b3: `${trace}-${span}-1` }, sampled],
  ['b3 in one header, for debugging', { b3: `${trace}-${span}-d-${span}` }, sampled],
  ['b3 in one header, not decided', { b3: `${trace}-${span}` }, unsampled],
  ['b3 that denies without a context', { b3: '0' }, undefined],
  ['b3 in several headers', { 'x-b3-traceid': trace, 'x-b3-spanid': span, 'x-b3-sampled': '1' }, sampled],
  ['b3 with flags', { 'x-b3-traceid': trace, 'x-b3-spanid': span, 'x-b3-flags': '1' }, sampled],
  [
    'b3 with a trace of 64 bits',
    { 'x-b3-traceid': 'A3CE929D0E0E4736', 'x-b3-spanid': span, 'x-b3-sampled': 'true' },
    { ...sampled, traceId: '0000000000000000a3ce929d0e0e4736' },
  ],
  ['b3 without a span', { 'x-b3-traceid': trace }, undefined],
  [
    'W3C before b3',
    { traceparent: `00-${trace}-${span}-00`, b3: `${'1'.repeat(32)}-${'2'.repeat(16)}-1` },
    unsampled,
  ],
  ['b3 where traceparent is broken', { traceparent: 'x', b3: `${trace}-${span}-1` }, sampled],
  ['no header', {}, undefined],
])('%s', (_name, headers: Readonly<Record<string, string>>, wanted) => {
  expect(contextIn(headers, propagators)).toEqual(wanted)
})

test('ways that the operator does not want are not read', () => {
  expect(contextIn({ b3: `${trace}-${span}-1` }, ['tracecontext'])).toBeUndefined()
})
