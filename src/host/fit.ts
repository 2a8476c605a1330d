/** Offers as their contracts fit them to what the operator decided. */
import type { Offer } from '../broker/catalog.ts'
import type { Problem } from '../model/problem.ts'
import { contractNamed } from './read-package.ts'

/** A contract may know which of its parameters users can still set once the operator has decided. */
export function fitToOperator(
  offer: Offer,
  source: string,
): { readonly offer: Offer; readonly problems: readonly Problem[] } {
  const { offer: fitted } = contractNamed(offer.package.contract)
  if (fitted === undefined) return { offer, problems: [] }
  const { plan, problems } = fitted(offer.package, offer.plan)
  const where = `${source}, plan ${offer.plan.name}`
  return {
    offer: { ...offer, plan: { ...plan, id: offer.plan.id } },
    problems: problems.map((problem) => ({ ...problem, where: { ...problem.where, source: where } })),
  }
}
