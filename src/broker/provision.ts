/** Decides a provision request; instance and operation are written together. */
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { printable, shorten } from '../kit/text.ts'
import type { Instance, InstanceKey } from '../model/instance.ts'
import { fail, ProblemError } from '../model/problem.ts'
import type { Transaction } from '../store/store.ts'
import { admitProvision } from './admission.ts'
import { begin, refuseWhenFrozen } from './begin.ts'
import type { Offer } from './catalog.ts'
import { decided } from './decide.ts'
import { offerOf } from './offering.ts'
import { type Asker, type InstanceOrder, orders, sameInstance, waitsFor } from './orders.ts'
import { checkOpen, checkParameters, judgingSchema } from './parameters.ts'
import type { Ports } from './ports.ts'
import { checkInstanceQuota } from './quota.ts'
import { dashboardOf, rehearse } from './rehearse.ts'
import { tenantOf } from './tenant.ts'
import { catalogSeen, refuseUnseen, tenantsOf } from './visible.ts'

export interface ProvisionRequest {
  readonly instance: string
  readonly serviceId: string
  readonly planId: string
  readonly organization: string
  readonly space: string
  readonly parameters: JsonObject
  readonly context: JsonObject
  /** maintenance_info.version, where one was sent. */
  readonly maintenance?: string
  readonly acceptsIncomplete: boolean
  /** Its name must be the only one of its platform. Platforms have an order of their own: names of spaces may be the same. */
  readonly mustBeNamedAlone?: boolean
}

export type ProvisionAnswer =
  | { readonly kind: 'exists'; readonly instance: Instance }
  /** `wait`: the plan is synchronous, so the answer is due when the operation has ended. */
  | {
      readonly kind: 'started'
      readonly operation: string
      /** It was under way before. */
      readonly again: boolean
      readonly wait: boolean
      readonly dashboardUrl?: string
    }

/** Orders an instance. */
export async function provision(
  ports: Ports,
  asker: Asker,
  request: ProvisionRequest,
): Promise<ProvisionAnswer> {
  const offer = catalogSeen(ports, tenantsOf(asker)).find(request.serviceId, request.planId)
  if ('code' in offer) throw new ProblemError(offer)
  const answer = await decided(ports, (tx, inside) => decide(tx, inside, asker, { ...request, offer }))
  if (answer.kind === 'started') ports.accepted(asker.requestId)
  return answer
}

async function decide(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  request: ProvisionRequest & { readonly offer: Offer },
): Promise<ProvisionAnswer> {
  const key = { platform: asker.platform, instance: request.instance }
  const instance = await tx.lockInstance(key)
  const same = instance !== undefined && sameInstance(instance, await orders.instance(tx, key), request)
  const verdict = admitProvision(instance?.state, same)
  const isNew = verdict !== 'exists' && verdict !== 'same-operation'
  if (isNew) refuseUnseen(ports, orderedFor(asker, request), request.offer)
  const tenant = tenantFor(asker, request, instance)
  if (verdict === 'exists' && instance) return { kind: 'exists', instance }
  if (verdict === 'same-operation' && instance?.currentOperation) {
    const { offer, acceptsIncomplete } = request
    if (offer.plan.mode.instance === 'async' && !acceptsIncomplete) fail('instance.async-required')
    return { ...started(request, instance.currentOperation, instance.dashboardUrl), again: true }
  }
  if (verdict === 'conflict') fail('instance.exists', request.instance)
  if (verdict === 'busy') fail('instance.busy')
  const dashboardUrl = await check(tx, ports, asker, { ...request, tenant, there: instance })
  const cleared =
    verdict === 'clear-and-start' && instance ? await clear(tx, ports, asker, instance) : undefined
  const operation = await begin(tx, ports, {
    target: key,
    tenant,
    asker,
    offer: request.offer,
    ...present({ blockedBy: cleared }),
    order: {
      action: { kind: 'provision' },
      parameters: request.parameters,
      planId: request.planId,
      digest: request.offer.package.digest,
      ...(request.offer.plan.maintenance ? { maintenance: request.offer.plan.maintenance.version } : {}),
    },
  })
  // The row first: it says for which tenant the order is sealed.
  await tx.putInstance(
    newInstance(key, request, operation, { tenant, generation: instance?.generation ?? 0, dashboardUrl }),
  )
  await orders.putInstance(tx, key, { parameters: request.parameters, context: request.context })
  return started(request, operation.id, dashboardUrl)
}

/** An instance stays with its tenant; one that was given must be the same. */
function tenantFor(asker: Asker, request: ProvisionRequest, there: Instance | undefined): string {
  if (there === undefined || there.state === 'gone') return orderedFor(asker, request)
  return asker.tenant === undefined || asker.tenant === there.tenant
    ? there.tenant
    : fail('instance.exists', request.instance)
}

/** The tenant that an order names, or its context. */
function orderedFor({ platform, tenant }: Asker, request: ProvisionRequest): string {
  return tenant ?? tenantOf({ platform, ...request })
}

/** Everything that may refuse a new instance, in the order platforms expect; answers its dashboard address. */
async function check(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  request: ProvisionRequest & {
    readonly offer: Offer
    readonly tenant: string
    /** A failed one, in whose place it comes. */
    readonly there: Instance | undefined
  },
): Promise<string | undefined> {
  const { offer, parameters, tenant, there } = request
  await refuseWhenFrozen(tx, false)
  if (request.maintenance !== undefined && request.maintenance !== offer.plan.maintenance?.version) {
    fail('instance.maintenance-conflict')
  }
  if (offer.plan.mode.instance === 'async' && !request.acceptsIncomplete) fail('instance.async-required')
  checkOpen(parameters, offer.plan)
  checkParameters(parameters, judgingSchema(offer.plan, 'create'))
  refuseUnseen(ports, tenant, offer)
  await checkInstanceQuota(tx, ports, { offer, platform: asker.platform, tenant, there })
  if (request.mustBeNamedAlone) await checkName(tx, asker.platform, nameIn(request.context).name)
  const order: InstanceOrder = { parameters, context: request.context }
  const instance = { platform: asker.platform, instance: request.instance, ...nameIn(request.context) }
  const action = { kind: 'provision' } as const
  const prepared = await rehearse(tx, ports, asker, {
    action,
    offer,
    instance,
    tenant,
    order,
    parameters,
    carryover: {},
  })
  return dashboardOf(prepared)
}

/** Refuses a name that another instance of the platform has. */
export async function checkName(tx: Transaction, platform: string, name: string | undefined): Promise<void> {
  if (name !== undefined && (await tx.isNameTaken(platform, name))) fail('instance.name-taken', name)
}

/** A failed attempt may have left something behind: it is deprovisioned before the next one starts. */
async function clear(tx: Transaction, ports: Ports, asker: Asker, failed: Instance): Promise<string> {
  const offer = await offerOf(tx, failed)
  const order = await orders.instance(tx, failed)
  const operation = await begin(tx, ports, {
    target: { platform: failed.platform, instance: failed.instance },
    tenant: failed.tenant,
    asker,
    offer,
    order: {
      action: { kind: 'deprovision' },
      parameters: order.parameters,
      planId: failed.planId,
      digest: failed.digest,
      context: order.context,
    },
  })
  return operation.id
}

function newInstance(
  key: InstanceKey,
  request: ProvisionRequest & { readonly offer: Offer },
  operation: { readonly id: string; readonly createdAt: number },
  more: {
    readonly tenant: string
    readonly generation: number
    readonly dashboardUrl: string | undefined
  },
): Instance {
  return {
    ...key,
    state: 'provisioning',
    tenant: more.tenant,
    currentOperation: operation.id,
    generation: more.generation,
    serviceId: request.serviceId,
    planId: request.planId,
    digest: request.offer.package.digest,
    organization: request.organization,
    space: request.space,
    ...nameIn(request.context),
    ...present({ dashboardUrl: more.dashboardUrl }),
    createdAt: operation.createdAt,
    updatedAt: operation.createdAt,
  }
}

const nameCharactersMax = 255

/** What the platform's user calls the instance, as far as it can be kept and shown. */
export function nameIn(context: JsonObject): { readonly name?: string } {
  const name = context['instance_name']
  if (typeof name !== 'string' || name === '') return {}
  return { name: shorten(printable(name.toWellFormed()), nameCharactersMax) }
}

function started(
  { offer, acceptsIncomplete }: ProvisionRequest & { readonly offer: Offer },
  operation: string,
  dashboardUrl: string | undefined,
) {
  const wait = waitsFor(offer.plan.mode.instance, acceptsIncomplete)
  return {
    kind: 'started' as const,
    operation,
    again: false,
    wait,
    ...present({ dashboardUrl }),
  }
}
