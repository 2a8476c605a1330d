/** The leases that one worker holds: renewed while it lives, and which of its claims shall not count against their work. */

import type { Target } from '../model/instance.ts'
import { type Lease, makeLease } from './lease.ts'
import type { Tools } from './tools.ts'

export interface HeldLeases {
  readonly count: number
  /** Begins the lease of a claim that was sent then; an older one of the same operation ends. */
  begin(claim: {
    readonly id: string
    readonly target: Target
    readonly fence: number
    readonly sentAt: number
  }): Lease
  end(lease: Lease): void
  /** What ended the work lies outside it: the strike of its claim is to be taken back. */
  excuse(lease: Lease): void
  /** Claims whose strike is to be taken back with the next claim. */
  excused(): readonly Lease[]
  /** These strikes were taken back. */
  forgiven(leases: readonly Lease[]): void
  /** Renews all; what the store does not renew is lost. */
  renew(): Promise<void>
}

/** Work that went on for so long is not what kills the process, should that die after all. */
const provenMs = 600_000

export function holdLeases({ ports, limits, report }: Tools): HeldLeases {
  const { clock, store, node } = ports
  const held = new Map<string, Lease>()
  const excused = new Set<Lease>()
  const proven = new WeakSet<Lease>()
  return {
    get count() {
      return held.size
    },
    begin({ id, target, fence, sentAt }) {
      held.get(id)?.drop()
      const lease = makeLease(clock, { operation: id, target, fence, sentAt, leaseMs: limits.leaseMs })
      held.set(id, lease)
      return lease
    },
    end(lease) {
      if (held.get(lease.operation) === lease) held.delete(lease.operation)
    },
    excuse: (lease) => excused.add(lease),
    excused: () => [...excused],
    forgiven(leases) {
      for (const lease of leases) excused.delete(lease)
    },
    async renew() {
      const ids = [...held.keys()]
      if (ids.length === 0) return
      const sentAt = clock.monotonic()
      const lasting = [...held.values()].filter((one) => sentAt - one.since > provenMs && !proven.has(one))
      const renewed = await store.write(
        async (tx) => {
          if (lasting.length > 0) await tx.forgive(node, lasting)
          return tx.renew(node, ids, limits.leaseMs)
        },
        { how: 'loose' },
      )
      for (const lease of lasting) proven.add(lease)
      report.event({ kind: 'renewed', leases: renewed.length })
      const kept = new Set(renewed)
      for (const id of ids) {
        if (kept.has(id)) held.get(id)?.renewed(sentAt)
        else held.get(id)?.drop()
      }
    },
  }
}
