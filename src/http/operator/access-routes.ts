/** Routes about access: the calling account, roles and tenants. */
import { Type } from 'typebox'
import {
  CanI,
  CanIQuery,
  Role,
  Tenant,
  TenantDetail,
  TenantQuery,
  toWhoami,
  Whoami,
} from '../../api/access.ts'
import { useOf, wholeUseOf } from '../../broker/tenant-use.ts'
import { present } from '../../kit/present.ts'
import { nearest } from '../../kit/text.ts'
import { isPermission, permissionNames, permits, roles } from '../../model/access.ts'
import { fail } from '../../model/problem.ts'
import { refuseForeign } from './authorize.ts'
import { document, look, route } from './route.ts'

export const accessRoutes = [
  route({
    method: 'GET',
    url: '/whoami',
    needs: 'read:broker',
    tag: 'access',
    summary: 'Who is asking, and what it may do in which tenants',
    audit: look,
    answers: Whoami,
    handle: ({ account }) => Promise.resolve(document(toWhoami(account))),
  }),
  route({
    method: 'GET',
    url: '/can-i',
    needs: 'read:broker',
    tag: 'access',
    summary: 'Whether the one who asks may do something',
    audit: look,
    query: CanIQuery,
    answers: CanI,
    handle: ({ account, query: { permission, tenant } }) => {
      if (!isPermission(permission)) {
        const near = nearest(permission, permissionNames)
        const hint = near === undefined ? '' : `; did you mean ${near}?`
        return fail('request.malformed', `there is no permission ${JSON.stringify(permission)}${hint}`)
      }
      return Promise.resolve(document({ allowed: permits(account.access, permission, tenant) }))
    },
  }),
  route({
    method: 'GET',
    url: '/roles',
    needs: 'read:broker',
    tag: 'access',
    summary: 'Roles, and the permissions they bundle',
    audit: look,
    answers: Type.Object({ items: Type.Array(Role) }),
    handle: (_call, { gate }) => {
      const items = [...gate.roles()].map(([name, permissions]) => ({
        name,
        own: !Object.hasOwn(roles, name),
        permissions,
      }))
      return Promise.resolve(document({ items }))
    },
  }),
  route({
    method: 'GET',
    url: '/tenants',
    needs: 'read:tenants',
    tag: 'access',
    summary: 'Tenants that have or had something, in the order of names',
    audit: look,
    query: TenantQuery,
    answers: Type.Object({ items: Type.Array(Tenant), next: Type.Optional(Type.String()) }),
    handle: async ({ query: { limit = 50, after }, tenants }, { broker }) => {
      const items = await broker.store.look.tenants({
        tenants,
        most: limit,
        ...present({ after }),
      })
      const next = items.length === limit ? items.at(-1)?.name : undefined
      return document({ items: items.map((one) => useOf(broker, one)), ...present({ next }) })
    },
  }),
  route({
    method: 'GET',
    url: '/tenants/:tenant',
    needs: 'read:tenants',
    tag: 'access',
    summary: 'What a tenant has of what it may have, and what it sees of the catalog',
    audit: look,
    params: Type.Object({ tenant: Type.String() }),
    answers: TenantDetail,
    handle: async ({ params, tenants }, { broker }) => {
      refuseForeign(tenants, params.tenant)
      return document(await wholeUseOf(broker, params.tenant))
    },
  }),
]
