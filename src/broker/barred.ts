/** What is refused of an instance whatever is sent, told before a form is filled in for it. */
import { isObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Instance } from '../model/instance.ts'
import type { Problem } from '../model/problem.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import { isBindable, type Offer } from './catalog.ts'
import { orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { catalogSeen } from './visible.ts'

/** By what is ordered, why every order of it is refused; absent: some are taken, now or when the instance is free. */
export interface Barred {
  readonly update?: Problem
  readonly bind?: Problem
}

/** As the instance stands, with the offer that it was made from. */
export async function barredOf(ports: Ports, instance: Instance, offer: Offer): Promise<Barred> {
  if (instance.state === 'failed') {
    const failed: Problem = { code: 'instance.failed', detail: instance.instance }
    return { update: failed, bind: failed }
  }
  return present({
    update: await barsUpdates(ports, instance, offer),
    bind: isBindable(offer) ? undefined : notBindable(offer),
  })
}

function notBindable({ plan }: Offer): Problem {
  return { code: 'binding.not-bindable', detail: plan.name }
}

async function barsUpdates(ports: Ports, instance: Instance, offer: Offer): Promise<Problem | undefined> {
  const contract = ports.contract(offer.package.contract)
  if (contract.refusesUpdates !== undefined) return contract.refusesUpdates
  if (opensParameters(offer) || leadsOn(ports, instance, offer)) return undefined
  const carryover = await orders.carryover(ports.store.look, ownerOfInstance(instance))
  const isDue = contract.isDue?.({ package: offer.package, carryover }) === true
  return isDue ? undefined : { code: 'instance.unchangeable', detail: offer.plan.name }
}

/** Whether the plan lets any parameter be changed. */
function opensParameters({ plan: { schemas } }: Offer): boolean {
  const { additionalProperties, patternProperties, properties } = schemas.update ?? {}
  const isEmpty = !isObject(properties) || Object.keys(properties).length === 0
  return (
    schemas.update === undefined ||
    additionalProperties !== false ||
    patternProperties !== undefined ||
    !isEmpty
  )
}

/** Whether there is another plan, or another version of this one, to move to. */
function leadsOn(ports: Ports, { planId, maintenance, tenant }: Instance, { plan, service }: Offer): boolean {
  const catalog = catalogSeen(ports, [tenant])
  const offered = catalog.plan(planId)?.plan.maintenance?.version
  if (offered !== undefined && offered !== maintenance) return true
  const mayLeave = plan.planUpdatable ?? service.planUpdatable
  return mayLeave && catalog.offers.some((one) => one.service.id === service.id && one.plan.id !== planId)
}
