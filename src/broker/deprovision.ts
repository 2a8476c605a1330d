/** Decides a deprovision request: stop what is being made, undo what is bound, then take it down. */
import type { Binding, Instance } from '../model/instance.ts'
import { fail } from '../model/problem.ts'
import type { Transaction } from '../store/store.ts'
import { admitDeprovision } from './admission.ts'
import { begin, refuseWhenFrozen, requestCancel } from './begin.ts'
import type { Offer } from './catalog.ts'
import { offerOf } from './offering.ts'
import { type Asker, type DeleteAnswer, orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { beginUnbind } from './unbind.ts'

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
  ports.wake(asker.requestId)
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
    instance && verdict !== 'unknown' ? await offerOf(tx, instance) : ports.catalog().plan(request.planId)
  if (offer?.plan.mode.instance === 'async' && !request.acceptsIncomplete) fail('instance.async-required')
  if (instance === undefined || offer === undefined || verdict === 'unknown')
    fail('instance.gone', request.instance)
  if (instance.serviceId !== request.serviceId) fail('instance.mismatch', request.serviceId)
  if (verdict === 'busy') fail('instance.busy')
  const wait = offer.plan.mode.instance === 'sync'
  if (verdict === 'same-operation' && instance.currentOperation)
    return { operation: instance.currentOperation, wait }
  await refuseWhenFrozen(tx, true)
  const operation = await start(tx, ports, asker, { instance, offer })
  const stops = instance.state === 'provisioning' ? instance.currentOperation : undefined
  return { operation, wait, ...(stops === undefined ? {} : { stops }) }
}

async function start(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  { instance, offer }: { readonly instance: Instance; readonly offer: Offer },
): Promise<string> {
  const key = { platform: instance.platform, instance: instance.instance }
  const creating = instance.state === 'provisioning' ? instance.currentOperation : undefined
  if (creating !== undefined)
    await requestCancel(tx, ports, creating, 'cancelled: the instance is being deleted')
  const unbound = await undoBindings(tx, ports, asker, { instance, offer })
  const order = await orders.instance(tx, key)
  const blockedBy = unbound ?? creating
  const operation = await begin(tx, ports, {
    target: key,
    asker,
    offer,
    ...(blockedBy === undefined ? {} : { blockedBy }),
    order: {
      action: { kind: 'deprovision' },
      parameters: order.parameters,
      planId: instance.planId,
      digest: instance.digest,
      context: order.context,
      before: { parameters: order.parameters, planId: instance.planId, state: stateBefore(instance) },
    },
  })
  await tx.putInstance({ ...instance, state: 'deprovisioning', currentOperation: operation.id })
  return operation.id
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
  const { unbindsFirst } = ports.contract(offer.package.contract)
  let last: string | undefined
  for (const binding of await tx.bindings(instance)) {
    if (binding.state === 'gone') continue
    if (binding.state === 'binding' && binding.currentOperation) {
      await requestCancel(tx, ports, binding.currentOperation, 'cancelled: the instance is being deleted')
      last ??= binding.currentOperation
    }
    if (binding.state === 'unbinding') last = binding.currentOperation ?? last
    else if (unbindsFirst) last = await unbindAfter(tx, ports, asker, { binding, offer, last })
  }
  return last
}

async function unbindAfter(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  what: { readonly binding: Binding; readonly offer: Offer; readonly last: string | undefined },
): Promise<string> {
  const running = what.binding.state === 'binding' ? what.binding.currentOperation : undefined
  return beginUnbind(tx, ports, asker, {
    binding: what.binding,
    offer: what.offer,
    blockedBy: running ?? what.last,
  })
}
