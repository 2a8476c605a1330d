/** Decides an unbind request. */
import { present } from '../kit/present.ts'
import type { Binding } from '../model/instance.ts'
import { fail } from '../model/problem.ts'
import type { Transaction } from '../store/store.ts'
import { admitUnbind } from './admission.ts'
import { begin, refuseWhenFrozen } from './begin.ts'
import type { Offer } from './catalog.ts'
import { offerOf } from './offering.ts'
import { type Asker, type DeleteAnswer, orders, waitsFor } from './orders.ts'
import type { Ports } from './ports.ts'
import { catalogSeen, tenantsOf } from './visible.ts'
import { withdraw } from './withdraw.ts'

export interface UnbindRequest {
  readonly instance: string
  readonly binding: string
  readonly serviceId?: string
  readonly planId?: string
  readonly acceptsIncomplete: boolean
}

/** Orders the end of a binding. */
export async function unbind(ports: Ports, asker: Asker, request: UnbindRequest): Promise<DeleteAnswer> {
  const answer = await ports.store.write((tx) => decide(tx, ports, asker, request))
  ports.accepted(asker.requestId)
  return answer
}

async function decide(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  request: UnbindRequest,
): Promise<DeleteAnswer> {
  const { instance: instanceId, binding: id, serviceId, planId } = request
  const key = { platform: asker.platform, instance: instanceId, binding: id }
  const instance = await tx.lockInstance(key)
  const binding = await tx.lockBinding(key)
  const verdict = admitUnbind(binding?.state)
  const offer =
    instance && instance.state !== 'gone'
      ? await offerOf(tx, instance)
      : catalogSeen(ports, tenantsOf(asker)).plan(planId ?? '')
  const complete = serviceId !== undefined && planId !== undefined
  if (complete && offer?.plan.mode.binding === 'async' && !request.acceptsIncomplete)
    fail('instance.async-required')
  if (binding === undefined || offer === undefined || verdict === 'unknown') fail('binding.gone', id)
  if (!complete) fail('request.malformed', 'service_id and plan_id are required')
  if (binding.serviceId !== serviceId) fail('instance.mismatch', serviceId)
  const wait = waitsFor(offer.plan.mode.binding, request.acceptsIncomplete)
  if (verdict === 'same-operation' && binding.currentOperation)
    return { operation: binding.currentOperation, wait }
  // The deprovision takes the binding with it, and nothing may run beside it.
  if (instance?.state === 'deprovisioning') fail('instance.busy')
  await refuseWhenFrozen(tx, true)
  const after = await stopBinding(tx, ports, binding)
  const tenant = instance?.tenant ?? key.platform
  const operation = await beginUnbind(tx, ports, asker, { binding, tenant, offer, blockedBy: after })
  const stops = after === binding.currentOperation ? after : undefined
  return { operation, wait, ...present({ stops }) }
}

/** The bind that is still under way is stopped; what it made is taken back afterwards. */
async function stopBinding(tx: Transaction, ports: Ports, binding: Binding): Promise<string | undefined> {
  if (binding.state !== 'binding' || binding.currentOperation === undefined) return undefined
  const { platform, instance, binding: id, currentOperation: operation } = binding
  const reason = 'the binding is being deleted'
  return withdraw(tx, ports, { operation, target: { platform, instance, binding: id }, reason })
}

/** Adds the operation and turns the binding over to it. */
export async function beginUnbind(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  what: {
    readonly binding: Binding
    readonly tenant: string
    readonly offer: Offer
    readonly blockedBy: string | undefined
  },
): Promise<string> {
  const { binding, tenant, offer, blockedBy } = what
  const order = await orders.binding(tx, binding)
  const after = blockedBy ?? (await siblingAtWork(tx, ports, binding, offer))
  const operation = await begin(tx, ports, {
    target: { platform: binding.platform, instance: binding.instance, binding: binding.binding },
    tenant,
    asker,
    offer,
    ...present({ blockedBy: after }),
    order: {
      action: { kind: 'unbind' },
      parameters: order.parameters,
      planId: offer.plan.id,
      digest: offer.package.digest,
    },
  })
  await tx.putBinding({ ...binding, state: 'unbinding', currentOperation: operation.id })
  return operation.id
}

/** The latest operation on another binding of the instance, where the contract wants one at a time. */
export async function siblingAtWork(
  tx: Transaction,
  ports: Ports,
  { platform, instance }: Pick<Binding, 'platform' | 'instance'>,
  offer: Offer,
): Promise<string | undefined> {
  if (ports.contract(offer.package.contract).bindsInParallel(offer.plan)) return undefined
  const busy = (await tx.bindings({ platform, instance })).flatMap(
    (binding) => binding.currentOperation ?? [],
  )
  return busy.sort().at(-1)
}
