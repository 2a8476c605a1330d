/** Puts together everything a contract may know about an action. */
import type { Chance } from '../kit/clock.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Instance } from '../model/instance.ts'
import type { BindingAnswer, Carryover } from '../model/outcome.ts'
import type { Plan } from '../model/package.ts'
import type { Requester, Situation, SituationBinding } from '../model/situation.ts'
import type { Offer } from './catalog.ts'
import type { BindingOrder, InstanceOrder } from './orders.ts'

export interface Knowledge {
  readonly offer: Offer
  readonly instance: Pick<Instance, 'platform' | 'instance' | 'name'>
  /** The instance's own order. */
  readonly order: InstanceOrder
  /** The parameters of this action. */
  readonly parameters: JsonObject
  readonly carryover: Carryover
  readonly binding?: {
    readonly id: string
    readonly order: BindingOrder
    readonly carryover: Carryover
    readonly answer?: BindingAnswer
    readonly predecessor?: string
  }
  readonly sent?: JsonObject
  readonly before?: { readonly parameters: JsonObject; readonly plan: Plan; readonly version?: string }
  readonly operation: { readonly id: string; readonly stage: number; readonly attempt: number }
  readonly requester?: Requester
  readonly infrastructure: Situation['infrastructure']
  readonly now: number
  readonly chance: Chance
}

/** The situation of an action. */
export function situationOf(known: Knowledge): Situation {
  const { offer, instance, order, requester, before } = known
  return {
    package: offer.package,
    service: offer.service,
    plan: offer.plan,
    instance: {
      id: instance.instance,
      context: order.context,
      parameters: order.parameters,
      ...present({ name: instance.name }),
    },
    ...(known.binding ? { binding: bindingOf(known.binding) } : {}),
    parameters: known.parameters,
    ...(known.sent ? { sent: known.sent } : {}),
    ...(before ? { before } : {}),
    infrastructure: known.infrastructure,
    carryover: known.carryover,
    operation: known.operation,
    ...(requester ? { requester } : {}),
    platform: instance.platform,
    now: known.now,
    random: (count) => known.chance.bytes(count),
  }
}

function bindingOf(binding: NonNullable<Knowledge['binding']>): SituationBinding {
  const { id, order, carryover, answer, predecessor } = binding
  return {
    id,
    context: order.context,
    resource: order.resource,
    carryover,
    ...present({ predecessor }),
    ...(answer?.credentials === undefined ? {} : { credentials: answer.credentials }),
  }
}
