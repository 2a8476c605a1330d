/** Which plans are ordered, and with which parameters: the user's, else such as their schemas take. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { brokenOf, sampleOf, variantOf } from '../../kit/schema-sample.ts'
import type { OfferedPlan } from './offers.ts'
import type { ChosenPlan } from './orders.ts'

export interface Choice {
  /** `service` or `service/plan`; none: all of them. */
  readonly plans: readonly string[]
  /** Also plans that cost money. */
  readonly paid: boolean
  /** By `service/plan`, `service` or `*`, then by what they are for. */
  readonly parameters: JsonObject
}

export interface Chosen {
  readonly plans: readonly ChosenPlan[]
  readonly left: readonly { readonly subject: string; readonly reason: string }[]
}

/** The purposes that a user may give parameters for. */
export const purposes = ['create', 'other_create', 'update', 'other_update', 'bind', 'other_bind'] as const
export type Purpose = (typeof purposes)[number]

/** The plans that are ordered; what is left out says why. */
export function choosePlans(offered: readonly OfferedPlan[], choice: Choice): Chosen {
  const left: { subject: string; reason: string }[] = []
  const chosen = offered.flatMap((plan) => {
    const reason = reasonToLeave(plan, choice)
    const parameters = reason === undefined ? parametersFor(plan, choice) : undefined
    if (parameters !== undefined) return [{ ...plan, parameters }]
    left.push({
      subject: plan.subject,
      reason: reason ?? 'no parameters can be made from its schema; give them',
    })
    return []
  })
  const plans = chosen.map((plan) => {
    const others = chosen.filter((one) => one.serviceId === plan.serviceId && one.planId !== plan.planId)
    // From a plan that may be left the instance comes back.
    const sibling = others.find((one) => one.planUpdateable) ?? others[0]
    return sibling === undefined
      ? plan
      : { ...plan, sibling: { ...sibling, create: sibling.parameters.create } }
  })
  return { plans, left }
}

function reasonToLeave(plan: OfferedPlan, { plans, paid }: Choice): string | undefined {
  const [service] = plan.subject.split('/')
  const named = plans.some((name) => name === plan.subject || name === service)
  if (plans.length > 0 && !named) return 'it is not chosen'
  return plan.free || paid ? undefined : 'it costs money'
}

function parametersFor(plan: OfferedPlan, { parameters }: Choice): ChosenPlan['parameters'] | undefined {
  const [service = ''] = plan.subject.split('/')
  const given = (purpose: Purpose): JsonObject | undefined => {
    for (const key of [plan.subject, service, '*']) {
      const group = parameters[key]
      const one = isObject(group) ? group[purpose] : undefined
      if (isObject(one)) return one as JsonObject
    }
    return undefined
  }
  const { schemas } = plan
  const create = given('create') ?? (schemas.create === undefined ? {} : sampleOf(schemas.create))
  const bind = given('bind') ?? (schemas.bind === undefined ? {} : sampleOf(schemas.bind))
  if (create === undefined || (plan.bindable && bind === undefined)) return undefined
  const update =
    given('update') ?? (schemas.update === undefined ? undefined : changeOf(schemas.update, create))
  const others = {
    otherCreate: given('other_create') ?? variant(schemas.create, create),
    brokenCreate: schemas.create === undefined ? undefined : brokenOf(schemas.create, create),
    update,
    otherUpdate:
      given('other_update') ?? (update === undefined ? undefined : variant(schemas.update, update)),
    otherBind: given('other_bind') ?? variant(schemas.bind, bind ?? {}),
  }
  return { create, bind: bind ?? {}, ...present(others) }
}

function variant(schema: JsonObject | undefined, given: JsonObject): JsonObject | undefined {
  return schema === undefined ? undefined : variantOf(schema, given)
}

/** Parameters of an update that change something of what was ordered. */
function changeOf(schema: JsonObject, ordered: JsonObject): JsonObject | undefined {
  return variantOf(schema, ordered) ?? variantOf(schema, sampleOf(schema) ?? {})
}
