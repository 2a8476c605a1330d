/** What is asked of storage about accounts and tokens, and about what is decided for tenants and offered in them. */
import type { ApiToken, StoredAccount } from '../model/account.ts'
import type { SandboxPackage } from '../model/sandbox.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import type { OrderCount, TokenFilter } from './filters.ts'

/** What was decided for a tenant by command. */
export interface StoredTenantRule extends TenantRule {
  readonly changedAt: number
}

export interface AccountLook {
  account(name: string): Promise<StoredAccount | undefined>
  accounts(page: { readonly after?: string; readonly most: number }): Promise<readonly StoredAccount[]>
  /** The token of a digest, unless its time is over. */
  token(digest: string): Promise<ApiToken | undefined>
  tokens(filter: TokenFilter): Promise<readonly ApiToken[]>
  /** What was decided for tenants by command, in the order of names. */
  tenantRules(): Promise<readonly StoredTenantRule[]>
  /** How many operations of some tenants wait, or were ordered of late. */
  countOrders(count: OrderCount): Promise<number>
  /** What authors offer to their tenants, in the order of tenants and names. */
  sandboxPackages(): Promise<readonly SandboxPackage[]>
}

export interface AccountWrites {
  lockAccount(name: string): Promise<StoredAccount | undefined>
  /** False: there is one of this name. */
  addAccount(account: StoredAccount): Promise<boolean>
  putAccount(account: StoredAccount): Promise<void>
  /** Its tokens go with it. */
  removeAccount(name: string): Promise<void>
  /** Takes the place of the token with the same id, if there is one. */
  putToken(token: ApiToken): Promise<void>
  useToken(id: string): Promise<void>
  removeToken(id: string): Promise<void>
  lockTenantRule(name: string): Promise<StoredTenantRule | undefined>
  /** False: there is one of this name. */
  addTenantRule(rule: TenantRule): Promise<boolean>
  putTenantRule(rule: TenantRule): Promise<void>
  removeTenantRule(name: string): Promise<void>
  /** Nothing is sealed for the tenant before this transaction ends, if it has a key; false: it has none. */
  lockTenantKey(tenant: string): Promise<boolean>
  /**
   * Erases what is sealed of ended operations of the tenant behind an id, of at most so many; answers the id where to go on,
   * or nothing where there are no more.
   */
  eraseEnded(tenant: string, after: string, most: number): Promise<string | undefined>
  /** Erases the key of a tenant: what is sealed with it can never be opened again. Told to all processes, which let go of it. */
  eraseTenantKey(tenant: string): Promise<void>
  /** What stands in the sandbox of a tenant; no other transaction changes that before this one ends. */
  lockSandbox(tenant: string): Promise<readonly SandboxPackage[]>
  putSandboxPackage(one: SandboxPackage): Promise<void>
  /** False: there is none. */
  removeSandboxPackage(tenant: string, name: string): Promise<boolean>
}
