/** What the specification, Cloud Foundry and Service Catalog make of a catalog, with place and remedy. */
import { isObject } from '../kit/json.ts'
import { type Authority, type Finding, refused } from './catalog-finding.ts'
import { identityFindings } from './catalog-identity.ts'
import { schemaFindings } from './catalog-schemas.ts'
import { offeringFindings } from './catalog-shape.ts'

export interface CatalogLint {
  readonly findings: readonly Finding[]
  readonly verdicts: {
    readonly specification: 'valid' | 'warning' | 'invalid'
    readonly cloudfoundry: 'accepted' | 'rejected'
    readonly serviceCatalog: 'accepted' | 'rejected'
  }
}

/** Judges an Open Service Broker catalog document. */
export function lintCatalog(catalog: unknown): CatalogLint {
  const findings = findingsOf(catalog)
  const refuses = (authority: Authority) => findings.some(({ refusedBy }) => refusedBy.includes(authority))
  const legal = findings.some(({ discouraged }) => discouraged) ? 'warning' : 'valid'
  return {
    findings,
    verdicts: {
      specification: refuses('specification') ? 'invalid' : legal,
      cloudfoundry: refuses('cloudfoundry') ? 'rejected' : 'accepted',
      serviceCatalog: refuses('service-catalog') ? 'rejected' : 'accepted',
    },
  }
}

function findingsOf(catalog: unknown): readonly Finding[] {
  const services = isObject(catalog) ? catalog['services'] : undefined
  if (!Array.isArray(services)) {
    return [refused('/services', 'the catalog has no list of services', 'Add the list.')]
  }
  if (services.length === 0) {
    const remedy = 'Offer at least one service before a Cloud Foundry registers this broker.'
    return [refused('/services', 'the catalog offers nothing', remedy, ['cloudfoundry'])]
  }
  return [
    ...services.flatMap((service, i) => offeringFindings(service, `/services/${i}`)),
    ...identityFindings(services),
    ...schemaFindings(services),
  ]
}
