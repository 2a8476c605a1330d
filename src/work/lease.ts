/** The right to work on an operation: lent by the database, watched by a clock that only grows. */
import type { Clock } from '../kit/clock.ts'
import type { Target } from '../model/instance.ts'
import { fail } from '../model/problem.ts'
import { makeNotes, type Notes } from './notes.ts'

export interface Lease {
  readonly operation: string
  /** What the operation is about. */
  readonly target: Target
  readonly fence: number
  /** When its claim was sent, by the monotonic clock. */
  readonly since: number
  /** Fires when another may have taken over: stop everything, leave everything outside as it is. */
  readonly lost: AbortSignal
  readonly notes: Notes
  /** Throws when the lease may have run out; asked before every effect outside. */
  check(): void
  /** A heartbeat that was sent at this monotonic time has succeeded. */
  renewed(sentAt: number): void
  drop(): void
}

/** A lease that was granted by a claim sent at a monotonic time. */
export function makeLease(
  clock: Clock,
  grant: {
    readonly operation: string
    readonly target: Target
    readonly fence: number
    readonly sentAt: number
    readonly leaseMs: number
  },
): Lease {
  const { operation, target, fence, leaseMs } = grant
  const lost = new AbortController()
  // The database's clock and ours may run at different speeds; a fifth of the lease covers that.
  const holdMs = leaseMs - leaseMs / 5
  let until = grant.sentAt + holdMs
  return {
    operation,
    target,
    fence,
    since: grant.sentAt,
    lost: lost.signal,
    notes: makeNotes(),
    check() {
      if (!lost.signal.aborted && clock.monotonic() < until) return
      lost.abort()
      fail('store.fenced', operation)
    },
    renewed(sentAt) {
      until = Math.max(until, sentAt + holdMs)
    },
    drop: () => lost.abort(),
  }
}
