/** What the store says about an operation: it does not change while the operation is worked on, but for the worker between two stages. */
import type { Offer } from '../broker/catalog.ts'
import { offerNow } from '../broker/offering.ts'
import { type InstanceOrder, type OperationOrder, orders } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import type { Knowledge } from '../broker/situation.ts'
import type { BindingKey, Instance } from '../model/instance.ts'
import type { Operation } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import { ownerOfBinding, ownerOfInstance } from '../model/sealed.ts'

export interface Facts {
  readonly order: OperationOrder
  readonly knowledge: Pick<
    Knowledge,
    'offer' | 'instance' | 'order' | 'parameters' | 'carryover' | 'binding' | 'sent' | 'before' | 'requester'
  >
}

/** What facts are read from. */
export interface KnownPorts extends Pick<Ports, 'catalog'> {
  readonly store: Pick<Ports['store'], 'look'>
}

/** Reads the facts of an operation. Problems: store.fenced, instance.unknown, those of offers. */
export async function factsOf(ports: KnownPorts, operation: Operation): Promise<Facts> {
  const { look } = ports.store
  const { target } = operation
  // None of these needs another: one round to the database is enough.
  const [order, instance, current, carryover, binding] = await Promise.all([
    orders.operation(look, operation.id),
    look.instance(target),
    orders.instance(look, target),
    orders.carryover(look, ownerOfInstance(target)),
    bindingOf(ports, operation),
  ])
  if (order === undefined) fail('store.fenced', operation.id)
  if (instance === undefined) fail('instance.unknown', target.instance)
  return {
    order,
    knowledge: {
      offer: await offerNow(look, ports.catalog(), order),
      instance,
      order: instanceOrder(operation, order, current),
      parameters: order.parameters,
      carryover,
      ...binding,
      ...(await beforeOf(ports, instance, order)),
      ...(operation.requester ? { requester: operation.requester } : {}),
    },
  }
}

/** A deprovision that clears a failed attempt must see that attempt's order, not the next one's. */
function instanceOrder({ action }: Operation, order: OperationOrder, current: InstanceOrder): InstanceOrder {
  if (action.kind === 'bind' || action.kind === 'unbind' || action.kind === 'invoke') return current
  return { parameters: order.parameters, context: order.context ?? current.context }
}

async function bindingOf({ store }: KnownPorts, { target }: Operation) {
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
  { store, catalog }: KnownPorts,
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
