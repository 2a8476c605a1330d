/** Which traces are kept: what a caller decided, or a share of those that begin here. */
import type { SpanContext } from './context.ts'

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof samplerNames)[number]

/** Says whether a span is kept, by its trace and, if there is one, by the span that it follows. */
export type Sampler = (traceId: string, parent: SpanContext | undefined) => boolean

/** The sampler of a name; `share` from 0 to 1 counts for those that go by a ratio. */
export function samplerOf(name: SamplerName, share: number): Sampler {
  const root = rootOf(name, share)
  if (!name.startsWith('parentbased_')) return (traceId) => root(traceId)
  return (traceId, parent) => parent?.isSampled ?? root(traceId)
}

function rootOf(name: SamplerName, share: number): (traceId: string) => boolean {
  if (name.endsWith('always_on')) return () => true
  if (name.endsWith('always_off')) return () => false
  // The digits that W3C calls random: nodes decide alike for one trace.
  return (traceId) => Number.parseInt(traceId.slice(-13), 16) < share * 16 ** 13
}
