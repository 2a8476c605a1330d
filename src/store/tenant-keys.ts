/** The key of its own that each tenant has: made when something is first sealed for the tenant, and erased for good. */
import type { Row, Session, Value } from './database.ts'
import type { Envelope } from './envelope.ts'
import { bytes, text } from './row.ts'
import type { Sealer, Seals, TenantKey } from './sealer.ts'

const columns = 'k.tenant, k.id, k.key_id, k.body'

/** The row that tells the tenant of what has an owner. */
interface Belonging {
  readonly from: string
  readonly where: string
  readonly values: readonly Value[]
}

/** The owner of what an operation has without an owner of its own: its log. */
export function ownerOfOperation(operation: string): string {
  return `operation/${operation}`
}

function belongingOf(owner: string): Belonging | undefined {
  const [kind = '', first = '', second = ''] = owner.split('/')
  switch (kind) {
    case 'instance':
    case 'binding':
      return {
        from: 'instances t',
        where: 't.platform = ? AND t.id = ?',
        values: [first, second].map(decodeURIComponent),
      }
    case 'operation':
      return { from: 'operations t', where: 't.id = ?', values: [first] }
    case 'run':
    case 'hidden':
      return {
        from: 'runs r JOIN operations t ON t.id = r.operation',
        where: 'r.name = ?',
        values: [owner.slice(kind.length + 1)],
      }
    default:
      return undefined
  }
}

/**
 * Seals for the tenant that an owner belongs to, with the key of that tenant, which is made where there is none: nothing can
 * erase it before this transaction ends. An owner without a row, or without a tenant, has the ring alone.
 */
export async function sealsFor(session: Session, sealer: Sealer, owner: string): Promise<Seals> {
  const belonging = belongingOf(owner)
  if (belonging === undefined) return sealer
  const { from, where, values } = belonging
  for (;;) {
    const row = await session.get(
      `SELECT ${columns} FROM ${from} JOIN tenant_keys k ON k.tenant = t.tenant WHERE ${where}${session.dialect.shareKey}`,
      ...values,
    )
    if (row !== undefined) return sealer.within(tenantKeyOf(row))
    const found = await session.get(`SELECT t.tenant FROM ${from} WHERE ${where}`, ...values)
    if (found === undefined) return sealer
    await addTenantKey(session, sealer.makeTenantKey(text(found, 'tenant')))
  }
}

/** Opens for the tenant that an owner belongs to. */
export async function opensFor(session: Session, sealer: Sealer, owner: string): Promise<Seals> {
  const belonging = belongingOf(owner)
  if (belonging === undefined) return sealer
  const { from, where, values } = belonging
  const row = await session.get(
    `SELECT ${columns} FROM ${from} JOIN tenant_keys k ON k.tenant = t.tenant WHERE ${where}`,
    ...values,
  )
  return row === undefined ? sealer : sealer.within(tenantKeyOf(row))
}

/** Another transaction may be making it at the same time: the first one stays. */
async function addTenantKey(session: Session, { tenant, id, sealed }: TenantKey): Promise<void> {
  await session.send(
    'INSERT INTO tenant_keys (tenant, id, key_id, body) VALUES (?, ?, ?, ?) ON CONFLICT (tenant) DO NOTHING',
    tenant,
    id,
    sealed.key,
    sealed.body,
  )
}

/** Wraps up to `most` secrets of tenants that are sealed with other keys of the ring; `wrap` answers undefined for one that does not open. */
export async function rewrapTenantKeys(
  session: Session,
  { others, most }: { readonly others: string; readonly most: number },
  wrap: (key: TenantKey) => Envelope | undefined,
): Promise<void> {
  const rows = await session.all(
    `SELECT ${columns} FROM tenant_keys k WHERE k.key_id IN ${session.dialect.list} LIMIT ?`,
    others,
    most,
  )
  for (const key of rows.map(tenantKeyOf)) {
    const next = wrap(key)
    if (next !== undefined)
      // Whatever another process made of it meanwhile, it is the same secret or none.
      await session.send(
        'UPDATE tenant_keys SET key_id = ?, body = ? WHERE tenant = ? AND id = ?',
        next.key,
        next.body,
        key.tenant,
        key.id,
      )
  }
}

/** Nothing is sealed for the tenant before this transaction ends, if it has a key; false: it has none. */
export async function lockTenantKey(session: Session, tenant: string): Promise<boolean> {
  const { forUpdate } = session.dialect
  return (await session.get(`SELECT id FROM tenant_keys WHERE tenant = ?${forUpdate}`, tenant)) !== undefined
}

/** What is sealed with it can never be opened again. */
export async function eraseTenantKey(session: Session, tenant: string): Promise<void> {
  await session.send('DELETE FROM tenant_keys WHERE tenant = ?', tenant)
}

const isEmpty = `NOT EXISTS (SELECT 1 FROM instances i WHERE i.tenant = k.tenant)
  AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.tenant = k.tenant)`

/** Erases the keys of those of the tenants that nothing is left of, not even the trace of an operation; answers how many. */
export async function eraseKeysOfEmpty(session: Session, tenants: Iterable<string>): Promise<number> {
  let count = 0
  for (const tenant of tenants) {
    const { forUpdate } = session.dialect
    const row = await session.get(
      `SELECT k.id FROM tenant_keys k WHERE k.tenant = ? AND ${isEmpty}${forUpdate}`,
      tenant,
    )
    // Another transaction may have sealed something while this one waited for the row: it is looked at once more.
    if (row !== undefined)
      count += await session.run(
        `DELETE FROM tenant_keys WHERE tenant IN (SELECT k.tenant FROM tenant_keys k WHERE k.tenant = ? AND ${isEmpty})`,
        tenant,
      )
  }
  return count
}

function tenantKeyOf(row: Row): TenantKey {
  return {
    tenant: text(row, 'tenant'),
    id: text(row, 'id'),
    sealed: { key: text(row, 'key_id'), body: bytes(row, 'body') },
  }
}
