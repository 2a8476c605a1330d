/** Collects from the store what a contract may know when the work on an operation starts. */
import type { Offer } from '../broker/catalog.ts'
import { offerNow } from '../broker/offering.ts'
import { type InstanceOrder, type OperationOrder, orders } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { situationOf } from '../broker/situation.ts'
import type { Contract } from '../contracts/contract.ts'
import type { BindingKey, Instance } from '../model/instance.ts'
import type { Operation } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import { ownerOfBinding, ownerOfInstance } from '../model/sealed.ts'
import type { Situation } from '../model/situation.ts'
import type { Notes } from './notes.ts'

export interface Assembled {
  readonly contract: Contract
  readonly order: OperationOrder
  readonly situation: Situation
}

/** The contract, the order and the situation of an operation. */
export async function assemble(ports: Ports, operation: Operation, notes: Notes): Promise<Assembled> {
  const { look } = ports.store
  const { target } = operation
  // None of these needs another: one round to the database is enough.
  const [order, instance, current, carryover, binding, now] = await Promise.all([
    notes.order ?? orders.operation(look, operation.id),
    look.instance(target),
    orders.instance(look, target),
    orders.carryover(look, ownerOfInstance(target)),
    bindingOf(ports, operation),
    look.now(),
  ])
  if (order === undefined) fail('store.fenced', operation.id)
  // An order never changes.
  notes.order = order
  if (instance === undefined) fail('instance.unknown', target.instance)
  const offer = await offerNow(look, ports.catalog(), order)
  const situation = situationOf({
    offer,
    instance,
    order: instanceOrder(operation, order, current),
    parameters: order.parameters,
    carryover,
    ...binding,
    ...(await beforeOf(ports, instance, order)),
    operation: { id: operation.id, stage: operation.stage, attempt: operation.attempt },
    ...(operation.requester ? { requester: operation.requester } : {}),
    infrastructure: ports.infrastructure(offer),
    now,
    chance: ports.chance,
  })
  return { contract: ports.contract(offer.package.contract), order, situation }
}

/** A deprovision that clears a failed attempt must see that attempt's order, not the next one's. */
function instanceOrder({ action }: Operation, order: OperationOrder, current: InstanceOrder): InstanceOrder {
  if (action.kind === 'bind' || action.kind === 'unbind' || action.kind === 'invoke') return current
  return { parameters: order.parameters, context: order.context ?? current.context }
}

async function bindingOf({ store }: Ports, { target }: Operation) {
  if (target.binding === undefined) return {}
  const key: BindingKey = { ...target, binding: target.binding }
  const binding = await store.look.binding(key)
  const answer = await orders.answer(store.look, key)
  return {
    binding: {
      id: key.binding,
      order: await orders.binding(store.look, key),
      carryover: await orders.carryover(store.look, ownerOfBinding(key)),
      ...(answer ? { answer } : {}),
      ...(binding?.predecessor === undefined ? {} : { predecessor: binding.predecessor }),
    },
  }
}

async function beforeOf(
  { store, catalog }: Ports,
  instance: Instance,
  { action, asked, before }: OperationOrder,
) {
  if (action.kind !== 'update' || before === undefined) return {}
  const from: Offer = await offerNow(store.look, catalog(), {
    planId: before.planId,
    digest: instance.digest,
  })
  return {
    sent: asked?.parameters ?? {},
    before: { parameters: before.parameters, plan: from.plan, version: from.package.version },
  }
}
