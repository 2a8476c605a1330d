/** Typed calls to a running broker: what the command line and other programs use of the operator API. */
import type { CanI, ChangedTenant, NewTenant, Role, Tenant, TenantDetail, Whoami } from '../api/access.ts'
import type {
  Account,
  ChangedAccount,
  MadeToken,
  NewAccount,
  NewToken,
  OwnPassword,
  Token,
} from '../api/account.ts'
import type { AdoptedInstance } from '../api/adoption.ts'
import type { AuditPage, AuditQuery, AuditVerdict } from '../api/audit.ts'
import type { Binding, BindingList, Credentials, NewBinding } from '../api/binding.ts'
import type { CatalogAnswer } from '../api/catalog.ts'
import type { About, Backup, Cluster, Freeze, Health, Keys, SupportQuery } from '../api/cluster.ts'
import type { Examination } from '../api/findings.ts'
import type {
  ChangedInstance,
  DryRun,
  Instance,
  InstanceDetail,
  InstanceQuery,
  Invocation,
  NewInstance,
  Ordered,
  Output,
} from '../api/instance.ts'
import type { HistoryLine, LogLine, Operation, OperationQuery, Run, Why } from '../api/operation.ts'
import type { CustomAction, NewPackage, Package } from '../api/package.ts'
import type { Found } from '../api/search.ts'
import type { PageOf } from '../api/words.ts'
import { systemClock } from '../kit/clock.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { eventsIn } from './events.ts'
import { ask, askBytes, askStream, type Outgoing, type Server } from './transport.ts'

export interface InstanceAddress {
  readonly platform: string
  readonly instance: string
}

export interface BindingAddress extends InstanceAddress {
  readonly binding: string
}

interface List<T> {
  readonly items: readonly T[]
}

export type FollowedEvent =
  | { readonly kind: 'operation'; readonly operation: Operation }
  | { readonly kind: 'log'; readonly line: LogLine }
  | { readonly kind: 'end'; readonly operation: Operation }

export type Client = ReturnType<typeof makeClient>

/** A client of the broker at an address. */
export function makeClient(server: Server) {
  const get = <T>(path: string, query: Outgoing['query'] = {}) =>
    ask<T>(server, { method: 'GET', path, query })
  const post = <T>(path: string, body?: unknown, key?: string) =>
    ask<T>(server, {
      method: 'POST',
      path,
      ...present({ body }),
      ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
    })
  const remove = <T>(path: string) => ask<T>(server, { method: 'DELETE', path })

  return {
    ...dryRuns(post),
    ...stateOf(get),
    ...accessOf(get),
    ...accountsOf(server),
    catalog: (tenant?: string) => get<CatalogAnswer>('/catalog', { tenant }),
    packages: () => get<List<Package>>('/packages'),
    package: (name: string) => get<Package>(`/packages/${encodeURIComponent(name)}`),
    addPackage: (one: NewPackage) => post<Package>('/packages', one),
    removePackage: (name: string) => remove<undefined>(`/packages/${encodeURIComponent(name)}`),
    search: (text: string) => get<Found>('/search', { text }),
    ...keeping(server),
    audit: (query: AuditQuery) => get<AuditPage>('/audit', query),
    verifyAudit: () => get<AuditVerdict>('/audit/verify'),

    instances: (query: InstanceQuery) => get<PageOf<Instance>>('/instances', query),
    instance: (key: InstanceAddress) => get<InstanceDetail>(pathOf(key)),
    order: (wish: NewInstance, key?: string) => post<Ordered>('/instances', wish, key),
    change: (key: InstanceAddress, body: ChangedInstance) =>
      ask<Ordered>(server, { method: 'PATCH', path: pathOf(key), body }),
    remove: (key: InstanceAddress) => remove<Ordered>(pathOf(key)),
    purge: (key: InstanceAddress) => post<void>(`${pathOf(key)}/purge`),
    adopt: (key: InstanceAddress, body: AdoptedInstance) => post<void>(`${pathOf(key)}/adopt`, body),
    rename: (key: InstanceAddress, name: string) => post<void>(`${pathOf(key)}/rename`, { name }),
    repin: (key: InstanceAddress) => post<void>(`${pathOf(key)}/repin`),
    actions: (key: InstanceAddress) => get<List<CustomAction>>(`${pathOf(key)}/actions`),
    invoke: (key: InstanceAddress, wish: Invocation) => post<Ordered>(`${pathOf(key)}/invoke`, wish),
    whyInstance: (key: InstanceAddress) => get<Why>(`${pathOf(key)}/why`),
    outputs: (key: InstanceAddress) => get<List<Output>>(`${pathOf(key)}/outputs`),
    output: (key: InstanceAddress, name: string) => bytesOf(server, pathOf(key), name),

    bindings: (key: InstanceAddress) => get<BindingList>(`${pathOf(key)}/bindings`),
    binding: (key: BindingAddress) => get<Binding>(bindingPath(key)),
    credentials: (key: BindingAddress) => get<Credentials>(`${bindingPath(key)}/credentials`),
    bind: (key: InstanceAddress, wish: NewBinding, idempotency?: string) =>
      post<Ordered>(`${pathOf(key)}/bindings`, wish, idempotency),
    rotate: (key: BindingAddress, idempotency?: string) =>
      post<Ordered>(`${bindingPath(key)}/rotate`, {}, idempotency),
    unbind: (key: BindingAddress) => remove<Ordered>(bindingPath(key)),

    operations: (query: OperationQuery) => get<PageOf<Operation>>('/operations', query),
    operation: (id: string) => get<Operation>(operationPath(id)),
    history: (id: string) => get<List<HistoryLine>>(`${operationPath(id)}/history`),
    runs: (id: string) => get<List<Run>>(`${operationPath(id)}/runs`),
    log: (id: string, after: number) =>
      get<List<LogLine> & { readonly next?: number }>(`${operationPath(id)}/log`, { after }),
    results: (id: string) => get<List<Output>>(`${operationPath(id)}/outputs`),
    result: (id: string, name: string) => bytesOf(server, operationPath(id), name),
    whyOperation: (id: string) => get<Why>(`${operationPath(id)}/why`),
    cancel: (id: string, force = false) =>
      post<Operation>(`${operationPath(id)}/cancel${force ? '?force=true' : ''}`),
    retry: (id: string, parameters?: JsonObject) =>
      post<Ordered>(`${operationPath(id)}/retry`, present({ parameters })),
    release: (id: string) => post<Operation>(`${operationPath(id)}/release`),
    follow: (id: string, signal: AbortSignal) => follow(server, id, signal),
  }
}

/** Keys of the broker, the freeze of its orders, copies, and what maintainers ask for. */
function keeping(server: Server) {
  const ring = (method: 'GET' | 'POST' | 'DELETE', below = '') =>
    ask<Keys>(server, { method, path: `/keys${below}` })
  return {
    keys: () => ring('GET'),
    addKey: () => ring('POST'),
    activateKey: (id: string) => ring('POST', `/${encodeURIComponent(id)}/activate`),
    removeKey: (id: string) => ring('DELETE', `/${encodeURIComponent(id)}`),
    rotateKey: () => ring('POST', '/rotate'),
    freeze: (freeze: Freeze) => ask<Cluster>(server, { method: 'POST', path: '/freeze', body: freeze }),
    thaw: () => ask<void>(server, { method: 'DELETE', path: '/freeze' }),
    backup: () => ask<Backup>(server, { method: 'POST', path: '/backups' }),
    supportBundle: (query: SupportQuery) =>
      askBytes(server, { method: 'GET', path: '/support-bundle', query }),
  }
}

/** Orders that are only tried. */
function dryRuns(post: <T>(path: string, body: unknown) => Promise<T>) {
  return {
    dryAdopt: (key: InstanceAddress, body: AdoptedInstance) =>
      post<DryRun>(`${pathOf(key)}/adopt/dry-run`, body),
    dryOrder: (wish: NewInstance) => post<DryRun>('/instances/dry-run', wish),
    dryChange: (key: InstanceAddress, body: ChangedInstance) => post<DryRun>(`${pathOf(key)}/dry-run`, body),
    dryBind: (key: InstanceAddress, wish: NewBinding) =>
      post<DryRun>(`${pathOf(key)}/bindings/dry-run`, wish),
  }
}

/** The content of a named output. */
function bytesOf(server: Server, path: string, name: string) {
  return askBytes(server, { method: 'GET', path: `${path}/outputs/${encodeURIComponent(name)}` })
}

const reconnectMs = 500

/** State changes and log of an operation until it ends; goes on where it was when the connection breaks. */
async function* follow(server: Server, id: string, signal: AbortSignal): AsyncGenerator<FollowedEvent> {
  let last: string | undefined
  for (;;) {
    const stream = await askStream(server, {
      method: 'GET',
      path: `${operationPath(id)}/log`,
      headers: {
        Accept: 'text/event-stream',
        ...present({ 'Last-Event-ID': last }),
      },
      signal,
    })
    for await (const received of unbroken(stream, signal)) {
      const data: unknown = JSON.parse(received.data)
      if (received.event === 'operation') yield { kind: 'operation', operation: data as Operation }
      if (received.event === 'log') {
        last = received.id ?? last
        yield { kind: 'log', line: data as LogLine }
      }
      if (received.event === 'end') {
        yield { kind: 'end', operation: data as Operation }
        return
      }
    }
    if (signal.aborted) return
    // The broker drains or a proxy gave up: it may take a moment until a broker answers again.
    await systemClock.sleep(reconnectMs, signal)
  }
}

/** The broker itself: which it is, its nodes, how it is, and what doctor finds of it. */
function stateOf(get: <T>(path: string) => Promise<T>) {
  return {
    about: () => get<About>('/about'),
    cluster: () => get<Cluster>('/cluster'),
    health: () => get<Health>('/health'),
    examination: () => get<Examination>('/examination'),
  }
}

/** What accounts may do. */
function accessOf(get: <T>(path: string, query?: Outgoing['query']) => Promise<T>) {
  return {
    whoami: () => get<Whoami>('/whoami'),
    canI: (permission: string, tenant?: string) => get<CanI>('/can-i', { permission, tenant }),
    roles: async () => (await get<List<Role>>('/roles')).items,
    tenants: (beginning?: string) =>
      allOf((after) =>
        get<{ items: readonly Tenant[]; next?: string }>('/tenants', { after, beginning, limit: 500 }),
      ),
    tenant: (name: string) => get<TenantDetail>(tenantPath(name)),
  }
}

/** Accounts and tokens. */
function accountsOf(server: Server) {
  const sent = <T>(method: Outgoing['method'], path: string, body?: unknown) =>
    ask<T>(server, { method, path, ...present({ body }) })
  const all = <T>(path: string, query: Outgoing['query'] = {}) =>
    allOf((after) =>
      ask<{ items: readonly T[]; next?: string }>(server, {
        ...{ method: 'GET', path, query: { ...query, after, limit: 500 } },
      }),
    )
  const at = (name: string) => `/accounts/${encodeURIComponent(name)}`
  return {
    accounts: () => all<Account>('/accounts'),
    addAccount: (account: NewAccount) => sent<Account>('POST', '/accounts', account),
    changeAccount: (name: string, change: ChangedAccount) => sent<Account>('PATCH', at(name), change),
    removeAccount: (name: string) => sent<void>('DELETE', at(name)),
    changeOwnPassword: (change: OwnPassword) => sent<void>('POST', '/password', change),
    tokens: (ofAll: boolean) => all<Token>('/tokens', ofAll ? { all: true } : {}),
    makeToken: (wanted: NewToken) => sent<MadeToken>('POST', '/tokens', wanted),
    createTenant: (tenant: NewTenant) => sent<TenantDetail>('POST', '/tenants', tenant),
    changeTenant: (name: string, change: ChangedTenant) =>
      sent<TenantDetail>('PATCH', tenantPath(name), change),
    removeTenant: (name: string) => sent<void>('DELETE', tenantPath(name)),
    eraseTenant: (name: string) => sent<void>('DELETE', `${tenantPath(name)}/key`),
    revokeToken: (id: string) => sent<void>('DELETE', `/tokens/${encodeURIComponent(id)}`),
  }
}

/** Every item of a list that comes in pages. */
async function allOf<T>(
  page: (after: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next?: string }>,
): Promise<readonly T[]> {
  const all: T[] = []
  let after: string | undefined
  do {
    const { items, next } = await page(after)
    all.push(...items)
    after = next
  } while (after !== undefined)
  return all
}

/** A connection that breaks ends the stream; asking anew says whether the broker is still there. */
async function* unbroken(stream: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  try {
    yield* eventsIn(stream)
  } catch (error) {
    if (error instanceof SyntaxError && !signal.aborted) throw error
  }
}

function pathOf({ platform, instance }: InstanceAddress): string {
  return `/instances/${encodeURIComponent(platform)}/${encodeURIComponent(instance)}`
}

function tenantPath(name: string): string {
  return `/tenants/${encodeURIComponent(name)}`
}

function bindingPath(key: BindingAddress): string {
  return `${pathOf(key)}/bindings/${encodeURIComponent(key.binding)}`
}

function operationPath(id: string): string {
  return `/operations/${encodeURIComponent(id)}`
}
