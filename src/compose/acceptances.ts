/** Counts orders once they are committed: a transaction that is refused or repeated after all counts nothing twice. */
import type { Began, Ports } from '../broker/ports.ts'
import type { Metrics } from '../http/metrics.ts'

/** Requests whose transaction came to nothing are forgotten, the oldest first. */
const requestsMax = 1000

/** Opens the book. */
export function makeAcceptances(metrics: Pick<Metrics, 'accepted'>): Pick<Ports, 'began' | 'accepted'> {
  const open = new Map<string, Map<string, Began>>()
  return {
    began(order) {
      const orders = open.get(order.request) ?? new Map<string, Began>()
      orders.set(JSON.stringify([order.kind, order.target]), order)
      open.set(order.request, orders)
      const [oldest] = open.keys()
      if (open.size > requestsMax && oldest !== undefined) open.delete(oldest)
    },
    accepted(request) {
      for (const { kind, format } of open.get(request)?.values() ?? []) metrics.accepted(kind, format)
      open.delete(request)
    },
  }
}
