/** What commands have left on this machine: operations under way, and what trials did not take down. */
import { orders } from '../broker/orders.ts'
import { installationPackage, orderIn } from '../contracts/cnab/index.ts'
import { present } from '../kit/present.ts'
import type { Instance } from '../model/instance.ts'
import { activeStates, type Operation } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import { type LocalBroker, localPlatform } from './local-broker.ts'
import { hasDied, isAlive, processOf } from './owner.ts'
import { commandOfTrial } from './trial.ts'

export interface UnderWay {
  readonly operation: Operation
  /** In the words of its package. */
  readonly action: string
  /** The process that works on it; absent: none does. */
  readonly worker?: number
}

const most = 1000

/** Operations that have not ended, latest first. */
export async function underWay({ store }: LocalBroker): Promise<readonly UnderWay[]> {
  const { items } = await store.look.operations({ platform: localPlatform, states: activeStates, most })
  const now = await store.look.now()
  return Promise.all(
    items.map(async (operation) => {
      const { lease } = operation
      const isHeld = lease !== undefined && lease.until > now && !hasDied(lease.owner)
      const worker = isHeld ? processOf(lease.owner) : undefined
      return { operation, action: await actionName(store, operation), ...present({ worker }) }
    }),
  )
}

/** Instances of trials whose command has ended without taking them down. */
export async function leftBehind({ store }: LocalBroker): Promise<readonly Instance[]> {
  const { items } = await store.look.instances({ platform: localPlatform, most })
  return items.filter(({ state, instance, currentOperation }) => {
    if (state === 'gone' || currentOperation !== undefined) return false
    const command = commandOfTrial(instance)
    return command !== undefined && !isAlive(command)
  })
}

/** The operation of that id, or the latest of an instance of that name. Problems: operation.unknown. */
export async function findOperation({ store }: LocalBroker, name: string): Promise<Operation> {
  const named = await store.look.operation(name.toLowerCase())
  if (named?.target.platform === localPlatform) return named
  const of = { platform: localPlatform, instance: name, most: 1 }
  const active = await store.look.operations({ ...of, states: activeStates })
  const [found] = active.items.length > 0 ? active.items : (await store.look.operations(of)).items
  return found ?? fail('operation.unknown', name, { hint: 'See what is under way: chandler attach' })
}

/** What an operation does, in the words of its package. */
export async function actionName(
  store: LocalBroker['store'],
  { id, action, target }: Operation,
): Promise<string> {
  if (action.kind !== 'invoke') return action.kind
  const instance = await store.look.instance(target)
  const offering = instance && (await store.look.offering(instance.planId))
  if (offering?.digest !== installationPackage.digest) return action.name
  const order = await orders.operation(store.look, id)
  return order === undefined ? action.name : orderIn(order.parameters).action
}
