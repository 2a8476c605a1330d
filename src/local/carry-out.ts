/** Stays with an operation until it has ended: has the worker take it up, passes its log on, stops it when asked. */
import { cancelOperation, releaseOperation } from '../broker/steer.ts'
import type { Listener } from '../host/workshop.ts'
import { enough } from '../kit/enough.ts'
import { hasEnded, type Operation } from '../model/operation.ts'
import { describeProblem, fail, ProblemError, toProblem } from '../model/problem.ts'
import type { Store } from '../store/store.ts'
import type { WorkEvent } from '../work/work-report.ts'
import type { LocalBroker } from './local-broker.ts'
import { hasDied, processOf } from './owner.ts'

/** How long the log of another process's work is not looked at. */
const lookAgainMs = 100
const rowsAtOnce = 200

/** The operation as it ended. Problems: operation.left when the listener left before. */
export async function carryOut(house: LocalBroker, id: string, listener: Listener): Promise<Operation> {
  const chain = await chainOf(house.store, id)
  for (const operation of chain) await takeUp(house, operation, listener)
  house.workOn(chain.map((one) => one.id))
  const over = new AbortController()
  house.onWork((event) => tellWaiting(chain, event, listener), over.signal)
  try {
    for (const operation of chain) await follow(house, operation.id, listener)
  } finally {
    over.abort(enough)
  }
  return (await house.store.look.operation(id)) ?? fail('operation.unknown', id)
}

/** An operation behind all that it waits for. */
async function chainOf(store: Store, id: string): Promise<readonly Operation[]> {
  const operation = (await store.look.operation(id)) ?? fail('operation.unknown', id)
  const { blockedBy } = operation
  return blockedBy === undefined ? [operation] : [...(await chainOf(store, blockedBy)), operation]
}

/** Frees what a command that was killed has left behind; says which process works on it, if one does. */
async function takeUp(
  house: LocalBroker,
  { id, lease, state }: Operation,
  listener: Listener,
): Promise<void> {
  const { store, ports } = house
  if (hasEnded(state)) return
  if (state === 'quarantined') await releaseOperation(ports, house.asker(), id)
  if (lease === undefined) return
  if (!hasDied(lease.owner)) {
    const pid = processOf(lease.owner)
    return listener.progress(`process ${pid ?? lease.owner} works on operation ${id}; this follows it`)
  }
  await store.write(async (tx) => {
    const now = await tx.lockOperation(id)
    if (now?.lease === undefined || now.lease.owner !== lease.owner || hasEnded(now.state)) return
    const { lease: _over, ...free } = now
    await tx.putOperation(free, { fence: now.fence })
  })
}

function tellWaiting(chain: readonly Operation[], event: WorkEvent, listener: Listener): void {
  if (event.kind === 'waits' && chain.some(({ id }) => id === event.operation)) listener.progress(event.why)
  if (event.kind === 'fault') listener.progress(`${event.doing}: ${describeProblem(toProblem(event.error))}`)
}

async function follow(house: LocalBroker, id: string, listener: Listener): Promise<void> {
  const { store, ports, bell } = house
  const { signal, leave } = listener
  let after = 0
  let isCancelled = false
  for (;;) {
    if (leave?.aborted) fail('operation.left', id)
    if (signal.aborted && !isCancelled) {
      isCancelled = true
      await cancel(house, id)
    }
    // The state is read before the log: what was logged before the end is then never missed.
    const now = await store.look.operation(id)
    const rows = await store.look.log(id, after, rowsAtOnce)
    for (const row of rows) {
      after = row.number
      await listener.log(row)
    }
    if (rows.length === rowsAtOnce) continue
    if (now === undefined || hasEnded(now.state)) return
    if (now.state === 'quarantined') fail('operation.quarantined', now.reason)
    const nap = new AbortController()
    const early = [nap.signal, ...(isCancelled ? [] : [signal]), ...(leave ? [leave] : [])]
    const rest = AbortSignal.any(early)
    await Promise.race([bell.wait(id, rest), ports.clock.sleep(lookAgainMs, rest)])
    nap.abort(enough)
  }
}

/** Once it has ended there is nothing left to cancel. */
async function cancel(house: LocalBroker, id: string): Promise<void> {
  try {
    await cancelOperation(house.ports, house.asker(), id)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'operation.ended') throw error
  }
}
