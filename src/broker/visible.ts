/** Which of the catalog tenants see. What they do not see answers like what is not there, at every door. */
import { covers, isEverywhere, type Reach } from '../model/access.ts'
import { fail } from '../model/problem.ts'
import { ruled, type TenantRule } from '../model/tenant-rule.ts'
import { type Catalog, makeCatalog, type Offer } from './catalog.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'

type Shelf = Pick<Ports, 'catalog' | 'policy'>

const none: readonly TenantRule[] = []
const viewsMax = 200

/** The catalog as at least one of these tenants sees it. */
export function catalogSeen(ports: Shelf, reach: Reach): Catalog {
  const whole = ports.catalog()
  if (isEverywhere(reach)) return whole
  const { tenants = none } = ports.policy()
  const known = viewsOf(whole, tenants)
  const key = JSON.stringify(reach)
  const before = known.get(key)
  if (before !== undefined) return before
  const view = narrowed(whole, reach, tenants)
  known.set(key, view)
  if (known.size > viewsMax) for (const oldest of known.keys().take(1)) known.delete(oldest)
  return view
}

/** Problems: catalog.plan-unknown, as for a plan that is not there. */
export function refuseUnseen({ policy }: Pick<Ports, 'policy'>, tenant: string, offer: Offer): void {
  if (!sees(tenant, offer, policy().tenants ?? none)) fail('catalog.plan-unknown', offer.plan.id)
}

/** Where everything may belong that a platform orders: what the contexts of its orders say, or its own tenant. */
export function tenantsOf({ platform, tenant }: Pick<Asker, 'platform' | 'tenant'>): Reach {
  return tenant === undefined ? [platform, `${platform}/*`] : [tenant]
}

/** Views are made once: they go with the catalog and with the rules that they were made by. */
const made = new WeakMap<Catalog, WeakMap<readonly TenantRule[], Map<string, Catalog>>>()

function viewsOf(catalog: Catalog, rules: readonly TenantRule[]): Map<string, Catalog> {
  const byRules = made.get(catalog) ?? new WeakMap<readonly TenantRule[], Map<string, Catalog>>()
  made.set(catalog, byRules)
  const views = byRules.get(rules) ?? new Map<string, Catalog>()
  byRules.set(rules, views)
  return views
}

function narrowed(whole: Catalog, reach: Reach, rules: readonly TenantRule[]): Catalog {
  const names = [
    ...rules.map(({ name }) => name),
    ...whole.offers.flatMap(({ plan }) => plan.operator.visibleTo ?? []),
  ]
  const groups = reach.map((one) => ({ one, tenants: examplesOf(one, names) }))
  const isSeen = (offer: Offer) =>
    groups.some(({ one, tenants }) => {
      const shown = one.endsWith('/*') ? withoutSandbox(offer) : offer
      return tenants.some((tenant) => sees(tenant, shown, rules))
    })
  const offers = whole.offers.filter(isSeen)
  return offers.length === whole.offers.length ? whole : makeCatalog(offers)
}

/**
 * The offer of a sandbox package as an account of many tenants sees it, without the tenant of the sandbox: a platform
 * of many tenants would offer the package to each of them.
 */
function withoutSandbox(offer: Offer): Offer {
  const { sandbox, plan } = offer
  if (sandbox === undefined) return offer
  const visibleTo = plan.operator.visibleTo?.filter((name) => name !== sandbox) ?? []
  return { ...offer, plan: { ...plan, operator: { ...plan.operator, visibleTo } } }
}

/** What no tenant is called: a tenant that no rule names stands for all such. */
const unnamed = '\0'

/** Tenants that are written so, one of each kind that the rules tell apart. */
function examplesOf(one: string, names: readonly string[]): readonly string[] {
  if (!one.endsWith('/*')) return [one]
  const example = (name: string) => (name.endsWith('/*') ? name.slice(0, -1) + unnamed : name)
  return [example(one), ...names.filter((name) => covers(one, name)).map(example)]
}

function sees(tenant: string, { service, plan, sandbox }: Offer, rules: readonly TenantRule[]): boolean {
  const { visibleTo } = plan.operator
  if (visibleTo !== undefined && !visibleTo.some((name) => covers(name, tenant))) return false
  if (sandbox === tenant) return true
  const services = ruled(rules, tenant, 'services')
  return (
    services === undefined ||
    [service.name, `${service.name}/${plan.name}`].some((name) => services.includes(name))
  )
}
