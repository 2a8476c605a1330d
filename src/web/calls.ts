/** Every call of the operator API that the UI makes. */
import type { Tenant, TenantDetail } from '../api/access.ts'
import type { AuditPage, AuditVerdict } from '../api/audit.ts'
import type { BindingList, Credentials } from '../api/binding.ts'
import type { CatalogAnswer } from '../api/catalog.ts'
import type { About, Cluster, Health, Keys } from '../api/cluster.ts'
import type { Examination } from '../api/findings.ts'
import type { DryRun, InstanceDetail, InstancePage, Ordered, Output } from '../api/instance.ts'
import type { HistoryLine, Operation, OperationPage, Run, Why } from '../api/operation.ts'
import type { CustomAction, Package } from '../api/package.ts'
import type { Found } from '../api/search.ts'
import type { Session } from '../api/session.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Call<T, U extends string> {
  readonly method: Method
  /** Below /api/v1, as the table of routes writes it. */
  readonly url: U
  /** Only its type is used: what a success answers. */
  readonly answer?: T
}

/** The parameters in a path: `:platform` and the like. */
export type PathOf<U extends string> = U extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? { readonly [K in Name]: string } & PathOf<`/${More}`>
    : { readonly [K in Rest]: string }
  : Readonly<Record<never, string>>

function call<T>() {
  return <const U extends string>(method: Method, url: U): Call<T, U> => ({ method, url })
}

interface Items<T> {
  readonly items: readonly T[]
}

export const calls = {
  about: call<About>()('GET', '/about'),
  session: call<Session>()('GET', '/session'),
  logIn: call<Session>()('POST', '/session'),
  logOut: call<undefined>()('DELETE', '/session'),
  setOwnPassword: call<undefined>()('POST', '/password'),
  tenants: call<Items<Tenant> & { readonly next?: string }>()('GET', '/tenants'),
  tenant: call<TenantDetail>()('GET', '/tenants/:tenant'),
  createTenant: call<TenantDetail>()('POST', '/tenants'),
  changeTenant: call<TenantDetail>()('PATCH', '/tenants/:tenant'),
  removeTenant: call<undefined>()('DELETE', '/tenants/:tenant'),
  eraseTenant: call<undefined>()('DELETE', '/tenants/:tenant/key'),
  cluster: call<Cluster>()('GET', '/cluster'),
  health: call<Health>()('GET', '/health'),
  examination: call<Examination>()('GET', '/examination'),
  changes: call<undefined>()('GET', '/changes'),
  search: call<Found>()('GET', '/search'),
  catalog: call<CatalogAnswer>()('GET', '/catalog'),
  packages: call<Items<Package>>()('GET', '/packages'),
  package: call<Package>()('GET', '/packages/:name'),
  keys: call<Keys>()('GET', '/keys'),
  freeze: call<Cluster>()('POST', '/freeze'),
  thaw: call<undefined>()('DELETE', '/freeze'),
  audit: call<AuditPage>()('GET', '/audit'),
  verifyAudit: call<AuditVerdict>()('GET', '/audit/verify'),
  instances: call<InstancePage>()('GET', '/instances'),
  instance: call<InstanceDetail>()('GET', '/instances/:platform/:instance'),
  deleteInstance: call<Ordered>()('DELETE', '/instances/:platform/:instance'),
  purgeInstance: call<undefined>()('POST', '/instances/:platform/:instance/purge'),
  outputs: call<Items<Output>>()('GET', '/instances/:platform/:instance/outputs'),
  output: call<unknown>()('GET', '/instances/:platform/:instance/outputs/:name'),
  actions: call<Items<CustomAction>>()('GET', '/instances/:platform/:instance/actions'),
  invoke: call<Ordered>()('POST', '/instances/:platform/:instance/invoke'),
  bindings: call<BindingList>()('GET', '/instances/:platform/:instance/bindings'),
  credentials: call<Credentials>()('GET', '/instances/:platform/:instance/bindings/:binding/credentials'),
  rotate: call<Ordered>()('POST', '/instances/:platform/:instance/bindings/:binding/rotate'),
  unbind: call<Ordered>()('DELETE', '/instances/:platform/:instance/bindings/:binding'),
  operations: call<OperationPage>()('GET', '/operations'),
  order: call<Ordered>()('POST', '/instances'),
  tryOrder: call<DryRun>()('POST', '/instances/dry-run'),
  change: call<Ordered>()('PATCH', '/instances/:platform/:instance'),
  tryChange: call<DryRun>()('POST', '/instances/:platform/:instance/dry-run'),
  bind: call<Ordered>()('POST', '/instances/:platform/:instance/bindings'),
  tryBind: call<DryRun>()('POST', '/instances/:platform/:instance/bindings/dry-run'),
  operation: call<Operation>()('GET', '/operations/:operation'),
  history: call<Items<HistoryLine>>()('GET', '/operations/:operation/history'),
  runs: call<Items<Run>>()('GET', '/operations/:operation/runs'),
  why: call<Why>()('GET', '/operations/:operation/why'),
  log: call<undefined>()('GET', '/operations/:operation/log'),
  results: call<Items<Output>>()('GET', '/operations/:operation/outputs'),
  result: call<unknown>()('GET', '/operations/:operation/outputs/:name'),
  cancel: call<Operation>()('POST', '/operations/:operation/cancel'),
  retry: call<Ordered>()('POST', '/operations/:operation/retry'),
  release: call<Operation>()('POST', '/operations/:operation/release'),
} as const
