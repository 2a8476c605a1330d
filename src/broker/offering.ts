/** The offers that instances were made from, kept after they left the catalog. */
import type { JsonObject } from '../kit/json.ts'
import { fail } from '../model/problem.ts'
import type { Look, Offering } from '../store/store.ts'
import type { Catalog, Offer } from './catalog.ts'

/** The offer of a plan as an instance's own package makes it, wherever that has gone. */
export async function offerOf(
  look: Look,
  of: { readonly planId: string; readonly digest: string },
): Promise<Offer> {
  const found = (await look.offering(of.planId, of.digest)) ?? (await look.offering(of.planId))
  return found ? readOffering(found) : fail('catalog.plan-unknown', of.planId)
}

/** The same, without asking the store for what is offered just now. */
export async function offerNow(
  look: Look,
  catalog: Catalog,
  of: { readonly planId: string; readonly digest: string },
): Promise<Offer> {
  const offered = catalog.plan(of.planId)
  return offered?.package.digest === of.digest ? offered : offerOf(look, of)
}

/** Every offer of a catalog as the store keeps it. */
export function offeringsOf(catalog: Catalog): readonly Offering[] {
  return catalog.offers.map((offer) => ({
    serviceId: offer.service.id,
    planId: offer.plan.id,
    digest: offer.package.digest,
    retired: false,
    document: { ...offer } as unknown as JsonObject,
  }))
}

function readOffering({ document }: Offering): Offer {
  // Written by offeringsOf alone.
  return document as unknown as Offer
}
