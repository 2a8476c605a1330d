/** The audit trail: written with the change, numbered and chained afterwards. */

import { sha256 } from '../kit/hash.ts'
import { canonical, type Json } from '../kit/json.ts'
import type { Reach } from '../model/access.ts'
import type { AuditFilter, AuditObject } from '../model/audit.ts'
import { continuedAction } from '../model/audit.ts'
import { anchorWhenDue } from './audit-anchors.ts'
import { type AuditHead, readHead, writeHead } from './audit-head.ts'
import type { AuditKeys } from './audit-keys.ts'
import type { Row, Session, Value } from './database.ts'
import { compact, json, maybeNumber, maybeText, number, text, toJson } from './row.ts'
import type { AuditRecord, NewAuditRecord } from './store.ts'
import { withinTenants } from './tenants.ts'

const columns = `at, actor, action, object_kind, object_id, object_platform, object_instance, tenant, decision, result, code, request_id, source, node, times`

type Unchained = Omit<AuditRecord, 'seq' | 'prev' | 'hash' | 'isGenuine'>

/** Writes a record down, without its number yet: commits need not wait for one another. */
export async function addAudit(session: Session, record: NewAuditRecord): Promise<void> {
  await session.send(
    `INSERT INTO audit (${columns}) VALUES (now_ms(), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    toJson(record.actor),
    record.action,
    record.object.kind,
    record.object.id,
    record.object.platform ?? null,
    record.object.instance ?? null,
    record.tenant ?? null,
    record.decision,
    record.result,
    record.code ?? null,
    record.requestId,
    record.source ?? null,
    record.node,
    record.times ?? null,
  )
}

/**
 * Numbers and chains records that have no number yet; answers how many. An end of the chain that was not written with the
 * key is gone on from, but told for ever.
 */
export async function chainAudit(session: Session, keys: AuditKeys, most: number): Promise<number> {
  let head = await readHead(session, keys, session.dialect.forUpdate)
  const changed = head.isGenuine ? undefined : head
  if (changed) {
    head = await lastOf(session, changed)
    await addAudit(session, continuation(changed))
  }
  const rows = await session.all(
    `SELECT number, ${columns} FROM audit WHERE seq IS NULL ORDER BY number LIMIT ?`,
    most,
  )
  let { seq, hash: prev } = head
  for (const row of rows) {
    seq++
    const hash = auditHash({ ...unchainedOf(row), seq, prev })
    await session.send(
      'UPDATE audit SET seq = ?, prev = ?, hash = ?, mac = ? WHERE number = ?',
      seq,
      prev,
      hash,
      keys.mac(recordText(hash)),
      number(row, 'number'),
    )
    prev = hash
  }
  if (rows.length > 0) await writeHead(session, keys, { seq, hash: prev })
  if (seq > 0) await anchorWhenDue(session, keys, { seq, hash: prev })
  return rows.length
}

function recordText(hash: string): string {
  return `record\n${hash}`
}

/** Whatever was done to the head, no number is given twice. */
async function lastOf(session: Session, head: AuditHead): Promise<AuditHead> {
  const row = await session.get(
    'SELECT seq, hash FROM audit WHERE seq > ? ORDER BY seq DESC LIMIT 1',
    head.seq,
  )
  return row ? { ...head, seq: number(row, 'seq'), hash: text(row, 'hash') } : head
}

function continuation({ seq, hash }: AuditHead): NewAuditRecord {
  return {
    actor: { kind: 'system', id: 'chandler' },
    action: continuedAction,
    object: { kind: 'audit', id: `${seq} ${hash}` },
    decision: 'allowed',
    result: 'failed',
    code: 'audit.broken',
    requestId: 'audit',
    node: 'store',
  }
}

/** The number of the latest chained record. */
export async function auditHeight(session: Session): Promise<number> {
  const head = await session.get('SELECT seq FROM audit_head WHERE one = 1')
  return head ? number(head, 'seq') : 0
}

/** Chained records after a number, in order. */
export async function readAudit(
  session: Session,
  keys: AuditKeys,
  range: { readonly after: number; readonly most: number; readonly tenants?: Reach | undefined },
): Promise<readonly AuditRecord[]> {
  const [within, ...values] = withinTenants('tenant', range.tenants)
  const rows = await session.all(
    `SELECT seq, prev, hash, mac, ${columns} FROM audit WHERE seq > ? AND ${within} ORDER BY seq LIMIT ?`,
    range.after,
    ...values,
    range.most,
  )
  return rows.map((row) => recordOf(row, keys))
}

/** Chained records that fit, latest first. */
export async function readAuditOf(
  session: Session,
  keys: AuditKeys,
  { object, action, tenants, before, most }: AuditFilter,
): Promise<readonly AuditRecord[]> {
  const [within, ...values] = withinTenants('tenant', tenants)
  const conditions = ['seq IS NOT NULL', within]
  const add = (condition: string, ...given: readonly (Value | undefined)[]): void => {
    const known = given.filter((value) => value !== undefined)
    if (known.length === 0) return
    conditions.push(condition)
    values.push(...known)
  }
  add('(object_id = ? OR object_instance = ?)', object, object)
  add('action = ?', action)
  add('seq < ?', before)
  const rows = await session.all(
    `SELECT seq, prev, hash, mac, ${columns} FROM audit WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`,
    ...values,
    most,
  )
  return rows.map((row) => recordOf(row, keys))
}

/** The number of the latest record, chained or not. */
export async function auditWritten(session: Session): Promise<number> {
  const row = await session.get('SELECT max(number) AS latest FROM audit')
  return row ? (maybeNumber(row, 'latest') ?? 0) : 0
}

function recordOf(row: Row, keys: AuditKeys): AuditRecord {
  const [seq, hash] = [number(row, 'seq'), text(row, 'hash')]
  const isGenuine = seq < keys.from || keys.isMac(recordText(hash), maybeText(row, 'mac'))
  return { ...unchainedOf(row), seq, prev: text(row, 'prev'), hash, isGenuine }
}

/** The hash of a record: SHA-256 over the one before and the canonical JSON of the record without its hash. */
export function auditHash(record: Omit<AuditRecord, 'hash' | 'isGenuine'>): string {
  const { hash: _hash, isGenuine: _isGenuine, ...content } = record as AuditRecord
  return sha256(record.prev + canonical(content as unknown as Json))
}

function unchainedOf(row: Row): Unchained {
  return compact<Unchained>({
    at: number(row, 'at'),
    actor: json<NewAuditRecord['actor']>(row, 'actor'),
    action: text(row, 'action'),
    object: compact<AuditObject>({
      kind: text(row, 'object_kind'),
      id: text(row, 'object_id'),
      platform: maybeText(row, 'object_platform'),
      instance: maybeText(row, 'object_instance'),
    }),
    tenant: maybeText(row, 'tenant'),
    decision: text(row, 'decision') as AuditRecord['decision'],
    result: text(row, 'result') as AuditRecord['result'],
    code: maybeText(row, 'code'),
    requestId: text(row, 'request_id'),
    source: maybeText(row, 'source'),
    node: text(row, 'node'),
    times: maybeNumber(row, 'times'),
  })
}
