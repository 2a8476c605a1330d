/** What is decided for tenants by command, as rows. */
import type { TenantRule } from '../model/tenant-rule.ts'
import type { StoredTenantRule } from './account-rows.ts'
import type { Row, Session } from './database.ts'
import { json, number, text, toJson } from './row.ts'

/** All of them, in the order of names: operators write them, so there are few. */
export async function listTenantRules(session: Session): Promise<readonly StoredTenantRule[]> {
  const rows = await session.all('SELECT name, rule, changed_at FROM tenant_rules ORDER BY name')
  return rows.map(ruleOf)
}

/** One of them, locked until the end of the transaction. */
export async function lockTenantRule(session: Session, name: string): Promise<StoredTenantRule | undefined> {
  const { forUpdate } = session.dialect
  const row = await session.get(
    `SELECT name, rule, changed_at FROM tenant_rules WHERE name = ?${forUpdate}`,
    name,
  )
  return row && ruleOf(row)
}

/** Writes a new row; false: there is one of this name. */
export async function addTenantRule(session: Session, rule: TenantRule): Promise<boolean> {
  const { name, ...said } = rule
  const added = await session.get(
    `INSERT INTO tenant_rules (name, rule, changed_at) VALUES (?, ?, now_ms())
      ON CONFLICT (name) DO NOTHING RETURNING name`,
    name,
    toJson(said),
  )
  return added !== undefined
}

/** Writes what a row says. */
export async function putTenantRule(session: Session, rule: TenantRule): Promise<void> {
  const { name, ...said } = rule
  await session.send(
    'UPDATE tenant_rules SET rule = ?, changed_at = now_ms() WHERE name = ?',
    toJson(said),
    name,
  )
}

/** Removes a row. */
export async function removeTenantRule(session: Session, name: string): Promise<void> {
  await session.send('DELETE FROM tenant_rules WHERE name = ?', name)
}

function ruleOf(row: Row): StoredTenantRule {
  return { ...json<TenantRule>(row, 'rule'), name: text(row, 'name'), changedAt: number(row, 'changed_at') }
}
