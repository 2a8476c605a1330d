/** Every call of the operator API that the UI makes. */
import type { CatalogAnswer } from '../api/catalog.ts'
import type { About, Cluster } from '../api/cluster.ts'
import type { DryRun, InstanceDetail, InstancePage, Ordered } from '../api/instance.ts'
import type { OperationPage } from '../api/operation.ts'
import type { Package } from '../api/package.ts'
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
  cluster: call<Cluster>()('GET', '/cluster'),
  changes: call<undefined>()('GET', '/changes'),
  packages: call<Items<Package>>()('GET', '/packages'),
  instances: call<InstancePage>()('GET', '/instances'),
  operations: call<OperationPage>()('GET', '/operations'),
  catalog: call<CatalogAnswer>()('GET', '/catalog'),
  package: call<Package>()('GET', '/packages/:name'),
  instance: call<InstanceDetail>()('GET', '/instances/:platform/:instance'),
  order: call<Ordered>()('POST', '/instances'),
  tryOrder: call<DryRun>()('POST', '/instances/dry-run'),
  change: call<Ordered>()('PATCH', '/instances/:platform/:instance'),
  tryChange: call<DryRun>()('POST', '/instances/:platform/:instance/dry-run'),
  bind: call<Ordered>()('POST', '/instances/:platform/:instance/bindings'),
  tryBind: call<DryRun>()('POST', '/instances/:platform/:instance/bindings/dry-run'),
} as const
