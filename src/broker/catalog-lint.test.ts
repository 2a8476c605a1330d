/** The verdicts of specification, Cloud Foundry and Service Catalog over catalogs. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type LintCase,
  lintFaults,
  type MutatedCatalog,
  mutationFaults,
} from '../../test/support/osb-verdicts.ts'
import type { JsonObject } from '../kit/json.ts'
import { lintCatalog } from './catalog-lint.ts'

const elsewhere = '../shared/corpus/osb/platforms/catalog-lint-cases.json'

function casesOf(file: string): readonly LintCase[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { cases: LintCase[] }).cases
}

test.each(casesOf('test/corpus/osb/catalog-lint-cases.json'))('$name: $spec', (one) => {
  expect(lintFaults(one)).toEqual([])
})

test.skipIf(!existsSync(elsewhere)).each(existsSync(elsewhere) ? casesOf(elsewhere) : [])(
  'Cloud Foundry and $name: $cloudfoundry',
  (one) => {
    expect(lintFaults(one)).toEqual([])
  },
)

const mutations = '../shared/corpus/osb/mutated-catalogs.jsonl'

test.skipIf(!existsSync(mutations))('Cloud Foundry takes and refuses the same mutated catalogs', () => {
  const rows = readFileSync(mutations, 'utf8').trimEnd().split('\n')
  const differing = rows.flatMap((line) => {
    const row = JSON.parse(line) as MutatedCatalog
    return mutationFaults(row).map((fault) => `${row.id} ${row.change.join(', ')}: ${fault}`)
  })

  expect(rows.length).toBeGreaterThan(900)
  expect(differing).toEqual([])
})

const plan = { id: 'plan-1', name: 'small', description: 'A plan' }
const service = { id: 'svc-1', name: 'alpha', description: 'A service', bindable: true, plans: [plan] }
const withService = (more: JsonObject) => ({ services: [{ ...service, ...more }] })
const withPlan = (more: JsonObject) => withService({ plans: [{ ...plan, ...more }] })
const withSchema = (parameters: JsonObject) =>
  withPlan({ schemas: { service_binding: { create: { parameters } } } })
const draft04 = 'http://json-schema.org/draft-04/schema#'

test.each<readonly [string, unknown, 'accepted' | 'rejected']>([
  ['an unknown permission', withService({ requires: ['fly'] }), 'rejected'],
  ['requires null', withService({ requires: null }), 'rejected'],
  ['tags null', withService({ tags: null }), 'rejected'],
  ['a plan with bindable null', withPlan({ bindable: null }), 'accepted'],
  ['a service with bindable null', withService({ bindable: null }), 'rejected'],
  ['metadata false', withPlan({ metadata: false }), 'accepted'],
  ['metadata zero', withPlan({ metadata: 0 }), 'rejected'],
  ['schemas false', withPlan({ schemas: false }), 'accepted'],
  ['schemas of bindings null', withPlan({ schemas: { service_binding: null } }), 'accepted'],
  [
    'parameters null',
    withPlan({ schemas: { service_binding: { create: { parameters: null } } } }),
    'accepted',
  ],
  [
    'parameters a text',
    withPlan({ schemas: { service_binding: { create: { parameters: '' } } } }),
    'rejected',
  ],
  ['an empty $ref', withSchema({ $schema: draft04, properties: { a: { $ref: '' } } }), 'accepted'],
])('Cloud Foundry and %s: %3$s', (_what, catalog, verdict) => {
  expect(lintCatalog(catalog).verdicts.cloudfoundry).toBe(verdict)
})

test.each<readonly [string, unknown, string, string]>([
  ['a catalog that is no object', [], '/services', 'specification,cloudfoundry'],
  ['no service at all', { services: [] }, '/services', 'cloudfoundry'],
  ['a service that is no object', { services: [5] }, '/services/0', 'specification,cloudfoundry'],
  ['an id of the wrong type', withService({ id: 5 }), '/services/0/id', 'specification,cloudfoundry'],
  [
    'bindable missing',
    { services: [{ ...service, bindable: undefined }] },
    '/services/0/bindable',
    'specification,cloudfoundry',
  ],
  ['bindable null', withService({ bindable: null }), '/services/0/bindable', 'specification,cloudfoundry'],
  ['an optional field that is null', withPlan({ free: null }), '/services/0/plans/0/free', 'specification'],
  ['free as text', withPlan({ free: 'no' }), '/services/0/plans/0/free', 'specification,cloudfoundry'],
  [
    'binding_rotatable as text',
    withPlan({ binding_rotatable: 'x' }),
    '/services/0/plans/0/binding_rotatable',
    'specification',
  ],
  [
    'an unknown permission',
    withService({ requires: ['fly'] }),
    '/services/0/requires/0',
    'specification,cloudfoundry',
  ],
  [
    'a permission of the wrong type',
    withService({ requires: [5] }),
    '/services/0/requires/0',
    'specification,cloudfoundry',
  ],
  ['tags that are no list', withService({ tags: 'sql' }), '/services/0/tags', 'specification,cloudfoundry'],
  ['plans that are no list', withService({ plans: {} }), '/services/0/plans', 'specification,cloudfoundry'],
  [
    'shareable as text',
    withService({ metadata: { shareable: 'yes' } }),
    '/services/0/metadata/shareable',
    'cloudfoundry',
  ],
  ['a long service name', withService({ name: 'a'.repeat(64) }), '/services/0/name', 'service-catalog'],
  ['a long plan id', withPlan({ id: 'a'.repeat(64) }), '/services/0/plans/0/id', 'service-catalog'],
  [
    'a dashboard client without secret',
    withService({ dashboard_client: { id: 'c', redirect_uri: 'http://x' } }),
    '/services/0/dashboard_client/secret',
    'specification,cloudfoundry',
  ],
  [
    'no time to poll',
    withPlan({ maximum_polling_duration: 0 }),
    '/services/0/plans/0/maximum_polling_duration',
    'specification',
  ],
  [
    'a plan name twice in a service',
    withService({ plans: [plan, { ...plan, id: 'plan-2' }] }),
    '/services/0/plans/1/name',
    'specification,cloudfoundry',
  ],
  [
    'a schema at the wrong level',
    withPlan({ schemas: { service_instance: [] } }),
    '/services/0/plans/0/schemas/service_instance',
    'specification,cloudfoundry',
  ],
  [
    'a schema over 64 kB',
    withSchema({ $schema: draft04, description: 'x'.repeat(65_536) }),
    '/services/0/plans/0/schemas/service_binding/create/parameters',
    'specification,cloudfoundry',
  ],
  [
    'a reference to another file',
    withSchema({ $schema: draft04, properties: { a: { $ref: 'a.json' } } }),
    '/services/0/plans/0/schemas/service_binding/create/parameters/properties/a/$ref',
    'specification,cloudfoundry',
  ],
  [
    'a reference to nothing',
    withSchema({ $schema: draft04, properties: { a: { $ref: '#/definitions/a' } } }),
    '/services/0/plans/0/schemas/service_binding/create/parameters/properties/a/$ref',
    'specification',
  ],
  [
    'a later draft that uses what draft-04 forbids',
    withSchema({ $schema: 'http://json-schema.org/draft-06/schema#', exclusiveMinimum: 3 }),
    '/services/0/plans/0/schemas/service_binding/create/parameters/exclusiveMinimum',
    'cloudfoundry',
  ],
])('%s is refused at its place', (_, catalog, place, by) => {
  const { findings } = lintCatalog(catalog)

  expect(findings.map((one) => `${one.pointer} ${one.refusedBy.join(',')}`)).toContain(`${place} ${by}`)
  expect(findings.every(({ message, remedy }) => message !== '' && remedy.endsWith('.'))).toBe(true)
})

test.each<readonly [string, unknown, string]>([
  ['a long description', withPlan({ description: 'a'.repeat(256) }), '/services/0/plans/0/description'],
  ['the misspelt plan_updatable', withService({ plan_updatable: true }), '/services/0/plan_updatable'],
  ['an id that must be escaped', withPlan({ id: 'a b' }), '/services/0/plans/0/id'],
])('%s is legal and discouraged', (_, catalog, place) => {
  const { findings, verdicts } = lintCatalog(catalog)

  expect(findings.map((one) => one.pointer)).toEqual([place])
  expect(verdicts).toEqual({ specification: 'warning', cloudfoundry: 'accepted', serviceCatalog: 'accepted' })
})

test('a property that is called $ref is no reference', () => {
  const { findings } = lintCatalog(withSchema({ $schema: draft04, properties: { $ref: { type: 'string' } } }))

  expect(findings).toEqual([])
})

test('a schema that its own later draft allows and nobody else reads is legal', () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', exclusiveMinimum: 3 }

  expect(lintCatalog(withSchema(schema)).verdicts).toMatchObject({
    specification: 'valid',
    cloudfoundry: 'rejected',
  })
})
