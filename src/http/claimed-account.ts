/** Accounts that others vouch for: nothing of them is kept here, and the settings say what each may do. */
import { accessOf, everyTenant, type Grant, type Roles } from '../model/access.ts'
import type { Account } from './authenticate.ts'

interface Claimed extends Pick<Account, 'name'> {
  /** What gives it roles now; no tenants: all of them. */
  readonly given: readonly { readonly role: string; readonly tenants: readonly string[] }[]
  readonly roles: Roles
  /** What was said of it. */
  readonly claimed: readonly string[]
  /** Of which voucher it is: of another one it would be another account. */
  readonly version: string
}

export function claimedAccount({ name, given, roles, claimed, version }: Claimed): Account {
  const grants: readonly Grant[] = given.flatMap(({ role, tenants }) =>
    (tenants.length === 0 ? [everyTenant] : tenants).map((tenant) => ({ role, tenant })),
  )
  const isPlatform = grants.length > 0 && grants.every(({ role }) => role === 'platform')
  return {
    name,
    kind: isPlatform ? 'platform' : 'user',
    role: [...new Set(grants.map(({ role }) => role))].join(', '),
    access: accessOf(grants, roles),
    version,
    passwords: [],
    tokens: [],
    claimed,
  }
}
