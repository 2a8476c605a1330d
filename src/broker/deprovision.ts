/** Decides a deprovision request: stop what is being made, undo what is bound, then take it down. */
import { present } from '../kit/present.ts'
import type { Instance, InstanceKey } from '../model/instance.ts'
import { fail } from '../model/problem.ts'
import type { Transaction } from '../store/store.ts'
import { admitDeprovision } from './admission.ts'
import { begin, refuseWhenFrozen } from './begin.ts'
import type { Offer } from './catalog.ts'
import { offerOf } from './offering.ts'
import { type Asker, type DeleteAnswer, orders, waitsFor } from './orders.ts'
import type { Ports } from './ports.ts'
import { beginUnbind } from './unbind.ts'
import { catalogSeen, tenantsOf } from './visible.ts'
import { withdraw } from './withdraw.ts'

export interface DeprovisionRequest {
  readonly instance: string
  readonly serviceId: string
  /** A stale plan id is tolerated, or instances would become undeletable. */
  readonly planId: string
  readonly acceptsIncomplete: boolean
}

/** Orders the end of an instance. */
export async function deprovision(
  ports: Ports,
  asker: Asker,
  request: DeprovisionRequest,
): Promise<DeleteAnswer> {
  const answer = await ports.store.write((tx) => decide(tx, ports, asker, request))
  ports.accepted(asker.requestId)
  return answer
}

async function decide(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  request: DeprovisionRequest,
): Promise<DeleteAnswer> {
  const key = { platform: asker.platform, instance: request.instance }
  const instance = await tx.lockInstance(key)
  const verdict = admitDeprovision(instance?.state)
  const offer =
    instance && verdict !== 'unknown'
      ? await offerOf(tx, instance)
      : catalogSeen(ports, tenantsOf(asker)).plan(request.planId)
  if (offer?.plan.mode.instance === 'async' && !request.acceptsIncomplete) fail('instance.async-required')
  if (instance === undefined || offer === undefined || verdict === 'unknown')
    fail('instance.gone', request.instance)
  if (instance.serviceId !== request.serviceId) fail('instance.mismatch', request.serviceId)
  if (verdict === 'busy') fail('instance.busy')
  const wait = waitsFor(offer.plan.mode.instance, request.acceptsIncomplete)
  if (verdict === 'same-operation' && instance.currentOperation)
    return { operation: instance.currentOperation, wait }
  await refuseWhenFrozen(tx, true)
  const operation = await start(tx, ports, asker, { instance, offer })
  const stops = instance.state === 'provisioning' ? instance.currentOperation : undefined
  return { operation, wait, ...present({ stops }) }
}

async function start(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  { instance, offer }: { readonly instance: Instance; readonly offer: Offer },
): Promise<string> {
  const key = keyOf(instance)
  const creating = await stopCreation(tx, ports, instance)
  const unbound = await undoBindings(tx, ports, asker, { instance, offer })
  const order = await orders.instance(tx, key)
  const blockedBy = unbound ?? creating
  const operation = await begin(tx, ports, {
    target: key,
    tenant: instance.tenant,
    asker,
    offer,
    ...present({ blockedBy }),
    order: {
      action: { kind: 'deprovision' },
      parameters: order.parameters,
      planId: instance.planId,
      digest: instance.digest,
      context: order.context,
      before: { parameters: order.parameters, planId: instance.planId, state: stateBefore(instance) },
    },
  })
  // What was withdrawn has written to it.
  const now = (await tx.lockInstance(key)) ?? instance
  await tx.putInstance({ ...now, state: 'deprovisioning', currentOperation: operation.id })
  return operation.id
}

function keyOf({ platform, instance }: Instance): InstanceKey {
  return { platform, instance }
}

const reason = 'the instance is being deleted'

/** What the deprovision has to wait for. */
async function stopCreation(tx: Transaction, ports: Ports, instance: Instance): Promise<string | undefined> {
  const { state, currentOperation } = instance
  if (state !== 'provisioning' || currentOperation === undefined) return undefined
  return withdraw(tx, ports, { operation: currentOperation, target: keyOf(instance), reason })
}

/** What the instance returns to when its deprovision fails. */
function stateBefore({ state }: Instance): Instance['state'] {
  return state === 'ready' ? 'ready' : 'failed'
}

/** Platforms unbind first; what they left is undone one by one, and the last of it waited for. */
async function undoBindings(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  { instance, offer }: { readonly instance: Instance; readonly offer: Offer },
): Promise<string | undefined> {
  const { tenant } = instance
  const { unbindsFirst } = ports.contract(offer.package.contract)
  let last: string | undefined
  for (const binding of await tx.bindings(instance)) {
    if (binding.state === 'gone') continue
    const making = binding.state === 'binding' ? binding.currentOperation : undefined
    const target = { ...keyOf(instance), binding: binding.binding }
    const stopped = making && (await withdraw(tx, ports, { operation: making, target, reason }))
    last ??= stopped
    if (binding.state === 'unbinding') last = binding.currentOperation ?? last
    else if (unbindsFirst)
      last = await beginUnbind(tx, ports, asker, { binding, tenant, offer, blockedBy: stopped ?? last })
  }
  return last
}
