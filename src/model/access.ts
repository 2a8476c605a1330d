/** Access of accounts: permissions, the roles that bundle them, grants of roles in tenants, and the one judgement. */

/** Where a permission must be held: `any` tenant, the `tenant` of its object, or `all` of them. */
type Extent = 'any' | 'tenant' | 'all'

/** Every permission, as a verb and what it is done to. */
export const permissions = {
  'read:broker': 'any',
  'read:catalog': 'any',
  'read:packages': 'any',
  'read:tenants': 'any',
  'create:tokens': 'any',
  'use:osb': 'any',
  'create:packages': 'tenant',
  'delete:packages': 'tenant',
  'read:instances': 'tenant',
  'create:instances': 'tenant',
  'update:instances': 'tenant',
  'delete:instances': 'tenant',
  'invoke:instances': 'tenant',
  'adopt:instances': 'tenant',
  'purge:instances': 'tenant',
  'repin:instances': 'tenant',
  'read:outputs': 'tenant',
  'read:bindings': 'tenant',
  'create:bindings': 'tenant',
  'delete:bindings': 'tenant',
  'read:credentials': 'tenant',
  'read:operations': 'tenant',
  'read:logs': 'tenant',
  'cancel:operations': 'tenant',
  'retry:operations': 'tenant',
  'force:operations': 'tenant',
  'release:operations': 'tenant',
  'read:audit': 'tenant',
  'read:cluster': 'all',
  'examine:broker': 'all',
  'freeze:broker': 'all',
  'change:tenants': 'all',
  'read:accounts': 'all',
  'change:accounts': 'all',
  'read:keys': 'all',
  'change:keys': 'all',
  'create:backups': 'all',
  'read:support': 'all',
} as const satisfies Readonly<Record<string, Extent>>

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as readonly Permission[]

export function isPermission(text: string): text is Permission {
  return Object.hasOwn(permissions, text)
}

const looks: readonly Permission[] = [
  'read:broker',
  'create:tokens',
  'read:catalog',
  'read:packages',
  'read:tenants',
  'read:instances',
  'read:bindings',
  'read:operations',
  'read:logs',
]

const developing: readonly Permission[] = [
  ...looks,
  'create:instances',
  'update:instances',
  'delete:instances',
  'invoke:instances',
  'read:outputs',
  'create:bindings',
  'delete:bindings',
  'read:credentials',
  'cancel:operations',
  'retry:operations',
]

const authoring: readonly Permission[] = [...developing, 'create:packages', 'delete:packages']

/** The roles that are always there. */
export const roles = {
  platform: ['use:osb'],
  viewer: [...looks, 'read:cluster'],
  developer: developing.filter((one) => one !== 'read:packages'),
  author: authoring,
  operator: [
    ...authoring,
    'use:osb',
    'read:cluster',
    'adopt:instances',
    'purge:instances',
    'repin:instances',
    'force:operations',
    'release:operations',
    'examine:broker',
    'freeze:broker',
    'change:tenants',
    'read:support',
  ],
  admin: [
    'read:broker',
    'create:tokens',
    'read:tenants',
    'change:tenants',
    'read:cluster',
    'examine:broker',
    'read:accounts',
    'change:accounts',
    'read:keys',
    'change:keys',
    'create:backups',
  ],
  auditor: ['read:broker', 'create:tokens', 'read:audit'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>

/** All roles there are, those of the configuration among them. */
export type Roles = ReadonlyMap<string, readonly Permission[]>

/** A role in a tenant: its name, `NAME/*` for all below it, or `*` for all there are. */
export interface Grant {
  readonly role: string
  readonly tenant: string
}

export const everyTenant = '*'

/** Everything someone may do: for each permission the tenants it is held in. */
export type Access = ReadonlyMap<Permission, Reach>

/** Tenants, written as grants write them. */
export type Reach = readonly string[]

/** What grants come to; a role that is not there any more gives nothing. */
export function accessOf(grants: readonly Grant[], known: Roles): Access {
  const access = new Map<Permission, Set<string>>()
  for (const { role, tenant } of grants) {
    for (const permission of known.get(role) ?? []) {
      const tenants = access.get(permission) ?? new Set()
      access.set(permission, tenants.add(tenant))
    }
  }
  return new Map([...access].map(([permission, tenants]) => [permission, widest([...tenants])]))
}

/** What is left out lies within another one. */
function widest(tenants: readonly string[]): Reach {
  return tenants.filter((one) => !tenants.some((other) => other !== one && covers(other, one))).sort()
}

/** Whether a tenant, or all that is written so, lies within what a grant or a rule names. */
export function covers(granted: string, tenant: string): boolean {
  if (granted === everyTenant || granted === tenant) return true
  return granted.endsWith('/*') && tenant.startsWith(granted.slice(0, -1))
}

/** What both come to: a permission where each of them holds it. */
export function withinAccess(access: Access, bounds: Access): Access {
  return new Map(
    [...access].map(([permission, tenants]) => {
      const bound = bounds.get(permission) ?? []
      const kept = [
        ...tenants.filter((one) => bound.some((other) => covers(other, one))),
        ...bound.filter((one) => tenants.some((other) => covers(other, one))),
      ]
      return [permission, widest([...new Set(kept)])]
    }),
  )
}

/** The tenants that a permission is held in; none: it is not held at all. */
export function reachOf(access: Access, permission: Permission): Reach {
  const tenants = access.get(permission) ?? []
  return permissions[permission] === 'all' ? tenants.filter((one) => one === everyTenant) : tenants
}

/** Whether these are all tenants, those to come among them. */
export function isEverywhere(reach: Reach): boolean {
  return reach.includes(everyTenant)
}

/** The one judgement. Of what belongs to no tenant, holding the permission anywhere is enough, unless it takes all of them. */
export function permits(access: Access, permission: Permission, tenant: string | undefined): boolean {
  const reach = reachOf(access, permission)
  if (tenant === undefined || permissions[permission] !== 'tenant') return reach.length > 0
  return reach.some((one) => covers(one, tenant))
}
