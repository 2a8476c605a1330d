/** Claims operations and performs them, a bounded number at a time; an expired lease is all that recovery needs. */
import { enough } from '../kit/enough.ts'
import { type Problem, ProblemError, toProblem } from '../model/problem.ts'
import { type Lease, makeLease } from './lease.ts'
import { type Claimed, perform } from './perform.ts'
import { giveBack } from './record.ts'
import { backoffMs, isTransient } from './retry.ts'
import type { Tools } from './tools.ts'

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

/** Work that went on for so long is not what kills the process, should that die after all. */
const provenMs = 600_000

/** Starts claiming. */
export function startWorker(tools: Tools): Worker {
  const { ports, limits } = tools
  const { clock, store } = ports
  const held = new Map<string, Lease>()
  const work = new Set<Promise<void>>()
  const tries = new Map<string, number>()
  /** Claims whose strike is to be taken back. */
  const excused = new Set<Lease>()
  const proven = new WeakSet<Lease>()
  const leaving = new AbortController()
  let nap = new AbortController()
  let woken = false
  const pulse = { claim: clock.monotonic(), heartbeat: clock.monotonic() }

  function wake(): void {
    woken = true
    nap.abort(wakened)
  }

  async function claimLoop(): Promise<void> {
    while (!leaving.signal.aborted) {
      pulse.claim = clock.monotonic()
      woken = false
      const claimed = await claim().catch((error: unknown) => fault('claim', error))
      if (claimed || woken) continue
      nap = new AbortController()
      await clock.sleep(
        restMs * (0.8 + 0.4 * ports.chance.number()),
        AbortSignal.any([nap.signal, leaving.signal]),
      )
    }
  }

  /** Takes as much as there is room for; true when there may be more. */
  async function claim(): Promise<boolean> {
    const { concurrency, perPlatform, only } = tools.room()
    const most = concurrency - held.size
    if (most <= 0) return false
    const sentAt = clock.monotonic()
    const { leaseMs } = limits
    const order = {
      node: ports.node,
      epoch: tools.cluster.epoch,
      leaseMs,
      most,
      perPlatform,
      ...(only === undefined ? {} : { only }),
    }
    const forgiven = [...excused]
    const operations = await store.write(
      async (tx) => {
        if (forgiven.length > 0) await tx.forgive(ports.node, forgiven)
        return tx.claim(order)
      },
      // A power cut that takes the claim takes the claimer.
      { how: 'loose' },
    )
    for (const lease of forgiven) excused.delete(lease)
    for (const operation of operations) {
      const { id, target, fence, createdAt, runAfter, action } = operation
      held.get(id)?.drop()
      const lease = makeLease(clock, { operation: id, target, fence, sentAt, leaseMs })
      held.set(id, lease)
      const queuedMs = Math.max(0, runAfter - createdAt)
      const before = tries.has(id) ? 'again' : 'takeover'
      const claim = fence === 1 ? 'first' : before
      tools.report.event({ kind: 'claimed', operation: id, action: action.kind, queuedMs, claim })
      const now = (operation.lease?.until ?? 0) - leaseMs
      const done = workOn(lease, { operation, now })
      work.add(done)
      void done.finally(() => work.delete(done))
    }
    return operations.length === most && most > 0
  }

  async function workOn(lease: Lease, claimed: Claimed): Promise<void> {
    try {
      await perform(tools, lease, claimed, leaving.signal)
      tries.delete(lease.operation)
      if (leaving.signal.aborted)
        await giveBack(tools, lease, { waitMs: 0, reason: 'waits for a worker', strike: false })
    } catch (error) {
      const given = await recoverFrom(lease, error).catch((second: unknown) =>
        fault('give an operation back', second, lease.operation),
      )
      // We live, and the work is not what kept us from it: the claim shall not count against it.
      if (!given && isOutside(error)) excused.add(lease)
    } finally {
      if (held.get(lease.operation) === lease) held.delete(lease.operation)
      wake()
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
    if (strike) fault('perform', error, lease.operation)
    const count = (tries.get(lease.operation) ?? 0) + 1
    tries.set(lease.operation, count)
    const why = reasonFor(problem, error)
    tools.report.event({ kind: 'waits', operation: lease.operation, why })
    return giveBack(tools, lease, { waitMs: backoffMs(count, ports.chance), reason: why, strike })
  }

  async function heartbeatLoop(): Promise<void> {
    while (!leaving.signal.aborted) {
      const jitter = 0.9 + 0.2 * ports.chance.number()
      await clock.sleep(limits.heartbeatMs * jitter, leaving.signal)
      pulse.heartbeat = clock.monotonic()
      await beat().catch((error: unknown) => {
        fault('renew leases', error)
        tools.report.event({ kind: 'renewal-failed' })
      })
    }
  }

  async function beat(): Promise<void> {
    const ids = [...held.keys()]
    if (ids.length === 0) return
    const sentAt = clock.monotonic()
    const lasting = [...held.values()].filter((one) => sentAt - one.since > provenMs && !proven.has(one))
    const kept = new Set(
      await store.write(
        async (tx) => {
          if (lasting.length > 0) await tx.forgive(ports.node, lasting)
          return tx.renew(ports.node, ids, limits.leaseMs)
        },
        { how: 'loose' },
      ),
    )
    for (const lease of lasting) proven.add(lease)
    tools.report.event({ kind: 'renewed', leases: kept.size })
    for (const id of ids) {
      if (kept.has(id)) held.get(id)?.renewed(sentAt)
      else held.get(id)?.drop()
    }
  }

  function fault(doing: string, error: unknown, operation?: string): false {
    tools.report.event({ kind: 'fault', doing, error, ...(operation === undefined ? {} : { operation }) })
    return false
  }

  store.onHint((hint) => {
    if (hint.kind === 'queued') wake()
    else if (hint.kind === 'cancel') tools.bell.ring(`cancel ${hint.operation}`)
    else tools.bell.ring(hint.operation)
  })
  const loops = [claimLoop(), heartbeatLoop()]
  return {
    pulse,
    wake,
    get running() {
      return held.size
    },
    async drain() {
      leaving.abort()
      nap.abort(enough)
      await Promise.all(loops)
      await Promise.all(work)
    },
  }
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
