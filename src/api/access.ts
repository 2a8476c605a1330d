/** Access: the calling account, roles and tenants. */
import { Type } from 'typebox'
import { type Access, permissionNames, reachOf } from '../model/access.ts'
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
  },
  { title: 'TenantDetail' },
)
export type TenantDetail = Of<typeof TenantDetail>

export const TenantQuery = Type.Object({
  limit: PageQuery.limit,
  after: Type.Optional(Type.String({ description: 'Those behind this name.' })),
})
