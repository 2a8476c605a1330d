/** The catalog that is offered now; another takes its place whole, or not at all. */
import { type Catalog, makeCatalog, type Offer } from '../broker/catalog.ts'
import type { Lent } from '../broker/ports.ts'
import type { CatalogEntry } from '../settings/catalog-settings.ts'
import { type CatalogOrder, type LoadedCatalog, loadCatalog } from './catalog.ts'

export interface Shelf {
  catalog(): Catalog
  /** What the operator lends to all instances of a plan. */
  readonly lentTo: (offer: Offer) => Lent
  /** Reads the packages and offers them. Problems: those of loading; what was offered stays. */
  fill(entries: readonly CatalogEntry[]): Promise<void>
}

/** An empty shelf. */
export function makeShelf(around: Omit<CatalogOrder, 'entries'>): Shelf {
  let loaded: LoadedCatalog = { catalog: makeCatalog([]), lentTo: () => ({}) }
  return {
    catalog: () => loaded.catalog,
    lentTo: (offer) => loaded.lentTo(offer),
    async fill(entries) {
      loaded = await loadCatalog({ ...around, entries })
    },
  }
}
