/** Decides an update: parameters, another plan, maintenance, or only a new context. */
import { deepEqual, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Instance } from '../model/instance.ts'
import { fail, ProblemError } from '../model/problem.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import type { Transaction } from '../store/store.ts'
import { admitUpdate } from './admission.ts'
import { begin, refuseWhenFrozen } from './begin.ts'
import type { Offer } from './catalog.ts'
import { decided } from './decide.ts'
import { offerOf } from './offering.ts'
import { type Asker, type InstanceOrder, type OperationOrder, orders, waitsFor } from './orders.ts'
import { checkOpen, checkParameters, judgingSchema, mergeParameters } from './parameters.ts'
import type { Ports } from './ports.ts'
import { nameIn } from './provision.ts'
import { checkPlanLimit } from './quota.ts'
import { rehearse } from './rehearse.ts'
import { catalogSeen, tenantsOf } from './visible.ts'

export interface UpdateRequest {
  readonly instance: string
  readonly serviceId: string
  readonly planId?: string
  /** Merged into the stored ones; absent and empty change nothing. */
  readonly parameters?: JsonObject
  readonly context?: JsonObject
  readonly maintenance?: string
  readonly acceptsIncomplete: boolean
  /** Run it even where nothing would change. */
  readonly again?: true
}

export type UpdateAnswer =
  | { readonly kind: 'nothing-to-do'; readonly instance: Instance }
  | {
      readonly kind: 'started'
      readonly operation: string
      readonly wait: boolean
      readonly dashboardUrl?: string
    }

/** What the update would lead to, compared with what is. */
interface Change {
  readonly from: Offer
  readonly to: Offer
  readonly order: InstanceOrder
  readonly parameters: JsonObject
  readonly maintains: boolean
}

/** Orders a change of an instance. */
export async function update(ports: Ports, asker: Asker, request: UpdateRequest): Promise<UpdateAnswer> {
  const answer = await decided(ports, (tx, inside) => decide(tx, inside, asker, request))
  if (answer.kind === 'started') ports.accepted(asker.requestId)
  return answer
}

async function decide(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  request: UpdateRequest,
): Promise<UpdateAnswer> {
  const key = { platform: asker.platform, instance: request.instance }
  const instance = await tx.lockInstance(key)
  const seen = catalogSeen(ports, instance === undefined ? tenantsOf(asker) : [instance.tenant])
  const serviceKnown = seen.knowsService(request.serviceId) || instance?.serviceId === request.serviceId
  if (!serviceKnown) fail('catalog.service-unknown', request.serviceId)
  if (instance === undefined || admitUpdate(instance.state, false) === 'unknown') {
    fail('instance.unknown', request.instance)
  }
  if (instance.serviceId !== request.serviceId) fail('instance.mismatch', request.serviceId)
  const asked = askedOf(request)
  const change = await changeOf(tx, ports, instance, request)
  const current = instance.currentOperation && (await orders.operation(tx, instance.currentOperation))
  const verdict = admitUpdate(
    instance.state,
    current !== undefined && current !== '' && deepEqual(current.asked, asked),
  )
  if (verdict === 'busy') fail('instance.busy')
  if (verdict === 'same-operation' && instance.currentOperation) {
    if (change.from.plan.mode.instance === 'async' && !request.acceptsIncomplete)
      fail('instance.async-required')
    return started(change.from, instance.currentOperation, request)
  }
  refuseChange(change, request)
  await refuseWhenFrozen(tx, false)
  checkOpen(request.parameters ?? {}, change.to.plan)
  checkParameters(request.parameters ?? {}, judgingSchema(change.to.plan, 'update'))
  checkParameters(change.parameters, judgingSchema(change.to.plan, 'create'))
  if (change.to.plan.id !== change.from.plan.id) await checkPlanLimit(tx, change.to)
  const isWork =
    request.again === true || !changesNothing(change) || (await isDue(tx, ports, instance, change))
  if (!isWork) return keepContext(tx, instance, change, request)
  await rehearseUpdate(tx, ports, asker, { instance, change, sent: request.parameters ?? {} })
  return start(tx, ports, asker, { instance, change, request })
}

function askedOf({ planId, parameters, maintenance }: UpdateRequest): NonNullable<OperationOrder['asked']> {
  return {
    ...present({ planId, parameters, maintenance }),
  }
}

async function changeOf(
  tx: Transaction,
  ports: Ports,
  instance: Instance,
  request: UpdateRequest,
): Promise<Change> {
  const from = await offerOf(tx, instance)
  const to = await targetOffer(tx, ports, { from, tenant: instance.tenant }, request)
  const order = await orders.instance(tx, instance)
  const maintains = request.maintenance !== undefined && request.maintenance !== instance.maintenance
  return {
    from,
    to,
    order,
    maintains,
    parameters: mergeParameters(order.parameters, request.parameters ?? {}),
  }
}

/** Without maintenance an instance stays with the package it was made from. */
export async function targetOffer(
  tx: Transaction,
  ports: Ports,
  { from, tenant }: { readonly from: Offer; readonly tenant: string },
  request: Pick<UpdateRequest, 'planId' | 'maintenance'>,
): Promise<Offer> {
  const planId = request.planId ?? from.plan.id
  const isOther = planId !== from.plan.id
  const catalog = isOther ? catalogSeen(ports, [tenant]) : ports.catalog()
  const offered = catalog.plan(planId)
  if (isOther && offered?.service.id !== from.service.id) fail('catalog.plan-unknown', planId)
  if (offered === undefined) return from
  if (request.maintenance !== undefined) return offered
  const kept = await tx.offering(planId, from.package.digest)
  return kept ? await offerOf(tx, { planId, digest: from.package.digest }) : offered
}

/** What the plan does not allow, in the order platforms expect. */
function refuseChange({ from, to }: Change, request: UpdateRequest): void {
  if (to.plan.id !== from.plan.id && !(from.plan.planUpdatable ?? from.service.planUpdatable)) {
    throw new ProblemError({
      code: 'instance.plan-change-refused',
      detail: `${from.plan.name} to ${to.plan.name}`,
    })
  }
  refuseMaintenance(to, request.maintenance)
  if (from.plan.mode.instance === 'async' && !request.acceptsIncomplete) fail('instance.async-required')
}

/** Only the version that is offered can be moved to. */
export function refuseMaintenance({ plan }: Offer, asked: string | undefined): void {
  if (asked !== undefined && asked !== plan.maintenance?.version) fail('instance.maintenance-conflict')
}

function changesNothing({ from, to, order, parameters, maintains }: Change): boolean {
  return from.plan.id === to.plan.id && !maintains && deepEqual(parameters, order.parameters)
}

/** Whether the package has something to carry out although the request changes nothing. */
async function isDue(tx: Transaction, ports: Ports, instance: Instance, { to }: Change): Promise<boolean> {
  const contract = ports.contract(to.package.contract)
  if (contract.isDue === undefined) return false
  const carryover = await orders.carryover(tx, ownerOfInstance(instance))
  return contract.isDue({ package: to.package, carryover })
}

/** A new context alone needs no work: it is stored, so that the next action sees it. */
async function keepContext(
  tx: Transaction,
  instance: Instance,
  { order }: Change,
  { context }: UpdateRequest,
): Promise<UpdateAnswer> {
  if (context === undefined || deepEqual(context, order.context)) return { kind: 'nothing-to-do', instance }
  const renamed = { ...instance, ...nameIn(context), updatedAt: await tx.now() }
  await orders.putInstance(tx, instance, { ...order, context })
  await tx.putInstance(renamed)
  return { kind: 'nothing-to-do', instance: renamed }
}

async function rehearseUpdate(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  {
    instance,
    change,
    sent,
  }: { readonly instance: Instance; readonly change: Change; readonly sent: JsonObject },
): Promise<void> {
  const { from, to, order, parameters } = change
  await rehearse(tx, ports, asker, {
    action: { kind: 'update' },
    offer: to,
    instance,
    tenant: instance.tenant,
    order: { ...order, parameters },
    parameters,
    sent,
    before: { parameters: order.parameters, plan: from.plan, version: from.package.version },
    carryover: await orders.carryover(tx, ownerOfInstance(instance)),
  })
}

async function start(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  what: { readonly instance: Instance; readonly change: Change; readonly request: UpdateRequest },
): Promise<UpdateAnswer> {
  const { instance, change, request } = what
  const maintenance = maintenanceAfter(what)
  const operation = await begin(tx, ports, {
    target: { platform: instance.platform, instance: instance.instance },
    tenant: instance.tenant,
    asker,
    offer: change.to,
    order: {
      action: { kind: 'update' },
      parameters: change.parameters,
      planId: change.to.plan.id,
      digest: change.to.package.digest,
      asked: askedOf(request),
      ...(request.context ? { context: request.context } : {}),
      ...present({ maintenance }),
      before: { parameters: change.order.parameters, planId: instance.planId, state: instance.state },
    },
  })
  await tx.putInstance({ ...instance, state: 'updating', currentOperation: operation.id })
  return started(change.from, operation.id, request)
}

/** Another plan has its own version, or none; the same plan keeps what is installed until it is asked to be maintained. */
function maintenanceAfter({
  instance,
  change,
  request,
}: {
  readonly instance: Instance
  readonly change: Change
  readonly request: UpdateRequest
}): string | undefined {
  if (change.maintains) return request.maintenance
  const { from, to } = change
  return to.plan.id === from.plan.id ? instance.maintenance : to.plan.maintenance?.version
}

function started(
  { plan }: Offer,
  operation: string,
  { acceptsIncomplete }: Pick<UpdateRequest, 'acceptsIncomplete'>,
): UpdateAnswer {
  return { kind: 'started', operation, wait: waitsFor(plan.mode.instance, acceptsIncomplete) }
}
