/** Writes an accepted order down, in the transaction that accepts it: operation, history, audit. */
import { present } from '../kit/present.ts'
import { auditObjectOf } from '../model/audit.ts'
import type { Target } from '../model/instance.ts'
import type { Operation, Priority } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import type { Action } from '../model/situation.ts'
import type { Transaction } from '../store/store.ts'
import type { Offer } from './catalog.ts'
import { type Asker, type OperationOrder, orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { checkTenantRate } from './quota.ts'

export interface Beginning {
  readonly target: Target
  readonly tenant: string
  readonly asker: Asker
  readonly order: OperationOrder
  readonly offer: Offer
  /** The operation that must have ended before. */
  readonly blockedBy?: string
}

const priorities: Readonly<Record<Action['kind'], Priority>> = {
  deprovision: 0,
  unbind: 0,
  provision: 1,
  update: 1,
  bind: 1,
  invoke: 2,
}

/** Adds the operation to the queue. */
export async function begin(tx: Transaction, ports: Ports, beginning: Beginning): Promise<Operation> {
  const { target, tenant, asker, order, offer, blockedBy } = beginning
  if (!takesDown(order.action)) {
    await refuseWhenCrowded(tx, ports, target.platform)
    await checkTenantRate(tx, ports, tenant)
  }
  const now = await tx.now()
  const id = ports.newId(now)
  const trace = ports.began({
    ...{ request: asker.requestId, operation: id, kind: order.action.kind, target },
    format: offer.package.contract,
    package: offer.package,
  })
  const operation: Operation = {
    id,
    target,
    action: order.action,
    tenant,
    state: 'queued',
    reason: blockedBy === undefined ? 'waits for a worker' : `waits for operation ${blockedBy} to end`,
    ...(asker.requester ? { requester: asker.requester } : {}),
    requestId: asker.requestId,
    priority: priorities[order.action.kind],
    ...present({ blockedBy }),
    createdAt: now,
    deadlineAt: now + deadlineMs(ports, offer, order.action),
    runAfter: now,
    fence: 0,
    strikes: 0,
    stage: 0,
    attempt: 1,
    ...(trace !== undefined && { traces: [trace] }),
  }
  await tx.addOperation(operation)
  await orders.putOperation(tx, operation.id, order)
  await tx.addHistory(operation.id, { state: 'queued', reason: operation.reason, node: ports.node, fence: 0 })
  const object = auditObjectOf(target)
  await tx.addAudit({
    actor: { ...asker.account, ...(asker.requester ? { identity: asker.requester.identity } : {}) },
    action: `${object.kind}.${order.action.kind}`,
    object,
    tenant,
    decision: 'allowed',
    result: 'started',
    requestId: asker.requestId,
    ...present({ source: asker.source }),
    node: ports.node,
  })
  tx.hint({ kind: 'queued' })
  return operation
}

/** Deletes and unbinds are always taken: refusing them would leave behind what is not wanted any more. */
function takesDown({ kind }: Action): boolean {
  return kind === 'deprovision' || kind === 'unbind'
}

async function refuseWhenCrowded(tx: Transaction, ports: Ports, platform: string): Promise<void> {
  const most = ports.policy().queuedPerPlatformMax
  if ((await tx.countQueued(platform, most)) < most) return
  fail('request.too-many', `${most} operations of this platform wait already`)
}

/** How long the worker of an operation has to end it, where its end is forced. */
const forceMs = 10_000

/**
 * Asks that an operation stop; its worker sees that at once or with its next heartbeat. A forced end waits for no
 * worker: the housework ends it, with what its run has left.
 */
export async function requestCancel(
  tx: Transaction,
  ports: Ports,
  id: string,
  { reason, force = false }: { readonly reason: string; readonly force?: boolean },
): Promise<void> {
  const before = await tx.lockOperation(id)
  if (before === undefined) return
  const isNew = before.cancelRequestedAt === undefined || before.state === 'quarantined'
  if (!isNew && (!force || before.forceAt !== undefined)) return
  const at = await tx.now()
  const isHeld = before.lease !== undefined && before.lease.until > at
  const forceAt = force ? { forceAt: isHeld ? at + forceMs : at } : {}
  const operation = await tx.cancelOperation(id, { at, reason, ...forceAt })
  if (operation === undefined) return
  const { state, fence } = operation
  await tx.addHistory(id, { state, reason, node: ports.node, fence })
  tx.hint({ kind: 'cancel', operation: id })
  // The worker that holds it hears of the cancel; what is not held is due from now on.
  if (operation.lease === undefined) tx.hint({ kind: 'queued' })
}

/** Refuses new orders while frozen; deletes pass unless all is frozen. */
export async function refuseWhenFrozen(tx: Transaction, deletes: boolean): Promise<void> {
  const { freeze } = await tx.cluster()
  if (freeze && (!deletes || freeze.all)) fail('broker.frozen', freeze.reason)
}

function deadlineMs(ports: Ports, offer: Offer, action: Action): number {
  const polled = offer.plan.pollingSecondsMax
  const usual = ports.policy().deadlineMs[action.kind]
  return polled === undefined ? usual : Math.min(usual, polled * 1000)
}
