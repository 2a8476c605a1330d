/** Access: the calling account, roles and tenants. */
import { type TSchema, Type } from 'typebox'
import { present } from '../kit/present.ts'
import { type Access, permissionNames, reachOf } from '../model/access.ts'
import type { Decision } from '../model/tenant-decisions.ts'
import type { TenantRule as ModelRule } from '../model/tenant-rule.ts'
import { type Of, PageQuery } from './words.ts'

export const Whoami = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union([Type.Literal('platform'), Type.Literal('user')]),
    role: Type.String(),
    permissions: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['read:instances'] }),
        tenants: Type.Array(Type.String(), { description: '`*` for all, `NAME/*` for all below one.' }),
      }),
    ),
  },
  { title: 'Whoami' },
)
export type Whoami = Of<typeof Whoami>

interface Caller {
  readonly name: string
  readonly kind: 'platform' | 'user'
  readonly role: string
  readonly access: Access
}

export function toWhoami({ name, kind, role, access }: Caller): Whoami {
  return {
    name,
    kind,
    role,
    permissions: permissionNames
      .map((one) => ({ name: one, tenants: [...reachOf(access, one)] }))
      .filter(({ tenants }) => tenants.length > 0),
  }
}

export const CanIQuery = Type.Object({
  permission: Type.String({ examples: ['create:instances'] }),
  tenant: Type.Optional(Type.String({ description: 'In this one; anywhere, when absent.' })),
})
export type CanIQuery = Of<typeof CanIQuery>

export const CanI = Type.Object({ allowed: Type.Boolean() }, { title: 'CanI' })
export type CanI = Of<typeof CanI>

export const Role = Type.Object(
  {
    name: Type.String(),
    own: Type.Boolean({ description: 'Whether the configuration made it.' }),
    permissions: Type.Array(Type.String()),
  },
  { title: 'Role' },
)
export type Role = Of<typeof Role>

const Bounds = Type.Object(
  { instances: Type.Optional(Type.Integer()), bindings: Type.Optional(Type.Integer()) },
  { description: 'How many there may be; what is absent has no bound of its own.' },
)

export const Tenant = Type.Object(
  {
    name: Type.String(),
    instances: Type.Integer({ description: 'Those that are not gone.' }),
    bindings: Type.Integer({ description: 'Those that are neither gone nor failed.' }),
    quotas: Bounds,
  },
  { title: 'Tenant' },
)
export type Tenant = Of<typeof Tenant>

/** What may be decided for a tenant. */
const decisions = {
  services: Type.Array(Type.String({ maxLength: 500, pattern: '^[^\\s/]+(?:/[^\\s/]+)?$' }), {
    maxItems: 1000,
    description: 'Services, or plans as `SERVICE/PLAN`, that it sees and may order.',
  }),
  instances: Type.Integer({ minimum: 0, description: 'How many it may have.' }),
  bindings: Type.Integer({ minimum: 0, description: 'How many it may have.' }),
  queued: Type.Integer({ minimum: 1, description: 'How many of its operations may wait.' }),
  ordersPerMinute: Type.Integer({ minimum: 1, description: 'How many orders it may give within a minute.' }),
  engine: Type.String({ maxLength: 100, description: 'The engine that its packages run on, and no other.' }),
  network: Type.Union([Type.Literal('default'), Type.Literal('none')], {
    description: '`none`: its packages get no network.',
  }),
  logs: Type.Union([Type.Literal('tenant'), Type.Literal('operators')], {
    description: 'Who reads the logs of its packages.',
  }),
} satisfies Readonly<Record<Decision, TSchema>>

const TenantName = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^(?:\\*|[^\\s*]+(?:/\\*)?)$',
  description: 'A tenant, `NAME/*` for all below one, `*` for all.',
})

export const NewTenant = Type.Object(
  { name: TenantName, ...Type.Partial(Type.Object(decisions)).properties },
  { title: 'NewTenant', additionalProperties: false },
)
export type NewTenant = Of<typeof NewTenant>

export const ChangedTenant = Type.Object(
  {
    services: Type.Optional(Type.Union([decisions.services, Type.Null()])),
    instances: Type.Optional(Type.Union([decisions.instances, Type.Null()])),
    bindings: Type.Optional(Type.Union([decisions.bindings, Type.Null()])),
    queued: Type.Optional(Type.Union([decisions.queued, Type.Null()])),
    ordersPerMinute: Type.Optional(Type.Union([decisions.ordersPerMinute, Type.Null()])),
    engine: Type.Optional(Type.Union([decisions.engine, Type.Null()])),
    network: Type.Optional(Type.Union([decisions.network, Type.Null()])),
    logs: Type.Optional(Type.Union([decisions.logs, Type.Null()])),
  },
  {
    title: 'ChangedTenant',
    additionalProperties: false,
    minProperties: 1,
    description: 'What is absent stays; `null` takes away what was decided.',
  },
)
export type ChangedTenant = Of<typeof ChangedTenant>

const TenantRule = Type.Object(
  {
    name: Type.String(),
    from: Type.Union([Type.Literal('configuration'), Type.Literal('store')]),
    ...Type.Partial(Type.Object(decisions)).properties,
  },
  { title: 'TenantRule' },
)
type TenantRule = Of<typeof TenantRule>

/** What was decided, in the words of the API. */
export function toTenantRule({
  name,
  isStored = false,
  services,
  instancesMax,
  bindingsMax,
  queuedMax,
  ordersPerMinuteMax,
  engine,
  network,
  logs,
}: ModelRule & { readonly isStored?: boolean }): TenantRule {
  return {
    name,
    from: isStored ? 'store' : 'configuration',
    ...present({
      services: services && [...services],
      instances: instancesMax,
      bindings: bindingsMax,
      queued: queuedMax,
      ordersPerMinute: ordersPerMinuteMax,
      ...{ engine, network, logs },
    }),
  }
}

/** The same the other way: what is absent is not said, `null` is what is not decided any more. */
export function fromTenantRule(change: ChangedTenant): TenantDecisions {
  const { instances, bindings, queued, ordersPerMinute, ...rest } = change
  const bounds = { instancesMax: instances, bindingsMax: bindings, queuedMax: queued }
  const said = { ...rest, ...bounds, ordersPerMinuteMax: ordersPerMinute }
  return Object.fromEntries(
    Object.entries(said)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, value ?? undefined]),
  )
}

type TenantDecisions = { readonly [K in keyof Omit<ModelRule, 'name'>]?: ModelRule[K] | undefined }

const Used = Type.Object({ used: Type.Integer(), most: Type.Integer() })

export const TenantDetail = Type.Object(
  {
    ...Tenant.properties,
    shared: Type.Array(
      Type.Object({
        name: Type.String({ description: '`NAME/*` for all tenants below one, `*` for all.' }),
        instances: Type.Optional(Used),
        bindings: Type.Optional(Used),
      }),
      { description: 'Quotas that it shares with others, and what they use together.' },
    ),
    services: Type.Array(Type.Object({ name: Type.String(), plans: Type.Array(Type.String()) }), {
      description: 'What it sees of the catalog.',
    }),
    granted: Type.Array(Type.Object({ service: Type.String(), plan: Type.String(), to: Type.String() }), {
      description: 'Plans that only named tenants see, as far as it sees them, and the name that says so.',
    }),
    lent: Type.Array(Type.Object({ service: Type.String(), plan: Type.String(), to: Type.String() }), {
      description: 'Plans of its sandbox that others see, too, as far as the account may know of these.',
    }),
    rules: Type.Array(TenantRule, { description: 'What was decided for it, the nearest first.' }),
  },
  { title: 'TenantDetail' },
)
export type TenantDetail = Of<typeof TenantDetail>

export const TenantQuery = Type.Object({
  limit: PageQuery.limit,
  after: Type.Optional(Type.String({ description: 'Those behind this name.' })),
  beginning: Type.Optional(Type.String({ maxLength: 300, description: 'How a name begins.' })),
})
