/** The broker's catalog lint for the command line and for the start: parts that may not import the broker ask here. */
import type { Catalog } from '../broker/catalog.ts'
import { type CatalogLint, lintCatalog as lint } from '../broker/catalog-lint.ts'
import type { Log } from '../kit/log.ts'

/** What specification, Cloud Foundry and Service Catalog make of a catalog document. */
export function lintCatalog(catalog: unknown): CatalogLint {
  return lint(catalog)
}

/** Tells the operator what platforms would object to, each with its place and remedy. */
export function tellLint(catalog: Catalog, log: Log): void {
  for (const { pointer, message, remedy, refusedBy } of lint(catalog.document).findings) {
    log.warn('catalog.objectionable', 'Platforms object to something in the catalog', {
      pointer,
      objection: message,
      remedy,
      refused_by: refusedBy,
    })
  }
}
