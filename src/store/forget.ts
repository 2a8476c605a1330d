/** Removes what its retention has passed, in bounded batches, oldest first. */
import { ulid } from '../kit/id.ts'
import { auditHash, readAudit } from './audit.ts'
import { addAnchor, readRetained } from './audit-anchors.ts'
import type { AuditKeys } from './audit-keys.ts'
import type { Session, Value } from './database.ts'
import { idempotencyOwner } from './idempotency.ts'
import { eraseHiddenIn, hiddenOwner, pieceOf } from './logs.ts'
import { number, text } from './row.ts'
import type { Retention } from './store.ts'
import { eraseKeysOfEmpty, ownerOfOperation } from './tenant-keys.ts'

const dayMs = 86_400_000

interface Bound {
  readonly now: number
  readonly most: number
  readonly keys: AuditKeys
  /** Told when keys of tenants went, too. */
  erased(): void
}

/** Removes up to `most` things; answers how many. */
export async function forgetOld(session: Session, retention: Retention, bound: Bound): Promise<number> {
  const before = (days: number): number => bound.now - days * dayMs
  const tenants = new Set<string>()
  const steps: readonly ((most: number) => Promise<number>)[] = [
    (most) => forgetOperations(session, { before: before(retention.operationDays), most, tenants }),
    (most) => forgetLogs(session, before(retention.logDays), most),
    (most) => forgetGone(session, { before: before(retention.goneDays), most, tenants }),
    (most) => forgetAudit(session, bound.keys, { before: before(retention.auditDays), most }),
    (most) => forgetAnswers(session, before(1), most),
    () => session.run('DELETE FROM tombstones WHERE until < ?', bound.now),
    () => session.run('DELETE FROM ended_sessions WHERE until < ?', bound.now),
    () => session.run('DELETE FROM tokens WHERE expires_at < ?', before(30)),
    () => session.run('DELETE FROM nodes WHERE heartbeat_at < ?', before(1)),
  ]
  let count = 0
  for (const step of steps) if (count < bound.most) count += await step(bound.most - count)
  if ((await eraseKeysOfEmpty(session, tenants)) > 0) bound.erased()
  // The file shrinks a little with each call; all at once would keep everyone waiting.
  if (count > 0 && session.dialect.name === 'sqlite') await session.all('PRAGMA incremental_vacuum(256)')
  return count
}

/** What is forgotten at once, and the tenants that it belonged to. */
interface Batch {
  readonly before: number
  readonly most: number
  readonly tenants: Set<string>
}

async function forgetOperations(session: Session, { before, most, tenants }: Batch): Promise<number> {
  // Ids begin with their time, so the table's own order finds the old ones without an index for it.
  const ceiling = ulid(Math.max(0, before), { bytes: (count) => new Uint8Array(count) })
  const rows = await session.all(
    'SELECT id, tenant FROM operations WHERE id < ? AND ended = 1 AND finished_at < ? ORDER BY id LIMIT ?',
    ceiling,
    before,
    most,
  )
  if (rows.length === 0) return 0
  for (const row of rows) tenants.add(text(row, 'tenant'))
  const ids = rows.map((row) => text(row, 'id'))
  await eraseSealedOf(session, ids)
  const { list } = session.dialect
  for (const table of ['history', 'runs'])
    await session.run(`DELETE FROM ${table} WHERE operation IN ${list}`, JSON.stringify(ids))
  await session.run(`DELETE FROM operations WHERE id IN ${list}`, JSON.stringify(ids))
  return rows.length
}

/** What is sealed of operations: their orders, their runs, their logs. */
async function eraseSealedOf(session: Session, operations: readonly string[]): Promise<void> {
  const { list } = session.dialect
  const ids = JSON.stringify(operations)
  const runs = await session.all(`SELECT name FROM runs WHERE operation IN ${list}`, ids)
  const owners = [
    ...operations.map(ownerOfOperation),
    ...runs.flatMap((row) => [`run/${text(row, 'name')}`, hiddenOwner(text(row, 'name'))]),
  ]
  await session.run(`DELETE FROM sealed WHERE owner IN ${list}`, JSON.stringify(owners))
  await session.run(`DELETE FROM logs WHERE operation IN ${list}`, ids)
}

/** Erases what is sealed of ended operations of a tenant, in the order of ids; answers the last one, if there was one. */
export async function eraseEnded(
  session: Session,
  { tenant, after, most }: { readonly tenant: string; readonly after: string; readonly most: number },
): Promise<string | undefined> {
  const rows = await session.all(
    'SELECT id FROM operations WHERE tenant = ? AND id > ? AND ended = 1 ORDER BY id LIMIT ?',
    tenant,
    after,
    most,
  )
  const ids = rows.map((row) => text(row, 'id'))
  if (ids.length > 0) await eraseSealedOf(session, ids)
  return ids.at(-1)
}

/** Log pieces are numbered as they come, so the oldest have the lowest numbers. */
async function forgetLogs(session: Session, before: number, most: number): Promise<number> {
  const rows = await session.all(
    'SELECT number, at, run, step, stream, position FROM logs ORDER BY number LIMIT ?',
    most,
  )
  const last = rows.findLast((row) => number(row, 'at') < before)
  if (last === undefined) return 0
  await eraseHiddenIn(session, rows.filter((row) => number(row, 'at') < before).map(pieceOf))
  return session.run('DELETE FROM logs WHERE number <= ? AND at < ?', number(last, 'number'), before)
}

async function forgetGone(session: Session, { before, most, tenants }: Batch): Promise<number> {
  const bindings = await session.all(
    `SELECT platform, instance, id FROM bindings WHERE state = 'gone' AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    before,
    most,
  )
  for (const row of bindings)
    await session.run(
      'DELETE FROM bindings WHERE platform = ? AND instance = ? AND id = ?',
      ...keys(row, 'platform', 'instance', 'id'),
    )
  const instances = await session.all(
    `SELECT platform, id, tenant FROM instances WHERE state = 'gone' AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    before,
    most - bindings.length,
  )
  for (const row of instances) {
    tenants.add(text(row, 'tenant'))
    await session.run('DELETE FROM instances WHERE platform = ? AND id = ?', ...keys(row, 'platform', 'id'))
  }
  return bindings.length + instances.length
}

/**
 * Only a whole prefix goes, and an anchor says so: what is left begins with the hash of what went. A record that does
 * not follow the one before it stays, with all behind it: its age is no more to be believed than the rest of it.
 */
async function forgetAudit(
  session: Session,
  keys: AuditKeys,
  { before, most }: { readonly before: number; readonly most: number },
): Promise<number> {
  let last = (await readRetained(session, keys)) ?? { seq: 0, hash: '' }
  let count = 0
  for (const record of await readAudit(session, keys, { after: 0, most })) {
    const follows = record.seq === last.seq + 1 && record.prev === last.hash && record.isGenuine
    if (!follows || auditHash(record) !== record.hash || record.at >= before) break
    last = record
    count++
  }
  if (count === 0) return 0
  await session.run('DELETE FROM audit WHERE seq <= ?', last.seq)
  await session.run('DELETE FROM audit_anchors WHERE seq < ?', last.seq)
  await addAnchor(session, keys, 'retention', last)
  return count
}

async function forgetAnswers(session: Session, before: number, most: number): Promise<number> {
  const rows = await session.all(
    'SELECT scope, key FROM idempotency WHERE at < ? ORDER BY at LIMIT ?',
    before,
    most,
  )
  for (const row of rows) {
    await session.run(
      'DELETE FROM sealed WHERE owner = ?',
      idempotencyOwner(text(row, 'scope'), text(row, 'key')),
    )
    await session.run('DELETE FROM idempotency WHERE scope = ? AND key = ?', ...keys(row, 'scope', 'key'))
  }
  return rows.length
}

function keys(row: Parameters<typeof text>[0], ...columns: readonly string[]): readonly Value[] {
  return columns.map((column) => text(row, column))
}
