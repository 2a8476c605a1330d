/** Routes about access: the calling account, roles and tenants. */
import { Type } from 'typebox'
import {
  CanI,
  CanIQuery,
  ChangedTenant,
  fromTenantRule,
  NewTenant,
  Role,
  Tenant,
  TenantDetail,
  TenantQuery,
  toTenantRule,
  toWhoami,
  Whoami,
} from '../../api/access.ts'
import type { Ports } from '../../broker/ports.ts'
import { tenantsFrom, wholeUseOf } from '../../broker/tenant-use.ts'
import { changeTenant, createTenant, eraseTenant, removeTenant } from '../../broker/tenants.ts'
import { present } from '../../kit/present.ts'
import { nearest } from '../../kit/text.ts'
import {
  covers,
  everyTenant,
  isPermission,
  permissionNames,
  permits,
  type Reach,
  roles,
} from '../../model/access.ts'
import { fail } from '../../model/problem.ts'
import { refuseForeign } from './authorize.ts'
import type { OperatorPorts } from './ports.ts'
import { document, look, nothing, order, route } from './route.ts'

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
    summary: 'Tenants that have or had something, or that something is decided for, in the order of names',
    audit: look,
    query: TenantQuery,
    answers: Type.Object({ items: Type.Array(Tenant), next: Type.Optional(Type.String()) }),
    handle: async ({ query: { limit = 50, after, beginning }, tenants }, { broker }) => {
      const items = await tenantsFrom(broker, { tenants, most: limit, ...present({ after, beginning }) })
      const next = items.length === limit ? items.at(-1)?.name : undefined
      return document({ items, ...present({ next }) })
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
      return document(await detailOf(broker, params.tenant, tenants))
    },
  }),
  route({
    method: 'POST',
    url: '/tenants',
    needs: 'change:tenants',
    tag: 'access',
    summary: 'Decide for a tenant what it sees, how much it may have, where and how its packages run',
    audit: order('tenant.create'),
    body: NewTenant,
    answers: TenantDetail,
    status: 201,
    handle: async ({ body, asker }, ports) => {
      const { name, ...said } = body
      checkEngine(ports, said.engine)
      await createTenant(ports.broker, asker, { name, ...present(fromTenantRule(said)) })
      await ports.takeTenants()
      return document(await detailOf(ports.broker, name))
    },
  }),
  route({
    method: 'PATCH',
    url: '/tenants/:tenant',
    needs: 'change:tenants',
    tag: 'access',
    summary: 'Change what is decided for a tenant; what is absent stays',
    audit: order('tenant.set'),
    params: Type.Object({ tenant: Type.String() }),
    body: ChangedTenant,
    answers: TenantDetail,
    handle: async ({ params, body, asker }, ports) => {
      checkEngine(ports, body.engine ?? undefined)
      await changeTenant(ports.broker, asker, params.tenant, fromTenantRule(body))
      await ports.takeTenants()
      return document(await detailOf(ports.broker, params.tenant))
    },
  }),
  route({
    method: 'DELETE',
    url: '/tenants/:tenant',
    needs: 'change:tenants',
    tag: 'access',
    summary: 'Take away what is decided for a tenant; what it has stays',
    audit: order('tenant.remove'),
    params: Type.Object({ tenant: Type.String() }),
    status: 204,
    handle: async ({ params, asker }, ports) => {
      await removeTenant(ports.broker, asker, params.tenant)
      await ports.takeTenants()
      return nothing
    },
  }),
  route({
    method: 'DELETE',
    url: '/tenants/:tenant/key',
    needs: 'change:tenants',
    tag: 'access',
    summary: 'Erase the key of a tenant that has nothing any more, and with the key all that is sealed of it',
    audit: order('tenant.erase'),
    params: Type.Object({ tenant: Type.String() }),
    status: 204,
    handle: async ({ params, asker }, ports) => {
      await eraseTenant(ports.broker, asker, params.tenant)
      return nothing
    },
  }),
]

/** Of other tenants it names those that the account may know of: all of them, where it decides for tenants. */
async function detailOf(broker: Ports, tenant: string, known: Reach = [everyTenant]) {
  const { rules, lent, ...use } = await wholeUseOf(broker, tenant)
  return {
    ...use,
    lent: lent.filter(({ to }) => known.some((one) => covers(one, to))),
    rules: rules.map(toTenantRule),
  }
}

/** Problems: request.malformed. */
function checkEngine({ engines }: Pick<OperatorPorts, 'engines'>, name: string | undefined): void {
  if (name === undefined || engines.includes(name)) return
  fail('request.malformed', `there is no engine ${name} here; known: ${engines.join(', ')}`, {
    where: { source: 'body', pointer: '/engine' },
  })
}
