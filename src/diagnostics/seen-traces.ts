/** What doctor says of traces: whether their variables can be read, and whether the collector takes them. */
import type { TracesRead } from '../traces/index.ts'
import type { Seen } from './seen.ts'

/** `fault`: why a running broker could not hand over its latest spans. */
export function seenTraces({ place, problems }: TracesRead, fault?: string): readonly Seen[] {
  if (place === undefined && problems.length === 0) return []
  const advice =
    fault === undefined
      ? []
      : [
          {
            what: `spans cannot be handed over to ${place}: ${fault}`,
            fix: 'Check the endpoint, its headers and whether the collector takes OTLP over HTTP there; orders do not wait for it.',
          },
        ]
  const what = place === undefined || fault !== undefined ? '' : `are handed over to ${place}`
  return [{ id: 'traces', what, problems, advice }]
}
