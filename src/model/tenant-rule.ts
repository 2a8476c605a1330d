/** What the operator decided for tenants: which of the catalog they see, and how much they may have. */
import { covers } from './access.ts'

export interface TenantRule {
  /** A tenant, `NAME/*` for all below it, or `*` for all there are. */
  readonly name: string
  /** Services, or plans as `SERVICE/PLAN`; absent: the rule leaves that to others. */
  readonly services?: readonly string[]
  /** Together, where the name stands for several tenants. */
  readonly instancesMax?: number
  readonly bindingsMax?: number
}

/** The rules that hold for a tenant, the nearest first. */
export function rulesFor(rules: readonly TenantRule[], tenant: string): readonly TenantRule[] {
  return rules
    .filter(({ name }) => covers(name, tenant))
    .sort((a, b) => Number(b.name === tenant) - Number(a.name === tenant) || b.name.length - a.name.length)
}

/** An upper bound, of one tenant or of all that a name stands for. */
export interface TenantBound {
  readonly name: string
  readonly most: number
}

/** What may be counted. */
export type Bounded = 'instancesMax' | 'bindingsMax'

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
