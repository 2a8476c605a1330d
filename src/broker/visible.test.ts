/** What tenants see of a catalog, held against looking at each tenant by itself. */
import { expect, test } from 'vitest'
import { noChoice, type Plan, type Service } from '../model/package.ts'
import { boundsOf, rulesFor, type TenantRule } from '../model/tenant-rule.ts'
import { makeCatalog, type Offer } from './catalog.ts'
import { catalogSeen, tenantsOf } from './visible.ts'

const plan: Plan = {
  ...{ name: 'plan', description: 'a plan', free: true, bindingRotatable: false, schemas: {} },
  ...{ requiresApp: false, mode: { instance: 'async', binding: 'auto' }, operator: noChoice },
}
const service: Service = {
  ...{
    name: 'service',
    description: 'a service',
    bindable: true,
    tags: [],
    requires: [],
    planUpdatable: false,
  },
  ...{ instancesRetrievable: true, bindingsRetrievable: true, contextUpdates: false, plans: [plan] },
}

function offer(id: string, visibleTo?: readonly string[]): Offer {
  return {
    package: {
      ...{ contract: 'sim', name: 'p', version: '1', digest: 'sha256:1', services: [service], actions: [] },
      ...{ papers: {}, notes: null },
    },
    service: { ...service, id: `service-${id}`, name: `service-${id}` },
    plan: { ...plan, id, operator: { ...noChoice, ...(visibleTo === undefined ? {} : { visibleTo }) } },
  }
}

function shelf(offers: readonly Offer[], tenants: readonly TenantRule[]) {
  const catalog = makeCatalog(offers)
  const policy = { deadlineMs: {} as never, queuedPerPlatformMax: 1, tenants }
  return { catalog: () => catalog, policy: () => policy }
}

const idsOf = (offers: readonly Offer[]) => offers.map(({ plan: { id } }) => id)

/** Numbers that are the same each time. */
function numbers(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * most)
  }
}

const words = ['a', 'b', 'c']
/** All tenants up to three words, of which no rule names one with the last. */
const everyone = words.flatMap((x) => [
  x,
  ...words.flatMap((y) => [`${x}/${y}`, ...words.map((z) => `${x}/${y}/${z}`)]),
])

test('several tenants together see what at least one of them sees', () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const next = numbers(seed)
    const named = () => {
      const depth = next(4)
      if (depth === 0) return '*'
      const name = Array.from({ length: Math.min(depth, 2) }, () => words[next(2)]).join('/')
      return next(2) === 0 ? name : `${name}/*`
    }
    const some = <T>(make: () => T): readonly T[] => Array.from({ length: next(4) }, make)
    const offers = ['1', '2', '3'].map((id) => offer(id, next(2) === 0 ? undefined : some(named)))
    const listed = () => ['service-1', 'service-2/plan', 'service-3'][next(3)] ?? ''
    const rules = [...new Set(some(named))].map((name) => ({
      ...{ name, ...(next(3) === 0 ? {} : { services: some(listed) }) },
    }))
    const around = shelf(offers, rules)
    for (const platform of words) {
      const own = everyone.filter((one) => one === platform || one.startsWith(`${platform}/`))
      const each = new Set(own.flatMap((one) => idsOf(catalogSeen(around, [one]).offers)))
      const together = idsOf(catalogSeen(around, tenantsOf({ platform })).offers)
      expect({ seed, together }).toEqual({ seed, together: [...each].sort() })
    }
  }
})

test('without rules each sees the catalog itself, and none is made for anybody', () => {
  const around = shelf([offer('1'), offer('2')], [])

  expect(catalogSeen(around, ['acme'])).toBe(around.catalog())
  expect(catalogSeen(around, ['*'])).toBe(around.catalog())
})

test('a view is made once, and anew for another catalog', () => {
  const around = shelf([offer('1', ['acme']), offer('2')], [])
  const view = catalogSeen(around, ['web'])

  expect(idsOf(view.offers)).toEqual(['2'])
  expect(catalogSeen(around, ['web'])).toBe(view)
  expect(catalogSeen(shelf([offer('1'), offer('2')], []), ['web'])).not.toBe(view)
})

test('the nearest rule is the tenant itself, then the longest name above it', () => {
  const rules = ['*', 'a/*', 'a/b', 'a/b/*', 'b/*'].map((name) => ({ name }))
  const names = (tenant: string) => rulesFor(rules, tenant).map(({ name }) => name)

  expect(names('a/b')).toEqual(['a/b', 'a/*', '*'])
  expect(names('a/b/c')).toEqual(['a/b/*', 'a/*', '*'])
  expect(names('c')).toEqual(['*'])
})

test('a tenant has its own bound or the usual one, and those that it shares', () => {
  const rules = [
    { name: 'a', instancesMax: 5 },
    { name: '*', instancesMax: 100 },
    { name: 'b/*', bindingsMax: 1 },
  ]
  const bounds = (tenant: string) => boundsOf(rules, { tenant, of: 'instancesMax', usual: 3 })

  expect(bounds('a')).toEqual([
    { name: '*', most: 100 },
    { name: 'a', most: 5 },
  ])
  expect(bounds('b/c')).toEqual([
    { name: '*', most: 100 },
    { name: 'b/c', most: 3 },
  ])
})
