/** What was ordered, in the words of the broker; and how it is written down to be sealed. */
import { decode, encode } from '../kit/codec.ts'
import { deepEqual, type JsonObject } from '../kit/json.ts'
import type { BindingKey, Instance, InstanceKey } from '../model/instance.ts'
import type { BindingAnswer, Carryover, Output } from '../model/outcome.ts'
import type { Mode } from '../model/package.ts'
import { ownerOfBinding, ownerOfInstance, type SealedOwner } from '../model/sealed.ts'
import type { Action, Requester, Situation } from '../model/situation.ts'
import type { Look, Transaction } from '../store/store.ts'

/** The account that orders, and the door its order came through. */
export interface Asker {
  readonly platform: string
  /** The account that asks; the platform itself, or an operator on its behalf. */
  readonly account: {
    readonly kind: 'platform' | 'user' | 'token' | 'system'
    readonly id: string
    /** The Cloud Controller that its request named. */
    readonly location?: string
  }
  readonly requester?: Requester
  /** The tenant that all it orders belongs to, whatever the context says. */
  readonly tenant?: string
  readonly requestId: string
  readonly source?: string
}

type MountedPrograms = Situation['infrastructure']

/** Whether the answer to an order waits for its end. */
export function waitsFor(mode: Mode, acceptsIncomplete: boolean): boolean {
  return mode === 'sync' || (mode === 'auto' && !acceptsIncomplete)
}

/** What an instance was ordered with; its current truth, after updates. */
export interface InstanceOrder {
  readonly parameters: JsonObject
  readonly context: JsonObject
}

export interface BindingOrder {
  readonly parameters: JsonObject
  readonly resource: JsonObject
  readonly context: JsonObject
}

/** What an operation shall do; applied to the instance when it has succeeded. */
export interface OperationOrder {
  readonly action: Action
  /** The user's parameters after this action. */
  readonly parameters: JsonObject
  readonly planId: string
  readonly digest: string
  /** For an update: the request as it came, to know it again. */
  readonly asked?: {
    readonly planId?: string
    readonly parameters?: JsonObject
    readonly maintenance?: string
  }
  readonly context?: JsonObject
  readonly maintenance?: string
  /** For an action of the package's own: whether it changes the instance. */
  readonly modifies?: true
  readonly before?: {
    readonly parameters: JsonObject
    readonly planId: string
    readonly state: Instance['state']
  }
}

export interface ActionResult {
  readonly operation: string
  readonly outputs: readonly Output[]
}

/** The operation that ends an instance or a binding; `wait`: its end is the answer. */
export interface DeleteAnswer {
  readonly operation: string
  readonly wait: boolean
  /** The creation that is being stopped; its end comes soon. */
  readonly stops?: string
}

const orderName = 'order'

/** Reads what was sealed for an owner as the type it was written as. */
async function unsealed<T>(look: Look, owner: SealedOwner, name: string): Promise<T | undefined> {
  const bytes = await look.unseal(owner, name)
  return bytes && decode<T>(Buffer.from(bytes).toString())
}

const write = (tx: Transaction, owner: SealedOwner, name: string, value: unknown): Promise<void> =>
  tx.seal(owner, name, Buffer.from(encode(value)))

export const orders = {
  instance: async (look: Look, key: InstanceKey): Promise<InstanceOrder> =>
    (await unsealed<InstanceOrder>(look, ownerOfInstance(key), orderName)) ?? { parameters: {}, context: {} },
  putInstance: (tx: Transaction, key: InstanceKey, order: InstanceOrder) =>
    write(tx, ownerOfInstance(key), orderName, order),

  binding: async (look: Look, key: BindingKey): Promise<BindingOrder> =>
    (await unsealed<BindingOrder>(look, ownerOfBinding(key), orderName)) ?? {
      parameters: {},
      resource: {},
      context: {},
    },
  putBinding: (tx: Transaction, key: BindingKey, order: BindingOrder) =>
    write(tx, ownerOfBinding(key), orderName, order),

  operation: (look: Look, id: string) => unsealed<OperationOrder>(look, `operation/${id}`, orderName),
  putOperation: (tx: Transaction, id: string, order: OperationOrder) =>
    write(tx, `operation/${id}`, orderName, order),

  answer: (look: Look, key: BindingKey) => unsealed<BindingAnswer>(look, ownerOfBinding(key), 'answer'),
  putAnswer: (tx: Transaction, key: BindingKey, answer: BindingAnswer) =>
    write(tx, ownerOfBinding(key), 'answer', answer),

  carryover: async (look: Look, owner: SealedOwner): Promise<Carryover> =>
    (await unsealed<Carryover>(look, owner, 'carryover')) ?? {},
  putCarryover: (tx: Transaction, owner: SealedOwner, carryover: Carryover) =>
    write(tx, owner, 'carryover', carryover),

  /** What a command without a server lends to an instance; with a server the catalog says it. */
  lent: (look: Look, key: InstanceKey) => unsealed<MountedPrograms>(look, ownerOfInstance(key), 'lent'),
  putLent: (tx: Transaction, key: InstanceKey, lent: MountedPrograms) =>
    write(tx, ownerOfInstance(key), 'lent', lent),

  outputs: async (look: Look, key: InstanceKey): Promise<readonly Output[]> =>
    (await unsealed<readonly Output[]>(look, ownerOfInstance(key), 'outputs')) ?? [],
  putOutputs: (tx: Transaction, key: InstanceKey, outputs: readonly Output[]) =>
    write(tx, ownerOfInstance(key), 'outputs', outputs),

  /** What an action of the package's own answered last; it goes with the instance. */
  result: (look: Look, key: InstanceKey, action: string) =>
    unsealed<ActionResult>(look, ownerOfInstance(key), `result/${action}`),
  putResult: (tx: Transaction, key: InstanceKey, action: string, result: ActionResult) =>
    write(tx, ownerOfInstance(key), `result/${action}`, result),
} as const

/** Whether a repeated provision asks for the instance as it is now. */
export function sameInstance(
  instance: Instance,
  order: InstanceOrder,
  asked: Pick<Instance, 'serviceId' | 'planId' | 'organization' | 'space'> & {
    readonly parameters: JsonObject
  },
): boolean {
  return (
    instance.serviceId === asked.serviceId &&
    instance.planId === asked.planId &&
    instance.organization === asked.organization &&
    instance.space === asked.space &&
    deepEqual(order.parameters, asked.parameters)
  )
}
