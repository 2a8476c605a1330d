/** Finds services and plans by the names and ids that people write, and names those that instances have. */
import type { Names } from '../../api/instance.ts'
import type { Catalog, Offer } from '../../broker/catalog.ts'
import { isObject } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import type { Look } from '../../store/store.ts'

/** The offer that a service and plan name; the plan may be left out when there is only one. */
export function findOffer(catalog: Catalog, service: string, plan: string | undefined): Offer {
  const plans = catalog.offers.filter(
    (offer) => offer.service.id === service || offer.service.name === service,
  )
  if (plans.length === 0) {
    const names = [...new Set(catalog.offers.map((offer) => offer.service.name))]
    fail('catalog.service-unknown', didYouMean(service, names))
  }
  return findPlan(plans, plan)
}

/** The same within one service. */
export function findPlanOf(catalog: Catalog, serviceId: string, plan: string): Offer {
  return findPlan(
    catalog.offers.filter((offer) => offer.service.id === serviceId),
    plan,
  )
}

function findPlan(offers: readonly Offer[], plan: string | undefined): Offer {
  const names = offers.map((offer) => offer.plan.name)
  const [only, ...more] = offers
  if (plan === undefined && only && more.length === 0) return only
  if (plan === undefined) return fail('catalog.plan-unknown', `name one of ${names.join(', ')}`)
  return (
    offers.find((offer) => offer.plan.id === plan || offer.plan.name === plan) ??
    fail('catalog.plan-unknown', didYouMean(plan, names))
  )
}

function didYouMean(word: string, names: readonly string[]): string {
  const near = nearest(word, names)
  return near === undefined || near === word ? word : `${word}; did you mean ${near}?`
}

/** Names of an instance's service and plan, also of one that left the catalog. */
export async function namesOf(look: Look, catalog: Catalog, planId: string): Promise<Names> {
  const offer = catalog.plan(planId)
  if (offer) return { service: offer.service.name, plan: offer.plan.name }
  const document = (await look.offering(planId))?.document
  return { service: nameIn(document?.['service']), plan: nameIn(document?.['plan']) }
}

function nameIn(value: unknown): string | undefined {
  return isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined
}
