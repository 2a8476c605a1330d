/** The catalog that a spec becomes, and what platforms object to in it. */
import { makeCatalog } from '../../src/broker/catalog.ts'
import { lintCatalog } from '../../src/broker/catalog-lint.ts'
import { offersOf } from '../../src/broker/offer.ts'
import { packageOf } from './stage.ts'

export async function catalogOffers(spec: string) {
  const entry = { service: {}, plans: [], services: [], options: {} }
  const { offers } = offersOf(await packageOf(spec), entry, 'test')
  const { document } = makeCatalog(offers)
  return { document, ...lintCatalog(document) }
}
