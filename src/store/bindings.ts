/** Bindings as rows. */
import type { Reach } from '../model/access.ts'
import type { Binding, BindingKey, InstanceKey } from '../model/instance.ts'
import type { Row, Session, Value } from './database.ts'
import type { BindingFilter } from './filters.ts'
import { compact, maybeNumber, maybeText, number, text } from './row.ts'
import { withinTenants } from './tenants.ts'

const columns = `platform, instance, id, state, current_operation, service_id, plan_id, predecessor, expires_at,
  created_at, updated_at`

const select = `SELECT ${columns} FROM bindings WHERE platform = ? AND instance = ? AND id = ?`

const insert = `INSERT INTO bindings (state, current_operation, service_id, plan_id, predecessor, expires_at,
  created_at, updated_at, platform, instance, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const update = `UPDATE bindings SET state = ?, current_operation = ?, service_id = ?, plan_id = ?, predecessor = ?,
  expires_at = ?, created_at = ?, updated_at = ? WHERE platform = ? AND instance = ? AND id = ?`

/** One binding, or undefined. */
export async function findBinding(session: Session, key: BindingKey): Promise<Binding | undefined> {
  const row = await session.get(select, key.platform, key.instance, key.binding)
  return row && bindingOf(row)
}

/** One binding, locked until the end of the transaction. */
export async function lockBinding(session: Session, key: BindingKey): Promise<Binding | undefined> {
  const row = await session.get(select + session.dialect.forUpdate, key.platform, key.instance, key.binding)
  return row && bindingOf(row)
}

/** Writes a row that is there already, or one that is not. */
export async function putBinding(session: Session, binding: Binding, isThere: boolean): Promise<void> {
  await session.send(isThere ? update : insert, ...valuesOf(binding))
}

const selectAll = `SELECT ${columns} FROM bindings WHERE platform = ? AND instance = ? ORDER BY id`

/** All bindings of an instance, in the order of ids. */
export async function listBindings(session: Session, key: InstanceKey): Promise<readonly Binding[]> {
  return (await session.all(selectAll, key.platform, key.instance)).map(bindingOf)
}

/** Bindings that are not gone, of whatever instance, whose id begins so. */
export async function listBindingsNamed(
  session: Session,
  { beginning, tenants, most }: BindingFilter,
): Promise<readonly Binding[]> {
  const [condition, ...values] = withinTenants('i.tenant', tenants)
  const rows = await session.all(
    `SELECT ${columns} FROM bindings WHERE id >= ? AND id < ? AND state <> 'gone' AND EXISTS (
      SELECT 1 FROM instances i WHERE i.platform = bindings.platform AND i.id = bindings.instance AND ${condition}
    ) ORDER BY id LIMIT ?`,
    beginning,
    `${beginning}\u{10ffff}`,
    ...values,
    most,
  )
  return rows.map(bindingOf)
}

/** Bindings of tenants that are neither gone nor failed. */
export async function countBindings(session: Session, tenants: Reach): Promise<number> {
  const [within, ...values] = withinTenants('i.tenant', tenants)
  const row = await session.get(
    `SELECT count(*) AS many FROM instances i
      JOIN bindings b ON b.platform = i.platform AND b.instance = i.id
      WHERE b.state NOT IN ('gone', 'failed') AND ${within}`,
    ...values,
  )
  return row ? number(row, 'many') : 0
}

/** All bindings of an instance, locked until the end of the transaction. */
export async function lockBindings(session: Session, key: InstanceKey): Promise<readonly Binding[]> {
  const rows = await session.all(selectAll + session.dialect.forUpdate, key.platform, key.instance)
  return rows.map(bindingOf)
}

function bindingOf(row: Row): Binding {
  return compact<Binding>({
    platform: text(row, 'platform'),
    instance: text(row, 'instance'),
    binding: text(row, 'id'),
    state: text(row, 'state') as Binding['state'],
    currentOperation: maybeText(row, 'current_operation'),
    serviceId: text(row, 'service_id'),
    planId: text(row, 'plan_id'),
    predecessor: maybeText(row, 'predecessor'),
    expiresAt: maybeNumber(row, 'expires_at'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  })
}

function valuesOf(binding: Binding): readonly Value[] {
  return [
    binding.state,
    binding.currentOperation ?? null,
    binding.serviceId,
    binding.planId,
    binding.predecessor ?? null,
    binding.expiresAt ?? null,
    binding.createdAt,
    binding.updatedAt,
    binding.platform,
    binding.instance,
    binding.binding,
  ]
}
