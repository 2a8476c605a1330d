/** Cases about catalogs and about Cloud Foundry's reading of answers: what they say and where we differ. */
import { lintCatalog } from '../../src/diagnostics/lint.ts'
import { at } from '../../src/kit/json.ts'
import { type CloudFoundryCall, readAsCloudFoundry } from './cloud-foundry.ts'

export interface LintCase {
  readonly name: string
  readonly catalog: unknown
  readonly spec: 'valid' | 'invalid' | 'warning'
  readonly cloudfoundry?: 'accepted' | 'rejected'
  readonly service_catalog?: 'rejected'
  /** One schema is filled up to so many bytes. */
  readonly filler?: { readonly until_schema_bytes: number }
}

/** A catalog with random changes, and whether Cloud Foundry takes it. */
export interface MutatedCatalog {
  readonly id: string
  readonly change: readonly string[]
  readonly catalog: unknown
  readonly accepted: boolean
}

export interface VerdictCase {
  readonly operation: CloudFoundryCall
  readonly status: number
  readonly body: string
  readonly repeat?: { readonly character: string; readonly times: number }
  readonly offering_requires?: readonly string[]
  readonly verdict: 'accepted' | 'error'
  readonly error?: string
  readonly state?: string
  readonly orphan_mitigation: boolean
}

/** Where our verdict on a catalog differs. */
export function lintFaults(one: LintCase): readonly string[] {
  const { verdicts } = lintCatalog(catalogOf(one))
  return [
    ...differs('specification', one.spec, verdicts.specification),
    ...(one.cloudfoundry === undefined
      ? []
      : differs('cloudfoundry', one.cloudfoundry, verdicts.cloudfoundry)),
    ...differs('service-catalog', one.service_catalog ?? 'accepted', verdicts.serviceCatalog),
  ]
}

/** Where our verdict on a changed catalog differs from Cloud Foundry's. */
export function mutationFaults({ catalog, accepted }: MutatedCatalog): readonly string[] {
  return differs(
    'cloudfoundry',
    accepted ? 'accepted' : 'rejected',
    lintCatalog(catalog).verdicts.cloudfoundry,
  )
}

/** Where our reading of an answer differs from Cloud Foundry's. */
export function verdictFaults(one: VerdictCase): readonly string[] {
  const text = one.body.replace('${repeat}', one.repeat?.character.repeat(one.repeat.times) ?? '')
  const requires = one.offering_requires ? { requires: one.offering_requires } : {}
  const got = readAsCloudFoundry(one.operation, { status: one.status, text, ...requires })
  return [
    ...differs('verdict', one.verdict, got.verdict),
    ...differs('error', one.error, got.error),
    ...differs('state', one.state, got.state),
    ...differs('orphan mitigation', one.orphan_mitigation, got.orphanMitigation),
  ]
}

function catalogOf({ catalog, filler }: LintCase): unknown {
  if (filler === undefined) return catalog
  const text = JSON.stringify(catalog)
  const schema = at(catalog, '/services/0/plans/0/schemas/service_instance/create/parameters')
  const size = filler.until_schema_bytes - (JSON.stringify(schema).length - '${filler}'.length)
  return JSON.parse(text.replace('${filler}', 'x'.repeat(size)))
}

function differs(what: string, wanted: unknown, got: unknown): readonly string[] {
  return wanted === got ? [] : [`${what}: expected ${wanted}, got ${got}`]
}
