/** Tenants as conditions of a query, and the list of them. */
import { everyTenant, type Reach } from '../model/access.ts'
import type { InstanceKey } from '../model/instance.ts'
import type { Session, Value } from './database.ts'
import type { TenantCount, TenantFilter } from './filters.ts'
import { maybeText, number, text } from './row.ts'

/** A condition that only rows of these tenants meet, and its values. */
export function withinTenants(
  column: string,
  tenants: Reach | undefined,
): readonly [string, ...(readonly Value[])] {
  if (tenants === undefined || tenants.includes(everyTenant)) return ['1 = 1']
  if (tenants.length === 0) return ['1 = 0']
  const each = tenants.map((one): readonly [string, ...(readonly Value[])] => {
    if (!one.endsWith('/*')) return [`${column} = ?`, one]
    const below = one.slice(0, -1)
    return [`${column} >= ? AND ${column} < ?`, below, `${below}\u{10ffff}`]
  })
  return [
    `(${each.map(([condition]) => condition).join(' OR ')})`,
    ...each.flatMap(([, ...values]) => values),
  ]
}

// One row also where there is nothing, so that as much is done for it.
const tenantOfInstance = 'SELECT (SELECT tenant FROM instances WHERE platform = ? AND id = ?) AS tenant'
const tenantOfOperation = 'SELECT (SELECT tenant FROM operations WHERE id = ?) AS tenant'

/** The tenant of an instance or an operation; undefined: it is not there. */
export async function findTenant(
  session: Session,
  thing: InstanceKey | { readonly operation: string },
): Promise<string | undefined> {
  const row =
    'operation' in thing
      ? await session.get(tenantOfOperation, thing.operation)
      : await session.get(tenantOfInstance, thing.platform, thing.instance)
  return row && maybeText(row, 'tenant')
}

/** Tenants that have or had something, in the order of names. */
export async function listTenants(session: Session, filter: TenantFilter): Promise<readonly TenantCount[]> {
  const { beginning } = filter
  const [condition, ...values] = withinTenants('tenant', filter.tenants)
  const rows = await session.all(
    `SELECT tenant, sum(CASE state WHEN 'gone' THEN 0 ELSE 1 END) AS many,
        (SELECT count(*) FROM instances i JOIN bindings b ON b.platform = i.platform AND b.instance = i.id
          WHERE i.tenant = instances.tenant AND b.state NOT IN ('gone', 'failed')) AS bound
      FROM instances WHERE tenant > ? ${beginning === undefined ? '' : 'AND tenant >= ? AND tenant < ?'}
        AND ${condition} GROUP BY tenant ORDER BY tenant LIMIT ?`,
    filter.after ?? '',
    ...(beginning === undefined ? [] : [beginning, `${beginning}\u{10ffff}`]),
    ...values,
    filter.most,
  )
  return rows.map((row) => ({
    name: text(row, 'tenant'),
    instances: number(row, 'many'),
    bindings: number(row, 'bound'),
  }))
}

/** What tells of a change, each found at the end of an index. */
const signs = [
  'max(updated_at) AS latest FROM instances WHERE',
  'max(id) AS latest FROM operations WHERE',
  'max(finished_at) AS latest FROM operations WHERE finished_at IS NOT NULL AND',
] as const

/** Another text whenever something of these tenants was ordered, ended or changed. */
export async function changeMark(session: Session, tenants: Reach): Promise<string> {
  const seen: (Value | undefined)[] = []
  for (const tenant of tenants) {
    const [condition, ...values] = withinTenants('tenant', [tenant])
    for (const sign of signs) {
      const row = await session.get(`SELECT ${sign} ${condition}`, ...values)
      seen.push(row?.['latest'])
    }
  }
  return seen.map(String).join(' ')
}
