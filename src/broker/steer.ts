/** What operators may do to an operation: cancel it, order it again, release it from quarantine. */
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { hasEnded, type Operation } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import type { Transaction } from '../store/store.ts'
import { requestCancel } from './begin.ts'
import { bind } from './bind.ts'
import { deprovision } from './deprovision.ts'
import { invoke } from './invoke.ts'
import { type Asker, type OperationOrder, orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { provision } from './provision.ts'
import { unbind } from './unbind.ts'
import { update } from './update.ts'

/** Asks an operation to stop; it ends soon, and says what it left behind. Forced, it ends within seconds even if a worker holds it. */
export async function cancelOperation(ports: Ports, asker: Asker, id: string, force = false): Promise<void> {
  await ports.store.write(async (tx) => {
    const operation = await active(tx, id)
    const reason = `${force ? 'forced to end' : 'cancelled'} by ${asker.account.id}`
    await requestCancel(tx, ports, id, { reason, force })
    const action = force ? 'operation.force-end' : 'operation.cancel'
    await record(tx, ports, asker, { action, operation })
  })
}

/** Puts a quarantined operation back into the queue with a clean slate. */
export async function releaseOperation(ports: Ports, asker: Asker, id: string): Promise<void> {
  await ports.store.write(async (tx) => {
    const operation = await active(tx, id)
    if (operation.state !== 'quarantined') fail('operation.not-quarantined', `it is ${operation.state}`)
    const reason = `released by ${asker.account.id}`
    const { lease: _over, ...rest } = operation
    const released: Operation = { ...rest, state: 'queued', reason, strikes: 0, runAfter: await tx.now() }
    await tx.putOperation(released, { fence: operation.fence })
    await tx.addHistory(id, { state: 'queued', reason, node: ports.node, fence: operation.fence })
    await record(tx, ports, asker, { action: 'operation.release', operation })
    tx.hint({ kind: 'queued' })
  })
}

/** Orders what a failed operation was to do once more, with other parameters if there are any; answers the new operation. */
export async function retryOperation(
  ports: Ports,
  asker: Asker,
  { id, parameters }: { readonly id: string; readonly parameters?: JsonObject | undefined },
): Promise<string> {
  const { look } = ports.store
  const operation = (await look.operation(id)) ?? fail('operation.unknown', id)
  if (!hasEnded(operation.state)) fail('operation.not-retryable', `it is ${operation.state}`)
  if (operation.state === 'succeeded') fail('operation.not-retryable', 'it succeeded')
  const order = await orders.operation(look, id)
  if (order === undefined) fail('operation.not-retryable', 'what it was to do is no longer known')
  const wanted = parameters === undefined ? order : withParameters(order, parameters)
  const again = await orderAgain(ports, { ...asker, platform: operation.target.platform }, operation, wanted)
  return again ?? fail('operation.not-retryable', 'there is nothing left to do')
}

function withParameters(order: OperationOrder, parameters: JsonObject): OperationOrder {
  return { ...order, parameters, ...(order.asked ? { asked: { ...order.asked, parameters } } : {}) }
}

async function orderAgain(
  ports: Ports,
  asker: Asker,
  operation: Operation,
  order: OperationOrder,
): Promise<string | undefined> {
  const { look } = ports.store
  const { target, action } = operation
  const instance = await look.instance(target)
  // The id may have been used again since, by others.
  if (instance?.tenant !== operation.tenant) fail('instance.unknown', target.instance)
  const { serviceId, planId } = instance
  const named = { instance: target.instance, serviceId, planId, acceptsIncomplete: true }
  const key = { ...target, binding: target.binding ?? '' }
  switch (action.kind) {
    case 'provision': {
      const { context } = await orders.instance(look, target)
      const { organization, space } = instance
      const { parameters } = order
      return started(
        await provision(
          ports,
          { ...asker, tenant: operation.tenant },
          {
            ...named,
            planId: order.planId,
            organization,
            space,
            parameters,
            context,
          },
        ),
      )
    }
    case 'update': {
      const { planId: _same, ...rest } = named
      return started(
        await update(ports, asker, {
          ...rest,
          ...order.asked,
          ...(order.context ? { context: order.context } : {}),
        }),
      )
    }
    case 'deprovision':
      return started(await deprovision(ports, asker, named))
    case 'bind':
      return started(
        await bind(ports, asker, {
          ...named,
          binding: key.binding,
          ...(await orders.binding(look, key)),
          parameters: order.parameters,
        }),
      )
    case 'unbind':
      return started(await unbind(ports, asker, { ...named, binding: key.binding }))
    case 'invoke':
      return invoke(ports, asker, {
        instance: target.instance,
        action: action.name,
        parameters: order.parameters,
      })
  }
}

function started(answer: { readonly kind?: string; readonly operation?: string }): string | undefined {
  return answer.operation
}

async function active(tx: Transaction, id: string): Promise<Operation> {
  const operation = (await tx.lockOperation(id)) ?? fail('operation.unknown', id)
  if (hasEnded(operation.state)) fail('operation.ended', `it ${operation.state}`)
  return operation
}

async function record(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  { action, operation }: { readonly action: string; readonly operation: Operation },
): Promise<void> {
  await tx.addAudit({
    actor: asker.account,
    action,
    object: { kind: 'operation', id: operation.id },
    tenant: operation.tenant,
    decision: 'allowed',
    result: 'succeeded',
    requestId: asker.requestId,
    ...present({ source: asker.source }),
    node: ports.node,
  })
}
