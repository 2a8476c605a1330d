/** What each page asks the broker first. Known by the address alone, it is asked before the page is there to ask. */
import type { Permission } from '../model/access.ts'
import { addressOf, type Query } from './address-of.ts'
import { calls } from './calls.ts'
import { type Params, paramsOf } from './pattern.ts'

export interface Asked {
  readonly address: string
  /** Not asked without it. */
  readonly needs?: Permission
}

interface Place {
  readonly params: Params
  readonly query: URLSearchParams
}

/** By the pattern of the page's address. */
export const firstAsks: Readonly<Record<string, (place: Place) => readonly Asked[]>> = {
  '/': () => [
    { address: addressOf(calls.instances, {}, failedInstances) },
    { address: addressOf(calls.operations, {}, activeOperations) },
    { address: addressOf(calls.cluster, {}), needs: 'read:cluster' },
    packages,
  ],
  '/catalog': () => [catalog],
  '/catalog/:service': () => [catalog, packages],
  '/order/:service/:plan': ({ query }) => [catalog, ...failedBefore(query)],
  '/instances/:platform/:instance/update': ({ params, query }) => [
    instance(params),
    catalog,
    ...failedBefore(query),
  ],
  '/instances/:platform/:instance/bind': ({ params }) => [instance(params), catalog],
  '/instances': ({ query }) => [{ address: addressOf(calls.instances, {}, instancesIn(query)) }, catalog],
  '/instances/:platform/:instance': ({ params, query }) => [instance(params), ...ofTab(params, query)],
  '/operations': ({ query }) => [{ address: addressOf(calls.operations, {}, operationsIn(query)) }],
  '/operations/:operation': ({ params: { operation = '' } }) => [
    { address: addressOf(calls.operation, { operation }) },
    { address: addressOf(calls.history, { operation }) },
    { address: addressOf(calls.results, { operation }) },
  ],
  '/packages': () => [packages],
  '/packages/:name': ({ params: { name = '' } }) => [
    { address: addressOf(calls.package, { name }), needs: 'read:packages' },
  ],
  '/tenants': ({ query }) => [
    { address: addressOf(calls.tenants, {}, tenantsIn(query)), needs: 'read:tenants' },
  ],
  '/tenants/:tenant': ({ params: { tenant = '' } }) => [
    { address: addressOf(calls.tenant, { tenant }), needs: 'read:tenants' },
    { address: addressOf(calls.instances, {}, instancesOfTenant(tenant)), needs: 'read:instances' },
  ],
  '/nodes': () => [
    { address: addressOf(calls.cluster, {}), needs: 'read:cluster' },
    { address: addressOf(calls.health, {}), needs: 'read:cluster' },
    { address: addressOf(calls.examination, {}), needs: 'examine:broker' },
    { address: addressOf(calls.keys, {}), needs: 'read:keys' },
  ],
  '/audit': ({ query }) => [{ address: addressOf(calls.audit, {}, auditIn(query)), needs: 'read:audit' }],
  '/account': () => [
    { address: addressOf(calls.about, {}) },
    { address: addressOf(calls.tenants, {}, ownTenants), needs: 'read:tenants' },
  ],
}

/** What the page at a path below /ui asks. */
export function firstAsksOf(path: string, query: URLSearchParams): readonly Asked[] {
  for (const [pattern, asks] of Object.entries(firstAsks)) {
    const params = paramsOf(pattern, path)
    if (params !== undefined) return asks({ params, query })
  }
  return []
}

const catalog: Asked = { address: addressOf(calls.catalog, {}) }
const packages: Asked = { address: addressOf(calls.packages, {}), needs: 'read:packages' }

function instance({ platform = '', instance = '' }: Params): Asked {
  return { address: addressOf(calls.instance, { platform, instance }) }
}

function failedBefore(query: URLSearchParams): readonly Asked[] {
  const operation = query.get('again')
  return operation === null ? [] : [{ address: addressOf(calls.operation, { operation }) }]
}

function ofTab({ platform = '', instance = '' }: Params, query: URLSearchParams): readonly Asked[] {
  const key = { platform, instance }
  switch (query.get('tab')) {
    case 'bindings':
      return [catalog, { address: addressOf(calls.bindings, key) }]
    case 'operations':
      return [{ address: addressOf(calls.operations, {}, operationsOf(platform, instance, query)) }]
    case 'files':
      return [{ address: addressOf(calls.outputs, key) }]
    case 'actions':
      return [{ address: addressOf(calls.actions, key) }]
    case 'audit':
      return [{ address: addressOf(calls.audit, {}, auditOf(instance, query)), needs: 'read:audit' }]
    default:
      return []
  }
}

export const failedInstances: Query = { state: 'failed', limit: 20 }
export const activeOperations: Query = { state: 'active', limit: 20 }
export const ownTenants: Query = { limit: 500 }

const pageSize = 50

/** The list of instances as an address narrows it. */
export function instancesIn(query: URLSearchParams): Query {
  const state = query.get('state') ?? ''
  return {
    limit: pageSize,
    order: query.get('order') === 'id' ? 'id' : 'latest',
    beginning: query.get('q') ?? undefined,
    state: state === '' || state === 'any' ? undefined : state,
    present: state === '' ? true : undefined,
    service: query.get('service') ?? undefined,
    platform: query.get('platform') ?? undefined,
    tenant: query.get('tenant') ?? undefined,
    cursor: query.get('cursor') ?? undefined,
  }
}

/** The list of tenants as an address narrows it. */
export function tenantsIn(query: URLSearchParams): Query {
  return {
    limit: pageSize,
    beginning: query.get('q') ?? undefined,
    after: query.get('cursor') ?? undefined,
  }
}

/** The latest instances of a tenant. */
export function instancesOfTenant(tenant: string): Query {
  return { tenant, limit: 20, order: 'latest', present: true }
}

/** The list of operations as an address narrows it. */
export function operationsIn(query: URLSearchParams): Query {
  return {
    limit: pageSize,
    state: query.get('state') ?? undefined,
    cursor: query.get('cursor') ?? undefined,
  }
}

/** The operations of one instance. */
export function operationsOf(platform: string, id: string, query: URLSearchParams): Query {
  return { platform, instance: id, limit: pageSize, cursor: query.get('cursor') ?? undefined }
}

/** The audit trail as an address narrows it. */
export function auditIn(query: URLSearchParams): Query {
  return {
    limit: pageSize,
    latest: true,
    action: query.get('action') ?? undefined,
    object: query.get('object') ?? undefined,
    before: query.get('before') ?? undefined,
  }
}

/** The audit records of one instance. */
export function auditOf(id: string, query: URLSearchParams): Query {
  return { object: id, limit: pageSize, before: query.get('before') ?? undefined }
}
