/** Decides a bind request; a rotation is a bind that names its predecessor. */
import { deepEqual, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Binding, BindingKey, Instance } from '../model/instance.ts'
import { fail, ProblemError } from '../model/problem.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import type { Transaction } from '../store/store.ts'
import { admitBind, admitBindTo } from './admission.ts'
import { begin, refuseWhenFrozen } from './begin.ts'
import { isBindable, type Offer } from './catalog.ts'
import { decided } from './decide.ts'
import { offerOf } from './offering.ts'
import { type Asker, type BindingOrder, orders, waitsFor } from './orders.ts'
import { checkParameters, judgingSchema } from './parameters.ts'
import type { Ports } from './ports.ts'
import { checkBindingQuota } from './quota.ts'
import { rehearse } from './rehearse.ts'
import { beginUnbind, siblingAtWork } from './unbind.ts'
import { catalogSeen, tenantsOf } from './visible.ts'

export interface BindRequest {
  readonly instance: string
  readonly binding: string
  /** Both may be left to the predecessor. */
  readonly serviceId?: string
  readonly planId?: string
  readonly parameters?: JsonObject
  readonly resource?: JsonObject
  readonly context?: JsonObject
  readonly predecessor?: string
  readonly acceptsIncomplete: boolean
}

export type BindAnswer =
  | { readonly kind: 'exists'; readonly binding: Binding }
  | {
      readonly kind: 'started'
      readonly operation: string
      /** It was under way before. */
      readonly again: boolean
      readonly wait: boolean
    }

/** A request whose gaps have been filled from its predecessor. */
interface Complete {
  readonly serviceId: string
  readonly planId: string
  readonly order: BindingOrder
  readonly predecessor?: string
  readonly acceptsIncomplete: boolean
}

/** Orders a binding. */
export async function bind(ports: Ports, asker: Asker, request: BindRequest): Promise<BindAnswer> {
  const answer = await decided(ports, (tx, inside) => decide(tx, inside, asker, request))
  if (answer.kind === 'started') ports.accepted(asker.requestId)
  return answer
}

async function decide(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  request: BindRequest,
): Promise<BindAnswer> {
  const key = { platform: asker.platform, instance: request.instance, binding: request.binding }
  const instance = await tx.lockInstance(key)
  const binding = await tx.lockBinding(key)
  const complete = await fillIn(tx, request, await inheritedFrom(tx, key, { request, binding }))
  await refuseUnknownIds(tx, ports, { asker, instance, complete })
  const verdict = admitBind(
    binding?.state,
    binding !== undefined && (await sameBinding(tx, binding, complete)),
  )
  if (verdict === 'exists' && binding) return { kind: 'exists', binding }
  if (verdict === 'conflict') fail('binding.exists', request.binding)
  if (verdict === 'busy') fail('instance.busy')
  if (instance === undefined || admitBindTo(instance.state) === 'unknown')
    fail('instance.unknown', request.instance)
  const { tenant } = instance
  const offer = await offerOf(tx, instance)
  if (verdict === 'same-operation' && binding?.currentOperation) {
    if (offer.plan.mode.binding === 'async' && !request.acceptsIncomplete) fail('instance.async-required')
    return { ...started(offer, binding.currentOperation, complete), again: true }
  }
  await check(tx, ports, asker, { instance, offer, complete, key })
  const cleared =
    verdict === 'clear-and-start' && binding
      ? await beginUnbind(tx, ports, asker, { binding, tenant, offer, blockedBy: undefined })
      : undefined
  const blockedBy = cleared ?? (await siblingAtWork(tx, ports, key, offer))
  const operation = await begin(tx, ports, {
    target: key,
    tenant,
    asker,
    offer,
    ...present({ blockedBy }),
    order: {
      action: { kind: 'bind' },
      parameters: complete.order.parameters,
      planId: offer.plan.id,
      digest: offer.package.digest,
    },
  })
  await orders.putBinding(tx, key, complete.order)
  await tx.putBinding({
    ...key,
    state: 'binding',
    currentOperation: operation.id,
    serviceId: complete.serviceId,
    planId: complete.planId,
    ...present({ predecessor: complete.predecessor }),
    createdAt: operation.createdAt,
    updatedAt: operation.createdAt,
  })
  return started(offer, operation.id, complete)
}

/**
 * The binding whose order fills the gaps of a rotation: its predecessor. A rotation that is sent again is filled from
 * what it made the first time, for its predecessor may have been deleted since.
 */
async function inheritedFrom(
  tx: Transaction,
  key: BindingKey,
  { request, binding }: { readonly request: BindRequest; readonly binding: Binding | undefined },
): Promise<Binding | undefined> {
  const { predecessor } = request
  if (predecessor === undefined) return undefined
  const isThere = binding?.state === 'bound' || binding?.state === 'binding'
  if (isThere && binding.predecessor === predecessor) return binding
  return predecessorOf(tx, { ...key, binding: predecessor })
}

/** A rotation inherits what it does not name. */
async function fillIn(tx: Transaction, request: BindRequest, before: Binding | undefined): Promise<Complete> {
  const { predecessor, acceptsIncomplete } = request
  const old = before && (await orders.binding(tx, before))
  const serviceId = request.serviceId ?? before?.serviceId
  const planId = request.planId ?? before?.planId
  if (serviceId === undefined || planId === undefined)
    fail('request.malformed', 'service_id and plan_id are required')
  return {
    serviceId,
    planId,
    acceptsIncomplete,
    ...present({ predecessor }),
    order: {
      parameters: request.parameters ?? old?.parameters ?? {},
      resource: request.resource ?? old?.resource ?? {},
      context: request.context ?? old?.context ?? {},
    },
  }
}

async function predecessorOf(tx: Transaction, key: BindingKey): Promise<Binding> {
  const binding = await tx.binding(key)
  if (binding?.state !== 'bound') fail('binding.predecessor-invalid', key.binding)
  if (binding.expiresAt !== undefined && binding.expiresAt <= (await tx.now())) {
    fail('binding.predecessor-invalid', `${key.binding} has expired`)
  }
  return binding
}

/** Plans that left the catalog stay known as long as instances may have them; those that are not seen never were. */
async function refuseUnknownIds(
  tx: Transaction,
  ports: Ports,
  what: { readonly asker: Asker; readonly instance: Instance | undefined; readonly complete: Complete },
): Promise<void> {
  const { asker, instance, complete } = what
  const { serviceId, planId } = complete
  if (instance?.serviceId === serviceId && instance.planId === planId) return
  const reach = instance === undefined ? tenantsOf(asker) : [instance.tenant]
  const offer = catalogSeen(ports, reach).find(serviceId, planId)
  if (!('code' in offer)) return
  const kept = await tx.offering(planId)
  if (kept?.serviceId !== serviceId || !kept.retired) throw new ProblemError(offer)
}

async function sameBinding(tx: Transaction, binding: Binding, complete: Complete): Promise<boolean> {
  const { parameters, resource } = await orders.binding(tx, binding)
  return (
    binding.serviceId === complete.serviceId &&
    binding.planId === complete.planId &&
    binding.predecessor === complete.predecessor &&
    deepEqual(parameters, complete.order.parameters) &&
    deepEqual(whom(resource), whom(complete.order.resource))
  )
}

/** What of a bind_resource tells bindings apart: the application and the route. */
function whom(resource: JsonObject): JsonObject {
  return { app: resource['app_guid'] ?? null, route: resource['route'] ?? null }
}

/** Everything that may refuse a new binding, in the order platforms expect. */
async function check(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  what: {
    readonly instance: Instance
    readonly offer: Offer
    readonly complete: Complete
    readonly key: BindingKey
  },
): Promise<void> {
  const { instance, offer, complete, key } = what
  if (instance.serviceId !== complete.serviceId) fail('instance.mismatch', complete.serviceId)
  if (instance.planId !== complete.planId)
    fail('catalog.plan-unknown', `${complete.planId} is not the instance's plan`)
  if (complete.predecessor !== undefined && !offer.plan.bindingRotatable) {
    fail('binding.predecessor-invalid', `bindings of plan ${offer.plan.name} cannot be rotated`)
  }
  if (!isBindable(offer)) fail('binding.not-bindable', offer.plan.name)
  if (offer.plan.requiresApp && typeof complete.order.resource['app_guid'] !== 'string')
    fail('binding.requires-app')
  if (offer.plan.mode.binding === 'async' && !complete.acceptsIncomplete) fail('instance.async-required')
  const verdict = admitBindTo(instance.state)
  if (verdict === 'failed') fail('instance.failed', instance.instance)
  if (verdict === 'busy') fail('instance.busy')
  await refuseWhenFrozen(tx, false)
  await checkBindingQuota(tx, ports, instance)
  checkParameters(complete.order.parameters, judgingSchema(offer.plan, 'bind'))
  await rehearse(tx, ports, asker, {
    action: { kind: 'bind' },
    offer,
    instance,
    tenant: instance.tenant,
    order: await orders.instance(tx, instance),
    parameters: complete.order.parameters,
    carryover: await orders.carryover(tx, ownerOfInstance(instance)),
    binding: {
      id: key.binding,
      order: complete.order,
      carryover: {},
      ...present({ predecessor: complete.predecessor }),
    },
  })
}

function started({ plan }: Offer, operation: string, { acceptsIncomplete }: Complete) {
  return {
    kind: 'started' as const,
    operation,
    again: false,
    wait: waitsFor(plan.mode.binding, acceptsIncomplete),
  }
}
