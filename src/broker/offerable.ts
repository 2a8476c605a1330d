/** Whether platforms would take what a package offers: for one fault they refuse the whole catalog. */
import { at } from '../kit/json.ts'
import type { Problem } from '../model/problem.ts'
import { makeCatalog, type Offer } from './catalog.ts'
import type { Authority } from './catalog-finding.ts'
import { lintCatalog } from './catalog-lint.ts'

/** Service Catalog leaves out single services whose names are too long; that is a warning at the start. */
const refusing: readonly Authority[] = ['specification', 'cloudfoundry']

/** What the specification or Cloud Foundry refuses of some offers. */
export function platformRefusals(offers: readonly Offer[]): readonly Problem[] {
  if (offers.length === 0) return []
  const { document } = makeCatalog(offers)
  return lintCatalog(document).findings.flatMap(({ pointer, message, remedy, refusedBy }) => {
    const by = refusing.filter((authority) => refusedBy.includes(authority))
    if (by.length === 0) return []
    const detail = `${placeIn(document, pointer)}: ${message} (refused by ${by.join(' and ')})`
    return [{ code: 'catalog.refused' as const, detail, hint: remedy }]
  })
}

/** A pointer in words: names instead of numbers. */
function placeIn(document: unknown, pointer: string): string {
  const [, , service, , plan, ...rest] = pointer.split('/')
  const ofPlan = pointer.includes('/plans/')
  const name = (path: string) => String(at(document, `${path}/name`) ?? path)
  const services = `/services/${service}`
  if (!ofPlan) return `service ${name(services)}, ${pointer.slice(services.length + 1)}`
  return `service ${name(services)}, plan ${name(`${services}/plans/${plan}`)}, ${rest.join('/')}`
}
