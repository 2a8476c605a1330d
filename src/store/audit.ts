/** The audit trail: written with the change, numbered and chained afterwards. */
import { sha256 } from '../kit/hash.ts'
import { canonical, type Json } from '../kit/json.ts'
import type { Row, Session } from './database.ts'
import { compact, json, maybeNumber, maybeText, number, text, toJson } from './row.ts'
import type { AuditRecord, NewAuditRecord } from './store.ts'

const columns = `at, actor, action, object_kind, object_id, decision, result, code, request_id, source, node, times`

type Unchained = Omit<AuditRecord, 'seq' | 'prev' | 'hash'>

/** Writes a record down, without its number yet: commits need not wait for one another. */
export async function addAudit(session: Session, record: NewAuditRecord): Promise<void> {
  await session.send(
    `INSERT INTO audit (${columns}) VALUES (now_ms(), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    toJson(record.actor),
    record.action,
    record.object.kind,
    record.object.id,
    record.decision,
    record.result,
    record.code ?? null,
    record.requestId,
    record.source ?? null,
    record.node,
    record.times ?? null,
  )
}

/** Numbers and chains records that have no number yet; answers how many. */
export async function chainAudit(session: Session, most: number): Promise<number> {
  const head = await session.get(`SELECT seq, hash FROM audit_head WHERE one = 1${session.dialect.forUpdate}`)
  let seq = head ? number(head, 'seq') : 0
  let prev = head ? text(head, 'hash') : ''
  const rows = await session.all(
    `SELECT number, ${columns} FROM audit WHERE seq IS NULL ORDER BY number LIMIT ?`,
    most,
  )
  for (const row of rows) {
    seq++
    const hash = auditHash({ ...unchainedOf(row), seq, prev })
    await session.send(
      'UPDATE audit SET seq = ?, prev = ?, hash = ? WHERE number = ?',
      seq,
      prev,
      hash,
      number(row, 'number'),
    )
    prev = hash
  }
  if (rows.length > 0) await session.send('UPDATE audit_head SET seq = ?, hash = ? WHERE one = 1', seq, prev)
  return rows.length
}

/** The number of the latest chained record. */
export async function auditHeight(session: Session): Promise<number> {
  const head = await session.get('SELECT seq FROM audit_head WHERE one = 1')
  return head ? number(head, 'seq') : 0
}

/** Chained records after a number, in order. */
export async function readAudit(
  session: Session,
  after: number,
  most: number,
): Promise<readonly AuditRecord[]> {
  const rows = await session.all(
    `SELECT seq, prev, hash, ${columns} FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`,
    after,
    most,
  )
  return rows.map((row) => ({
    ...unchainedOf(row),
    seq: number(row, 'seq'),
    prev: text(row, 'prev'),
    hash: text(row, 'hash'),
  }))
}

/** The hash of a record: SHA-256 over the one before and the canonical JSON of the record without its hash. */
export function auditHash(record: Omit<AuditRecord, 'hash'>): string {
  const { hash: _, ...content } = record as AuditRecord
  return sha256(record.prev + canonical(content as unknown as Json))
}

function unchainedOf(row: Row): Unchained {
  return compact<Unchained>({
    at: number(row, 'at'),
    actor: json<NewAuditRecord['actor']>(row, 'actor'),
    action: text(row, 'action'),
    object: { kind: text(row, 'object_kind'), id: text(row, 'object_id') },
    decision: text(row, 'decision') as AuditRecord['decision'],
    result: text(row, 'result') as AuditRecord['result'],
    code: maybeText(row, 'code'),
    requestId: text(row, 'request_id'),
    source: maybeText(row, 'source'),
    node: text(row, 'node'),
    times: maybeNumber(row, 'times'),
  })
}
