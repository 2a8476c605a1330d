/** Counts orders once they are committed: a transaction that is refused or repeated after all counts nothing twice. */
import type { Began, Ports } from '../broker/ports.ts'
import type { Metrics } from '../http/metrics.ts'
import type { BrokerSpans } from './traces.ts'

/** Requests whose transaction came to nothing are forgotten, the oldest first. */
const requestsMax = 1000

type Accepting = ReturnType<BrokerSpans['accepting']>

/** Opens the book. */
export function makeAcceptances(
  metrics: Pick<Metrics, 'accepted'>,
  spans?: Pick<BrokerSpans, 'accepting'>,
): Pick<Ports, 'began' | 'accepted'> {
  const open = new Map<string, Map<string, { readonly order: Began; readonly span: Accepting | undefined }>>()
  return {
    began(order) {
      const orders = open.get(order.request) ?? new Map()
      const span = spans?.accepting(order)
      orders.set(JSON.stringify([order.kind, order.target]), { order, span })
      open.set(order.request, orders)
      const [oldest] = open.keys()
      if (open.size > requestsMax && oldest !== undefined) open.delete(oldest)
      return span?.context
    },
    accepted(request) {
      for (const { order, span } of open.get(request)?.values() ?? []) {
        metrics.accepted(order.kind, order.format)
        span?.end()
      }
      open.delete(request)
    },
  }
}
