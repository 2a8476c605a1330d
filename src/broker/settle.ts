/** An outcome becomes states, credentials and memory, in the one transaction that ends the operation. */
import { never } from '../kit/assert.ts'
import { present } from '../kit/present.ts'
import { auditObjectOf } from '../model/audit.ts'
import type { Binding, Instance, Target } from '../model/instance.ts'
import type { EndState, Operation } from '../model/operation.ts'
import type { BindingAnswer, Outcome } from '../model/outcome.ts'
import { describeProblem, type Problem } from '../model/problem.ts'
import { ownerOfBinding, ownerOfInstance } from '../model/sealed.ts'
import type { Held, Transaction } from '../store/store.ts'
import { wishSecret } from './deliver.ts'
import { offerOf } from './offering.ts'
import { type OperationOrder, orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { nameIn } from './provision.ts'

export interface Ending {
  readonly state: EndState
  readonly outcome: Outcome
}

/** An operation with what it is about, all locked. */
export interface Locked {
  readonly operation: Operation
  readonly instance: Instance | undefined
  readonly binding: Binding | undefined
}

export interface Settled extends Locked {
  readonly held: Held
  /** Where it is at hand already; an order never changes. */
  readonly order?: OperationOrder
  /** False: no run was ever intended, so there is nothing of one to erase. */
  readonly ran?: boolean
}

interface Settling extends Locked {
  readonly order: OperationOrder
  readonly ending: Ending
  readonly now: number
}

/** Every transaction locks in this order, instance, binding, operation, so that no two wait for each other. */
export async function lockForEnd(tx: Transaction, id: string, target: Target): Promise<Locked | undefined> {
  const { binding: name } = target
  const [instance, binding, operation] = await Promise.all([
    tx.lockInstance(target),
    name === undefined ? undefined : tx.lockBinding({ ...target, binding: name }),
    tx.lockOperation(id),
  ])
  return operation && { operation, instance, binding }
}

/** Ends the operation; false when another has taken over, and nothing was written. */
export async function settle(
  tx: Transaction,
  ports: Ports,
  { held, order: known, ran, ...locked }: Settled,
  wished: Ending,
): Promise<boolean> {
  const { operation } = locked
  const now = await tx.now()
  const order = known ?? (await orders.operation(tx, operation.id))
  const ending = overtaken(locked, await permitted(tx, operation, order, wished))
  const ended = endedOperation(operation, ending, now)
  if (!(await tx.putOperation(ended, held))) return false
  if (order) {
    const settling = { ...locked, order, ending, now }
    await keepMemory(tx, settling)
    await (operation.target.binding === undefined
      ? settleInstance(tx, settling)
      : settleBinding(tx, ports, settling))
  }
  if (ending.state === 'succeeded') await tx.erase(`operation/${operation.id}`)
  if (ran !== false) for (const run of await tx.runs(operation.id)) await tx.erase(`run/${run.name}`)
  await record(tx, ports, ended)
  tx.hint({ kind: 'ended', operation: operation.id })
  return true
}

function endedOperation(operation: Operation, { state, outcome }: Ending, now: number): Operation {
  const { lease: _given, blockedBy: _over, ...rest } = operation
  const [problem] = outcome.problems
  const description = describeOutcome(outcome)
  return {
    ...rest,
    state,
    reason: state === 'succeeded' ? 'succeeded' : description,
    description,
    ...(problem ? { problem: problem.code } : {}),
    ...present({ usable: outcome.usable, repeatable: outcome.repeatable }),
    finishedAt: now,
  }
}

/** Never empty: a platform shows it to the person waiting. */
function describeOutcome({ problems, message, lastLines = [] }: Outcome): string {
  const [first, ...rest] = problems
  if (first === undefined) return message ?? 'succeeded'
  const more = [...rest, ...(first.others ?? [])].map((problem) => describeProblem(problem))
  const told = [message, describeProblem(first), ...more]
    .filter((part) => part !== undefined && part !== '')
    .join('; ')
  // What the contract quotes already is not said twice.
  const fresh = lastLines.filter((line) => !told.includes(line))
  return fresh.length === 0 ? told : `${told}; last lines of the log: ${fresh.join(' / ')}`
}

/** A field without its permission makes the platform fail the bind and unbind again: better to fail it here. */
async function permitted(
  tx: Transaction,
  { action }: Operation,
  order: OperationOrder | undefined,
  ending: Ending,
): Promise<Ending> {
  const answer = ending.outcome.binding
  if (action.kind !== 'bind' || answer === undefined || order === undefined) return ending
  const { service } = await offerOf(tx, order)
  const wanted = [
    answer.syslogDrainUrl === undefined ? undefined : 'syslog_drain',
    answer.routeServiceUrl === undefined ? undefined : 'route_forwarding',
    answer.volumeMounts === undefined ? undefined : 'volume_mount',
  ]
  const missing = wanted.filter(
    (name) => name !== undefined && !service.requires.some((given) => given === name),
  )
  if (missing.length === 0) return ending
  const problem: Problem = { code: 'binding.permission-missing', detail: missing.join(', ') }
  return { state: 'failed', outcome: { ...ending.outcome, problems: [problem, ...ending.outcome.problems] } }
}

/** A creation that a delete has overtaken is not done, however well it went; what it made is kept for the delete. */
function overtaken({ operation, instance, binding }: Locked, ending: Ending): Ending {
  if (ending.state !== 'succeeded' || operation.cancelRequestedAt === undefined) return ending
  const ofBinding = operation.target.binding !== undefined
  const holder = ofBinding ? binding : instance
  const goes = ofBinding && instance?.state === 'deprovisioning'
  if (holder?.currentOperation === operation.id && !goes) return ending
  return { state: 'cancelled', outcome: { ...ending.outcome, problems: [{ code: 'operation.cancelled' }] } }
}

/** What a run leaves for the next one is kept whether it worked or not. */
async function keepMemory(tx: Transaction, { operation, order, ending }: Settling): Promise<void> {
  const { carryover, bindingCarryover, outputs } = ending.outcome
  const { target } = operation
  if (carryover) await orders.putCarryover(tx, ownerOfInstance(target), carryover)
  const { action, id } = operation
  if (outputs && action.kind === 'invoke')
    await orders.putResult(tx, target, action.name, { operation: id, outputs })
  if (outputs && (action.kind !== 'invoke' || order.modifies)) await orders.putOutputs(tx, target, outputs)
  if (bindingCarryover && target.binding !== undefined) {
    await orders.putCarryover(tx, ownerOfBinding({ ...target, binding: target.binding }), bindingCarryover)
  }
}

async function settleInstance(tx: Transaction, settling: Settling): Promise<void> {
  const { operation, instance, ending } = settling
  const { kind } = operation.action
  if (instance === undefined) return
  if (kind === 'deprovision' && ending.state === 'succeeded') await forgetRemains(tx, operation)
  // Another operation has taken the instance over: this one only leaves its memory.
  if (instance.currentOperation !== operation.id) return
  const { currentOperation: _over, ...rest } = instance
  const free = { ...rest, updatedAt: settling.now, generation: instance.generation + 1 }
  switch (kind) {
    case 'provision':
      return tx.putInstance(provisioned(free, settling))
    case 'update':
      return settleUpdate(tx, free, settling)
    case 'deprovision':
      return settleDeprovision(tx, free, settling)
    case 'invoke':
      return tx.putInstance({ ...free, state: 'ready' })
    case 'bind':
    case 'unbind':
      return tx.putInstance(free)
    default:
      return never(kind)
  }
}

function provisioned(free: Instance, { order, ending }: Settling): Instance {
  if (ending.state !== 'succeeded') return { ...free, state: 'failed' }
  const { maintenance } = order
  return {
    ...free,
    state: 'ready',
    ...shown(ending.outcome),
    ...present({ maintenance }),
  }
}

function shown({ dashboardUrl, labels, attributes }: Outcome): Partial<Instance> {
  return {
    ...present({ dashboardUrl, labels, attributes }),
  }
}

/** A failed update leaves plan and parameters as they were. */
async function settleUpdate(tx: Transaction, free: Instance, { order, ending }: Settling): Promise<void> {
  if (ending.state !== 'succeeded') return tx.putInstance({ ...free, state: order.before?.state ?? 'ready' })
  const before = await orders.instance(tx, free)
  const context = order.context ?? before.context
  const { maintenance: _before, ...rest } = free
  const parameters = ending.outcome.parameters ?? order.parameters
  await orders.putInstance(tx, free, { parameters, context })
  await tx.putInstance({
    ...rest,
    state: 'ready',
    planId: order.planId,
    digest: order.digest,
    ...present({ maintenance: order.maintenance }),
    ...nameIn(context),
    ...shown(ending.outcome),
  })
}

async function settleDeprovision(
  tx: Transaction,
  free: Instance,
  { order, ending, now }: Settling,
): Promise<void> {
  if (ending.state !== 'succeeded') return tx.putInstance({ ...free, state: order.before?.state ?? 'failed' })
  await tx.erase(ownerOfInstance(free))
  await tx.eraseHidden(free)
  for (const binding of await tx.bindings(free)) {
    if (binding.state !== 'gone') await removeBinding(tx, binding, now)
  }
  const { dashboardUrl: _url, labels: _labels, attributes: _attributes, name: _name, ...rest } = free
  await tx.putInstance({ ...rest, state: 'gone' })
}

/** What earlier attempts had sealed for a later try is of no use once the instance has been taken down. */
async function forgetRemains(tx: Transaction, { target }: Operation): Promise<void> {
  await tx.erase(ownerOfInstance(target), 'carryover')
  await tx.erase(ownerOfInstance(target), 'outputs')
  const { items } = await tx.operations({ ...target, states: ['failed', 'cancelled'], most: 100 })
  for (const { id } of items) await tx.erase(`operation/${id}`)
}

async function removeBinding(tx: Transaction, binding: Binding, now: number): Promise<void> {
  const { currentOperation: _over, ...rest } = binding
  await tx.erase(ownerOfBinding(binding))
  await tx.putBinding({ ...rest, state: 'gone', updatedAt: now })
  await tx.wishDelivery(binding, undefined)
}

async function settleBinding(
  tx: Transaction,
  ports: Pick<Ports, 'policy'>,
  { operation, binding, ending, now }: Settling,
): Promise<void> {
  const { target, action } = operation
  const key = { ...target, binding: target.binding ?? '' }
  if (binding === undefined || binding.currentOperation !== operation.id) return
  const { currentOperation: _over, ...rest } = binding
  const free = { ...rest, updatedAt: now }
  if (action.kind === 'unbind') {
    if (ending.state === 'succeeded') return removeBinding(tx, binding, now)
    const wasBound = (await orders.answer(tx, key)) !== undefined
    return tx.putBinding({ ...free, state: wasBound ? 'bound' : 'failed' })
  }
  if (ending.state !== 'succeeded') return tx.putBinding({ ...free, state: 'failed' })
  const answer = ending.outcome.binding ?? {}
  await orders.putAnswer(tx, key, answer)
  await tx.putBinding({ ...free, state: 'bound', ...expiry(answer) })
  await wishSecret(tx, ports, key)
}

function expiry({ expiresAt }: BindingAnswer): { readonly expiresAt?: number } {
  const at = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt)
  return Number.isNaN(at) ? {} : { expiresAt: at }
}

async function record(tx: Transaction, ports: Ports, ended: Operation): Promise<void> {
  const { target, tenant, action, state, reason, fence } = ended
  await tx.addHistory(ended.id, { state, reason, node: ports.node, fence })
  const object = auditObjectOf(target)
  await tx.addAudit({
    actor: { kind: 'system', id: ports.node },
    action: `${object.kind}.${action.kind}`,
    object,
    tenant,
    decision: 'allowed',
    result: state === 'succeeded' ? 'succeeded' : 'failed',
    ...present({ code: ended.problem }),
    requestId: ended.requestId,
    node: ports.node,
  })
}
