/** Claims operations and performs them, a bounded number at a time; an expired lease is all that recovery needs. */
import { present } from '../kit/present.ts'
import type { Operation } from '../model/operation.ts'
import { type Problem, ProblemError, toProblem } from '../model/problem.ts'
import { type HeldLeases, holdLeases } from './held-leases.ts'
import type { Lease } from './lease.ts'
import { perform } from './perform.ts'
import { giveBack } from './record.ts'
import { backoffMs, isTransient } from './retry.ts'
import type { Tools } from './tools.ts'
import type { ClaimSpan } from './work-spans.ts'

export interface Worker {
  readonly running: number
  /** Looks at the queue now instead of at the next tick. */
  wake(): void
  /** Stops claiming, leaves running programs to their engines, gives every lease back. */
  drain(): Promise<void>
  /** When each loop last came round, by the monotonic clock; for health. */
  readonly pulse: { readonly claim: number; readonly heartbeat: number }
}

/** How long the queue rests when nothing wakes it; the truth does not depend on hints. */
const restMs = 1000

/** Said when a nap ends early: without a word each time would make an error of its own, with its stack. */
const wakened = 'woken'

/** Starts claiming. */
export function startWorker(tools: Tools): Worker {
  const { store, clock } = tools.ports
  const leases = holdLeases(tools)
  const leaving = new AbortController()
  const queue = openQueueNap(tools, leaving.signal)
  const performer = makePerformer(tools, { leases, leaving: leaving.signal, ended: queue.wake })
  const pulse = { claim: clock.monotonic(), heartbeat: clock.monotonic() }

  async function claimLoop(): Promise<void> {
    while (!leaving.signal.aborted) {
      pulse.claim = clock.monotonic()
      queue.looks()
      const mayBeMore = await claim(tools, leases, performer.begin).catch((error: unknown) =>
        fault(tools, 'claim', error),
      )
      if (!mayBeMore) await queue.nap()
    }
  }

  async function heartbeatLoop(): Promise<void> {
    while (!leaving.signal.aborted) {
      const jitter = 0.9 + 0.2 * tools.ports.chance.number()
      await clock.sleep(tools.limits.heartbeatMs * jitter, leaving.signal)
      pulse.heartbeat = clock.monotonic()
      await leases.renew().catch((error: unknown) => {
        fault(tools, 'renew leases', error)
        tools.report.event({ kind: 'renewal-failed' })
      })
    }
  }

  store.onHint((hint) => {
    if (hint.kind === 'queued') queue.wake()
    else if (hint.kind === 'cancel') tools.bell.ring(`cancel ${hint.operation}`)
    else if (hint.kind === 'ended') tools.bell.ring(hint.operation)
  })
  const loops = [claimLoop(), heartbeatLoop()]
  return {
    pulse,
    wake: queue.wake,
    get running() {
      return leases.count
    },
    async drain() {
      leaving.abort()
      await Promise.all(loops)
      await performer.allEnded()
    },
  }
}

interface QueueNap {
  /** Ends the nap, or keeps the next one from beginning. */
  wake(): void
  /** From here on a call of `wake` means that there is something new. */
  looks(): void
  /** Rests until it is woken, for a while at most; not at all if it was woken since the last look. */
  nap(): Promise<void>
}

/** Ends early without an error when the worker leaves. */
function openQueueNap({ ports }: Tools, leaving: AbortSignal): QueueNap {
  let nap = new AbortController()
  let woken = false
  return {
    wake() {
      woken = true
      nap.abort(wakened)
    },
    looks() {
      woken = false
    },
    async nap() {
      if (woken) return
      nap = new AbortController()
      const ms = restMs * (0.8 + 0.4 * ports.chance.number())
      await ports.clock.sleep(ms, AbortSignal.any([nap.signal, leaving]))
    },
  }
}

/** Takes as many operations as there are places for; true when there may be more. */
async function claim(
  { ports, limits, cluster, room, spans }: Tools,
  leases: HeldLeases,
  begin: (lease: Lease, claimed: Claimed) => void,
): Promise<boolean> {
  const { concurrency, perPlatform, only } = room()
  const most = concurrency - leases.count
  if (most <= 0) return false
  const { node, clock, store } = ports
  const { leaseMs } = limits
  const order = { node, epoch: cluster.epoch, leaseMs, most, perPlatform, ...present({ only }) }
  const sentAt = clock.monotonic()
  const excused = leases.excused()
  const claimed = await store.write(
    async (tx) => {
      if (excused.length > 0) await tx.forgive(node, excused)
      const operations = await tx.claim(order)
      const found = operations.map((operation): Claimed => ({ operation, span: spans?.claimed(operation) }))
      for (const { operation, span } of found)
        if (span?.traces !== undefined) await tx.putTraces(operation, span.traces)
      return found
    },
    // A power cut that takes the claim takes the claimer.
    { how: 'loose' },
  )
  leases.forgiven(excused)
  for (const one of claimed) {
    const { id, target, fence } = one.operation
    begin(leases.begin({ id, target, fence, sentAt }), one)
  }
  return claimed.length === most
}

interface Claimed {
  readonly operation: Operation
  /** Absent where no traces are wanted. */
  readonly span: ClaimSpan | undefined
}

interface Performer {
  begin(lease: Lease, claimed: Claimed): void
  allEnded(): Promise<void>
}

interface PerformerParts {
  readonly leases: HeldLeases
  readonly leaving: AbortSignal
  /** Some work has ended: there is a place for more. */
  ended(): void
}

/** Performs what was claimed, and gives it back to the queue where that cannot be done now. */
function makePerformer(tools: Tools, { leases, leaving, ended }: PerformerParts): Performer {
  const underWay = new Set<Promise<void>>()
  const tries = new Map<string, number>()

  async function attempt(lease: Lease, claimed: Operation): Promise<void> {
    try {
      await perform(tools, lease, claimed, leaving)
      tries.delete(lease.operation)
      if (leaving.aborted)
        await giveBack(tools, lease, { waitMs: 0, reason: 'waits for a worker', strike: false })
    } catch (error) {
      const given = await recoverFrom(lease, error).catch((second: unknown) =>
        fault(tools, 'give an operation back', second, lease.operation),
      )
      // We live, and the work is not what kept us from it: the claim shall not count against it.
      if (!given && isOutside(error)) leases.excuse(lease)
    } finally {
      leases.end(lease)
      ended()
    }
  }

  /** Whether the operation is back in the queue. */
  async function recoverFrom(lease: Lease, error: unknown): Promise<boolean> {
    const problem = toProblem(error)
    if (problem.code === 'store.fenced') {
      tools.report.event({ kind: 'lease-lost', operation: lease.operation })
      return false
    }
    const strike = !isTransient(problem)
    if (strike) fault(tools, 'perform', error, lease.operation)
    const count = (tries.get(lease.operation) ?? 0) + 1
    tries.set(lease.operation, count)
    const why = reasonFor(problem, error)
    tools.report.event({ kind: 'waits', operation: lease.operation, why })
    return giveBack(tools, lease, { waitMs: backoffMs(count, tools.ports.chance), reason: why, strike })
  }

  return {
    begin(lease, { operation, span }) {
      const { id, createdAt, runAfter, action, fence } = operation
      const queuedMs = Math.max(0, runAfter - createdAt)
      const before = tries.has(id) ? 'again' : 'takeover'
      const claim = fence === 1 ? 'first' : before
      tools.report.event({ kind: 'claimed', operation: id, action: action.kind, queuedMs, claim })
      const work = () => attempt(lease, operation)
      const done = span?.carry(work, () => lease.notes.facts?.knowledge.offer.package) ?? work()
      underWay.add(done)
      void done.finally(() => underWay.delete(done))
    },
    async allEnded() {
      await Promise.all(underWay)
    },
  }
}

function fault({ report }: Tools, doing: string, error: unknown, operation?: string): false {
  report.event({ kind: 'fault', doing, error, ...present({ operation }) })
  return false
}

/** Whether what ended the work lies outside it: the world was away, or the lease ran out meanwhile. */
function isOutside(error: unknown): boolean {
  const problem = toProblem(error)
  return isTransient(problem) || problem.code === 'store.fenced'
}

function reasonFor(problem: Problem, error: unknown): string {
  if (isTransient(problem) && error instanceof ProblemError) return `waits: ${error.message}`
  return 'waits after an unexpected fault; see the log of the broker'
}
