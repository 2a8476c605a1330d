/** What the operator decided for tenants: which of the catalog they see, how much they may have, where and how their packages run. */
import { covers } from './access.ts'
import type { Job } from './job.ts'

export interface TenantRule {
  /** A tenant, `NAME/*` for all below it, or `*` for all there are. */
  readonly name: string
  /** Services, or plans as `SERVICE/PLAN`; absent: the rule leaves that to others. */
  readonly services?: readonly string[]
  /** Together, where the name stands for several tenants. */
  readonly instancesMax?: number
  readonly bindingsMax?: number
  /** Operations that wait; an order beyond is refused until some have begun. */
  readonly queuedMax?: number
  /** Orders that are taken within a minute, over all brokers. */
  readonly ordersPerMinuteMax?: number
  /** The engine that its packages run on, and no other. */
  readonly engine?: string
  /** none: its packages get no network, whatever they ask for. */
  readonly network?: 'default' | 'none'
  /** Which accounts read the logs of its packages: with `operators` only those whose right to it holds in all tenants. */
  readonly logs?: 'tenant' | 'operators'
}

/** The rules that hold for a tenant, the nearest first. */
export function rulesFor<R extends TenantRule>(rules: readonly R[], tenant: string): readonly R[] {
  return rules
    .filter(({ name }) => covers(name, tenant))
    .sort((a, b) => Number(b.name === tenant) - Number(a.name === tenant) || b.name.length - a.name.length)
}

/** What the nearest rule that says it says of a tenant. */
export function ruled<K extends keyof TenantRule>(
  rules: readonly TenantRule[],
  tenant: string,
  what: K,
): TenantRule[K] | undefined {
  return rulesFor(rules, tenant).find((rule) => rule[what] !== undefined)?.[what]
}

/** A job as a tenant may have it run. */
export function jobWithin(rules: readonly TenantRule[], tenant: string, job: Job): Job {
  if (job.needs.network === 'none' || ruled(rules, tenant, 'network') !== 'none') return job
  return { ...job, needs: { ...job.needs, network: 'none' } }
}

/** An upper bound, of one tenant or of all that a name stands for. */
export interface TenantBound {
  readonly name: string
  readonly most: number
}

/** What may be counted. */
export type Bounded = 'instancesMax' | 'bindingsMax' | 'queuedMax' | 'ordersPerMinuteMax'

/** The bounds of a tenant, in an order that is the same for all: its own, or the usual one; and those it shares. */
export function boundsOf(
  rules: readonly TenantRule[],
  {
    tenant,
    of,
    usual,
  }: { readonly tenant: string; readonly of: Bounded; readonly usual?: number | undefined },
): readonly TenantBound[] {
  const said = rulesFor(rules, tenant).flatMap(({ name, [of]: most }) =>
    most === undefined ? [] : [{ name, most }],
  )
  const isOwn = said.some(({ name }) => name === tenant)
  const all = isOwn || usual === undefined ? said : [{ name: tenant, most: usual }, ...said]
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
