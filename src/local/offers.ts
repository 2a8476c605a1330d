/** The offers of a package that commands order of: all its plans, as their contract fits them to the options given. */
import type { Offer } from '../broker/catalog.ts'
import { offersOf } from '../broker/offer.ts'
import { fitToOperator } from '../host/fit.ts'
import type { JsonObject } from '../kit/json.ts'
import type { Package } from '../model/package.ts'
import { fail, failAll } from '../model/problem.ts'

/** Problems: package.invalid, those of fitting. */
export function localOffers(pkg: Package, options: JsonObject = {}): readonly [Offer, ...Offer[]] {
  const { offers, problems } = offersOf(pkg, { service: {}, plans: [], services: [], options }, pkg.name)
  const fitted = offers.map((offer) => fitToOperator(offer, pkg.name))
  failAll([...problems, ...fitted.flatMap((one) => one.problems)])
  const [first, ...rest] = fitted.map(({ offer }) => offer)
  return first === undefined ? fail('package.invalid', 'it offers no plan') : [first, ...rest]
}

/** The plan of that name, else the first. Problems: catalog.plan-unknown. */
export function planNamed(
  offers: readonly [Offer, ...Offer[]],
  { plan: name, service }: { readonly plan?: string; readonly service?: string },
): Offer {
  if (name === undefined) return offers[0]
  const found = offers.find(
    (one) => one.plan.name === name && (service ?? one.service.name) === one.service.name,
  )
  const names = offers.map(({ plan }) => plan.name).join(', ')
  return found ?? fail('catalog.plan-unknown', `${name}; it offers ${names}`)
}
