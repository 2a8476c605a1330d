/** Packages that authors offer to their own tenants, as rows. */
import type { SandboxPackage } from '../model/sandbox.ts'
import type { Row, Session } from './database.ts'
import { compact, json, maybeText, text, toJson } from './row.ts'

/** All of them, in the order of tenants and names: each tenant has few. */
export async function listSandboxPackages(session: Session): Promise<readonly SandboxPackage[]> {
  const rows = await session.all(
    'SELECT tenant, name, reference, contract, shared_with, account FROM sandbox_packages ORDER BY tenant, name',
  )
  return rows.map(packageOf)
}

/** Writes a row, new or changed. */
export async function putSandboxPackage(session: Session, one: SandboxPackage): Promise<void> {
  await session.send(
    `INSERT INTO sandbox_packages (tenant, name, reference, contract, shared_with, account, changed_at)
      VALUES (?, ?, ?, ?, ?, ?, now_ms())
      ON CONFLICT (tenant, name) DO UPDATE SET reference = excluded.reference, contract = excluded.contract,
        shared_with = excluded.shared_with, account = excluded.account, changed_at = excluded.changed_at`,
    one.tenant,
    one.name,
    one.reference,
    one.contract ?? null,
    toJson(one.sharedWith),
    one.by,
  )
}

/** Removes a row; false: there is none. */
export async function removeSandboxPackage(session: Session, tenant: string, name: string): Promise<boolean> {
  const removed = await session.get(
    'DELETE FROM sandbox_packages WHERE tenant = ? AND name = ? RETURNING name',
    tenant,
    name,
  )
  return removed !== undefined
}

function packageOf(row: Row): SandboxPackage {
  return compact<SandboxPackage>({
    tenant: text(row, 'tenant'),
    name: text(row, 'name'),
    reference: text(row, 'reference'),
    contract: maybeText(row, 'contract'),
    sharedWith: json<readonly string[]>(row, 'shared_with'),
    by: text(row, 'account'),
  })
}
