/** What a tenant has of what it may have, and what it sees. */
import { covers, everyTenant } from '../model/access.ts'
import { rulesFor } from '../model/tenant-rule.ts'
import type { TenantCount, TenantFilter } from '../store/filters.ts'
import type { Policy, Ports } from './ports.ts'
import { tenantBounds } from './quota.ts'
import { catalogSeen } from './visible.ts'

interface TenantUse extends TenantCount {
  readonly quotas: Quotas<number>
}

/** Of a tenant: also of one that has nothing yet. */
interface WholeTenantUse extends TenantUse {
  readonly shared: readonly ({ readonly name: string } & Quotas<Used>)[]
  readonly services: readonly { readonly name: string; readonly plans: readonly string[] }[]
  readonly rules: NonNullable<Policy['tenants']>
}

interface Quotas<T> {
  readonly instances?: T
  readonly bindings?: T
}

interface Used {
  readonly used: number
  readonly most: number
}

const bounded = { instances: 'instancesMax', bindings: 'bindingsMax' } as const
const kinds = ['instances', 'bindings'] as const

/** A tenant with its own bounds. */
function useOf({ policy }: Pick<Ports, 'policy'>, count: TenantCount): TenantUse {
  const own = kinds.flatMap((kind) =>
    tenantBounds(policy(), count.name, bounded[kind])
      .filter(({ name }) => name === count.name)
      .map(({ most }) => [kind, most] as const),
  )
  return { ...count, quotas: Object.fromEntries(own) }
}

/** The same with the bounds that it shares, and with what it sees of the catalog. */
export async function wholeUseOf(ports: Ports, tenant: string): Promise<WholeTenantUse> {
  const { look } = ports.store
  const counted = {
    instances: (name: string) => look.countInstances(undefined, undefined, [name]),
    bindings: (name: string) => look.countBindings([name]),
  }
  const shared = new Map<string, Quotas<Used>>()
  for (const kind of kinds)
    for (const { name, most } of tenantBounds(ports.policy(), tenant, bounded[kind])) {
      if (name === tenant) continue
      shared.set(name, { ...shared.get(name), [kind]: { used: await counted[kind](name), most } })
    }
  const count = {
    name: tenant,
    instances: await counted.instances(tenant),
    bindings: await counted.bindings(tenant),
  }
  const services = new Map<string, readonly string[]>()
  for (const { service, plan } of catalogSeen(ports, [tenant]).offers)
    services.set(service.name, [...(services.get(service.name) ?? []), plan.name])
  return {
    ...useOf(ports, count),
    shared: [...shared].map(([name, quotas]) => ({ name, ...quotas })),
    services: [...services].map(([name, plans]) => ({ name, plans })),
    rules: rulesFor(ports.policy().tenants ?? [], tenant),
  }
}

/** A page of tenants: those that have or had something, and those that something was decided for by name. */
export async function tenantsFrom(ports: Ports, filter: TenantFilter): Promise<readonly TenantUse[]> {
  const { tenants: reach = [everyTenant], after = '', most } = filter
  const having = await ports.store.look.tenants(filter)
  const found = new Set(having.map(({ name }) => name))
  const { tenants: rules = [] } = ports.policy()
  const named = rules
    .filter(({ name }) => !name.endsWith('*') && name > after && !found.has(name))
    .filter(({ name }) => reach.some((one) => covers(one, name)))
    .map(({ name }) => ({ name, instances: 0, bindings: 0 }))
  return [...having, ...named]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map((count) => useOf(ports, count))
}
