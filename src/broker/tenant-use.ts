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
  readonly granted: readonly Share[]
  readonly lent: readonly Share[]
  readonly rules: NonNullable<Policy['tenants']>
}

/** A plan that only named tenants see, and one of these names. */
interface Share {
  readonly service: string
  readonly plan: string
  readonly to: string
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
  const shared = new Map<string, Quotas<Used>>()
  for (const kind of kinds)
    for (const { name, most } of tenantBounds(ports.policy(), tenant, bounded[kind])) {
      if (name === tenant) continue
      const used = (await countedOf(ports, name))[kind]
      shared.set(name, { ...shared.get(name), [kind]: { used, most } })
    }
  const count = { name: tenant, ...(await countedOf(ports, tenant)) }
  const services = new Map<string, readonly string[]>()
  for (const { service, plan } of catalogSeen(ports, [tenant]).offers)
    services.set(service.name, [...(services.get(service.name) ?? []), plan.name])
  return {
    ...useOf(ports, count),
    shared: [...shared].map(([name, quotas]) => ({ name, ...quotas })),
    services: [...services].map(([name, plans]) => ({ name, plans })),
    ...sharesOf(ports, tenant),
    rules: rulesFor(ports.policy().tenants ?? [], tenant),
  }
}

/** A page of tenants: those that have or had something, and the names that something was decided for. */
export async function tenantsFrom(ports: Ports, filter: TenantFilter): Promise<readonly TenantUse[]> {
  const { tenants: reach = [everyTenant], after = '', beginning = '', most } = filter
  const having = await ports.store.look.tenants(filter)
  const found = new Set(having.map(({ name }) => name))
  const { tenants: rules = [] } = ports.policy()
  const named = rules
    .filter(({ name }) => name > after && name.startsWith(beginning) && !found.has(name))
    .filter(({ name }) => reach.some((one) => covers(one, name)))
    .map(({ name }) => name)
  const page = [...having, ...named.map((name) => ({ name, instances: 0, bindings: 0 }))]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, most)
  return await Promise.all(page.map(async (count) => useOf(ports, await countOf(ports, count))))
}

/** A name that stands for several tenants has what they have together. */
async function countOf(ports: Ports, count: TenantCount): Promise<TenantCount> {
  const { name } = count
  return name.endsWith('*') ? { name, ...(await countedOf(ports, name)) } : count
}

async function countedOf({ store: { look } }: Ports, name: string): Promise<Omit<TenantCount, 'name'>> {
  return {
    instances: await look.countInstances(undefined, undefined, [name]),
    bindings: await look.countBindings([name]),
  }
}

/** Plans that only named tenants see: those that this one sees by such a name, and those of its sandbox that others see. */
function sharesOf(
  { catalog }: Pick<Ports, 'catalog'>,
  tenant: string,
): Pick<WholeTenantUse, 'granted' | 'lent'> {
  const shares = catalog().offers.flatMap(({ service, plan, sandbox }) =>
    (plan.operator.visibleTo ?? [])
      .filter((to) => to !== sandbox)
      .map((to) => ({ sandbox, share: { service: service.name, plan: plan.name, to } })),
  )
  const isLent = ({ sandbox }: (typeof shares)[number]) => sandbox === tenant
  return {
    granted: shares.filter((one) => !isLent(one) && covers(one.share.to, tenant)).map(({ share }) => share),
    lent: shares.filter(isLent).map(({ share }) => share),
  }
}
