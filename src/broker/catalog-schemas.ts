/** The parameter schemas of a catalog: legal by their own draft, and by the one that Cloud Foundry insists on. */
import { isObject, pointer, at as valueAt } from '../kit/json.ts'
import { compileSchema } from '../kit/schema.ts'
import { type Authority, bothRefuse, type Finding, readAsAbsent, refused } from './catalog-finding.ts'

const places = [
  ['service_instance', 'create'],
  ['service_instance', 'update'],
  ['service_binding', 'create'],
] as const

const specification: readonly Authority[] = ['specification']
const schemaBytesMax = 65_536

/** Everything wrong with the schemas of all plans. */
export function schemaFindings(services: readonly unknown[]): readonly Finding[] {
  return services.flatMap((service, i) => {
    const plans = valueAt(service, '/plans')
    if (!Array.isArray(plans)) return []
    return plans.flatMap((plan, j) =>
      planFindings(valueAt(plan, '/schemas'), `/services/${i}/plans/${j}/schemas`),
    )
  })
}

function planFindings(schemas: unknown, at: string): readonly Finding[] {
  // Whether the whole is an object is a matter of shape.
  if (!isObject(schemas)) return []
  const findings: Finding[] = []
  const wrong = new Map<string, readonly Authority[]>()
  for (const [what, when] of places) {
    const path = [what, when, 'parameters'].map((_, i, all) => all.slice(0, i + 1))
    const broken = path.find((steps) => {
      const value = valueAt(schemas, `/${steps.join('/')}`)
      return value !== undefined && !isObject(value)
    })
    const schema = valueAt(schemas, `/${what}/${when}/parameters`)
    if (broken !== undefined) {
      const by = readAsAbsent(valueAt(schemas, `/${broken.join('/')}`)) ? specification : bothRefuse
      wrong.set(`${at}/${broken.join('/')}`, by)
    } else if (isObject(schema)) findings.push(...oneFindings(schema, `${at}/${what}/${when}/parameters`))
  }
  return [
    ...[...wrong].map(([place, by]) =>
      refused(place, 'must be an object', 'Make it an object, or leave it out.', by),
    ),
    ...findings,
  ]
}

function oneFindings(schema: { readonly [key: string]: unknown }, at: string): readonly Finding[] {
  const bytes = new TextEncoder().encode(JSON.stringify(schema)).byteLength
  const draft = schema['$schema']
  return [
    ...(bytes > schemaBytesMax
      ? [refused(at, `has ${bytes} bytes`, `Bring it to ${schemaBytesMax} bytes; drop descriptions first.`)]
      : []),
    ...(typeof draft === 'string'
      ? draftFindings(schema, draft, at)
      : [refused(pointer(at, '$schema'), 'is missing', `Add "$schema": "${draft04}".`)]),
    ...referenceFindings(schema, schema, at),
  ]
}

const draft04 = 'http://json-schema.org/draft-04/schema#'

const drafts = [
  draft04,
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
]

/** The drafts whose names Cloud Foundry's library knows; it judges by draft-04 all the same. */
const knownToCloudFoundry = /^http:\/\/json-schema\.org\/draft-0[12346]\/schema(?:#.*)?$/

function draftFindings(
  schema: { readonly [key: string]: unknown },
  draft: string,
  at: string,
): readonly Finding[] {
  const findings: Finding[] = []
  const known = drafts.find((one) => one.replace('#', '') === draft.replace(/#$/, ''))
  const place = pointer(at, '$schema')
  if (!knownToCloudFoundry.test(draft)) {
    const refusal = refused(place, 'Cloud Foundry knows no such draft', `Use ${draft04}.`, ['cloudfoundry'])
    findings.push({ ...refusal, discouraged: known === undefined })
  }
  const faultsBy = (meta: string, by: readonly Authority[]) =>
    metaFaults(schema, meta).map((fault) =>
      refused(
        at + fault.pointer,
        fault.message,
        'Correct the keyword; draft-04 is what every platform reads.',
        by,
      ),
    )
  if (known === draft04) return [...findings, ...faultsBy(draft04, bothRefuse)]
  const own = known === undefined ? [] : faultsBy(known, ['specification'])
  return [...findings, ...own, ...faultsBy(draft04, ['cloudfoundry'])]
}

interface MetaFault {
  readonly pointer: string
  readonly message: string
}

/** What a draft's own schema of schemas finds. */
function metaFaults(schema: { readonly [key: string]: unknown }, draft: string): readonly MetaFault[] {
  const meta = compileSchema({ $schema: draft, allOf: [{ $ref: draft }] })
  return meta.kind === 'check' ? meta.check(schema) : []
}

function referenceFindings(root: unknown, value: unknown, at: string): readonly Finding[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => referenceFindings(root, item, pointer(at, i)))
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => {
    if (key !== '$ref' || typeof item !== 'string') return referenceFindings(root, item, pointer(at, key))
    // An empty reference is the schema itself.
    if (item !== '' && !item.startsWith('#')) {
      const message = `refers to ${item}, which nobody fetches`
      return [
        refused(pointer(at, key), message, 'Copy what it refers to into the definitions of the schema.'),
      ]
    }
    if (leadsSomewhere(root, item.slice(1))) return []
    const message = `refers to ${item}, which is not in the schema`
    return [refused(pointer(at, key), message, 'Correct the reference.', ['specification'])]
  })
}

/** A pointer is followed; an anchor by name is taken on trust. */
function leadsSomewhere(root: unknown, fragment: string): boolean {
  if (fragment !== '' && !fragment.startsWith('/')) return true
  try {
    return valueAt(root, decodeURIComponent(fragment)) !== undefined
  } catch {
    return false
  }
}
