import { expect, test } from 'vitest'
import { noChoice, type Package, type Plan, type Service } from '../model/package.ts'
import { makeCatalog } from './catalog.ts'
import { type EntryChoice, offersOf, type PlanChoice } from './offer.ts'

const plan: Plan = {
  name: 'default',
  description: 'a plan',
  free: true,
  bindingRotatable: false,
  schemas: {},
  requiresApp: false,
  mode: { instance: 'async', binding: 'auto' },
  operator: noChoice,
}
const service: Service = {
  name: 'redis',
  description: 'a service',
  bindable: true,
  tags: [],
  requires: [],
  planUpdatable: false,
  instancesRetrievable: true,
  bindingsRetrievable: true,
  contextUpdates: false,
  plans: [plan],
}
const pkg = (services: readonly Service[]): Package => ({
  contract: 'tweed',
  name: 'redis',
  version: '1',
  digest: 'sha256:1',
  services,
  actions: [],
  papers: {},
  notes: null,
})
const entry = (more: Partial<EntryChoice> = {}): EntryChoice => ({
  service: {},
  plans: [],
  services: [],
  options: {},
  ...more,
})
const choice = (name: string, more: Partial<PlanChoice> = {}): PlanChoice => ({
  name,
  inputs: {},
  defaults: {},
  options: {},
  ...more,
})

test('settings that were not given are no word about one of several services', () => {
  const several = pkg([service, { ...service, name: 'other' }])
  const silent = entry({ service: { id: undefined, name: undefined } })

  const { offers, problems } = offersOf(several, silent, 'catalog/0')

  expect(problems).toEqual([])
  expect(offers.map((offer) => offer.service.name)).toEqual(['redis', 'other'])
})

test('without a word of the operator every plan is offered as it is, under ids that stay', () => {
  const first = offersOf(pkg([service]), entry(), 'catalog/0')
  const again = offersOf(pkg([service]), entry(), 'catalog/0')

  expect(first.problems).toEqual([])
  expect(first.offers).toHaveLength(1)
  expect(first.offers[0]?.plan.id).toBe(again.offers[0]?.plan.id)
  expect(first.offers[0]?.service.id).not.toBe(first.offers[0]?.plan.id)
})

test('the operator names plans of their own, fixes inputs and lays words over those of the package', () => {
  const { offers } = offersOf(
    pkg([service]),
    entry({
      service: { name: 'cache', tags: ['kv'], metadata: { displayName: 'Cache' } },
      plans: [
        choice('small', { inputs: { size: 1 }, limit: 3, mode: 'sync' }),
        choice('large', { allow: ['size'], bindable: false }),
      ],
      options: { image: 'a' },
    }),
    'catalog/0',
  )

  expect(offers.map((offer) => [offer.service.name, offer.plan.name, offer.plan.mode.instance])).toEqual([
    ['cache', 'small', 'sync'],
    ['cache', 'large', 'async'],
  ])
  expect(offers[0]?.plan.operator).toEqual({
    inputs: { size: 1 },
    defaults: {},
    options: { image: 'a' },
    limit: 3,
  })
  expect(new Set(offers.map((offer) => offer.plan.id)).size).toBe(2)
  expect(makeCatalog(offers).document).toMatchObject({
    services: [{ name: 'cache', tags: ['kv'], plans: [{}, { bindable: false }] }],
  })
})

test.each<[string, readonly Service[], Partial<EntryChoice>, string]>([
  ['no service', [], {}, 'the package offers no service'],
  [
    'a plan it has not',
    [service],
    { plans: [choice('x', { from: 'y' })] },
    'the package has no plan y to make this of',
  ],
  [
    'a service it has not',
    [service],
    { services: [{ name: 'mysql', plans: [] }] },
    'the package has no service mysql',
  ],
  ['an unknown permission', [service], { service: { requires: ['root'] } }, 'unknown permission root'],
  [
    'plans for one of several services',
    [service, { ...service, name: 'b' }],
    { plans: [choice('x')] },
    'the package offers 2 services; choose among them with "services"',
  ],
])('%s is refused', (_, services, choices, detail) => {
  expect(
    offersOf(pkg(services), entry(choices), 'catalog/0').problems.map((problem) => problem.detail),
  ).toEqual([detail])
})

test('the catalog has an ETag of its bytes and finds a plan only under its own service', () => {
  const { offers } = offersOf(pkg([service, { ...service, name: 'b' }]), entry(), 'catalog/0')
  const catalog = makeCatalog(offers)
  const [a, b] = offers

  expect(catalog.etag).toMatch(/^"[0-9a-f]{64}"$/)
  expect(catalog.find(a?.service.id ?? '', a?.plan.id ?? '')).toBe(a)
  expect(catalog.find(a?.service.id ?? '', b?.plan.id ?? '')).toMatchObject({ code: 'catalog.plan-unknown' })
  expect(catalog.find('x', a?.plan.id ?? '')).toMatchObject({ code: 'catalog.service-unknown' })
})
