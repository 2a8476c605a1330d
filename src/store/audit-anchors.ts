/** Anchors of the audit chain and the sinks that carry them away. */
import { type AuditAnchor, anchorText } from '../model/audit.ts'
import type { AuditHead } from './audit-head.ts'
import type { AuditKeys } from './audit-keys.ts'
import type { Session } from './database.ts'
import { number, text } from './row.ts'
import type { AuditCursor, KeptAnchor } from './store.ts'

/** An anchor is due after so many records, or so long after the last when there is anything new. */
const everyRecords = 1000
const everyMs = 3_600_000

type Point = Pick<AuditHead, 'seq' | 'hash'>

/** Sets an anchor at the end of the chain, when one is due. */
export async function anchorWhenDue(session: Session, keys: AuditKeys, head: Point): Promise<void> {
  const last = await session.get(
    `SELECT seq, at FROM audit_anchors WHERE kind = 'interval' ORDER BY seq DESC LIMIT 1`,
  )
  const grown = head.seq - (last ? number(last, 'seq') : 0)
  if (grown <= 0) return
  const isOld = last === undefined || (await session.now()) - number(last, 'at') >= everyMs
  if (isOld || grown >= everyRecords) await addAnchor(session, keys, 'interval', head)
}

/** Signs and keeps an anchor. */
export async function addAnchor(
  session: Session,
  keys: AuditKeys,
  kind: AuditAnchor['kind'],
  { seq, hash }: Point,
): Promise<void> {
  const at = await session.now()
  const signature = keys.sign(anchorText({ cluster: keys.cluster, kind, seq, at, hash }))
  await session.send(
    'INSERT INTO audit_anchors (kind, seq, at, hash, signature) VALUES (?, ?, ?, ?, ?)',
    kind,
    seq,
    at,
    hash,
    signature,
  )
}

/** Anchors after one, oldest first; one that was not signed with the key says so. */
export async function readAnchors(
  session: Session,
  keys: AuditKeys,
  range: { readonly after: number; readonly most: number },
): Promise<readonly KeptAnchor[]> {
  const rows = await session.all(
    'SELECT number, kind, seq, at, hash, signature FROM audit_anchors WHERE number > ? ORDER BY number LIMIT ?',
    range.after,
    range.most,
  )
  return rows.map((row) => {
    const anchor: AuditAnchor = {
      cluster: keys.cluster,
      kind: text(row, 'kind') as AuditAnchor['kind'],
      seq: number(row, 'seq'),
      at: number(row, 'at'),
      hash: text(row, 'hash'),
      publicKey: keys.publicKey,
      signature: text(row, 'signature'),
    }
    // Ed25519 signs the same text the same way each time.
    const isGenuine = keys.sign(anchorText(anchor)) === anchor.signature
    return { anchor, number: number(row, 'number'), isGenuine }
  })
}

/** Up to where records were removed because of their age, the key's word for it. */
export async function readRetained(session: Session, keys: AuditKeys): Promise<Point | undefined> {
  const row = await session.get(
    `SELECT number FROM audit_anchors WHERE kind = 'retention' ORDER BY seq DESC LIMIT 1`,
  )
  if (row === undefined) return undefined
  const [found] = await readAnchors(session, keys, { after: number(row, 'number') - 1, most: 1 })
  return found?.isGenuine ? found.anchor : undefined
}

/** How far a sink has got. */
export async function readCursor(session: Session, sink: string): Promise<AuditCursor> {
  const row = await session.get('SELECT record, anchor FROM audit_sinks WHERE name = ?', sink)
  return row ? { record: number(row, 'record'), anchor: number(row, 'anchor') } : { record: 0, anchor: 0 }
}

/** Writes down how far a sink has got. */
export async function putCursor(
  session: Session,
  sink: string,
  { record, anchor }: AuditCursor,
): Promise<void> {
  await session.send(
    `INSERT INTO audit_sinks (name, record, anchor) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET record = excluded.record, anchor = excluded.anchor`,
    sink,
    record,
    anchor,
  )
}
