/** The cluster's own row: made at the first start, and the check that this ring belongs to this database. */
import type { Chance, Clock } from '../kit/clock.ts'
import { ulid } from '../kit/id.ts'
import { fail } from '../model/problem.ts'
import { addAudit } from './audit.ts'
import { addAnchor } from './audit-anchors.ts'
import { writeHead } from './audit-head.ts'
import { type AuditKeys, auditKeysOf } from './audit-keys.ts'
import type { Session } from './database.ts'
import { keyOf, unsealBytes } from './envelope.ts'
import type { FreshRing, KeyRing } from './keys.ts'
import { bytes, number, text } from './row.ts'
import { makeSealer, placeOf, type Sealer } from './sealer.ts'
import { keysInUse } from './sealing.ts'

const owner = 'cluster'
const name = 'check'

/** What the check record holds: a sentence, and the secret of the audit chain. Of an earlier release: the sentence only. */
interface Check {
  readonly says: string
  readonly audit: string
  readonly auditFrom: number
}

const says = 'This key ring belongs to this database.'
const auditSecretBytes = 32

/** What a process of this cluster seals and signs with. */
export interface ClusterKeys {
  readonly sealer: Sealer
  readonly audit: AuditKeys
}

/**
 * Makes the row, and the ring itself, where there is none; else tries the ring on what is there, and nothing is written
 * then but the secret of the audit chain, should an earlier release have made none. The caller's transaction holds the
 * lock of the schema, so of several first starts one makes all of it. Problems: key.missing, key.wrong.
 */
export async function openCluster(session: Session, hands: Hands): Promise<ClusterKeys> {
  const found = await session.get('SELECT id FROM cluster WHERE one = 1')
  if (found === undefined) return makeCluster(session, hands)
  const check = await tryRing(session, hands.keys)
  const cluster = text(found, 'id')
  const sealer = makeSealer(hands.keys, hands.chance, cluster)
  const known = Buffer.from(check).toString()
  return {
    sealer,
    audit: known === says ? await takeChainOver(session, hands, sealer, cluster) : auditOf(known, cluster),
  }
}

interface Hands {
  readonly keys: KeyRing
  readonly chance: Chance
  readonly clock: Clock
}

async function makeCluster(session: Session, { keys, chance, clock }: Hands): Promise<ClusterKeys> {
  const cluster = ulid(clock.now(), chance)
  keys.make()
  const sealer = makeSealer(keys, chance, cluster)
  const content = newCheck(chance, 1)
  const check = sealer.seal(owner, name, Buffer.from(content))
  await session.send(
    'INSERT INTO cluster (one, id, epoch, check_key, check_body) VALUES (1, ?, 1, ?, ?)',
    cluster,
    check.key,
    check.body,
  )
  const audit = auditOf(content, cluster)
  await writeHead(session, audit, { seq: 0, hash: '' })
  return { sealer, audit }
}

/** A chain of an earlier release goes on with a key; a record says where that began. */
async function takeChainOver(
  session: Session,
  { chance }: Hands,
  sealer: Sealer,
  cluster: string,
): Promise<AuditKeys> {
  const row = (await session.get('SELECT seq, hash FROM audit_head WHERE one = 1')) ?? {}
  const head = { seq: number(row, 'seq'), hash: text(row, 'hash') }
  const content = newCheck(chance, head.seq + 1)
  const check = sealer.seal(owner, name, Buffer.from(content))
  await session.send('UPDATE cluster SET check_key = ?, check_body = ? WHERE one = 1', check.key, check.body)
  const audit = auditOf(content, cluster)
  await writeHead(session, audit, head)
  const [first] = await session.all('SELECT seq, prev FROM audit WHERE seq IS NOT NULL ORDER BY seq LIMIT 1')
  const gone = first ? { seq: number(first, 'seq') - 1, hash: text(first, 'prev') } : head
  if (gone.seq > 0) await addAnchor(session, audit, 'retention', gone)
  await addAudit(session, {
    actor: { kind: 'system', id: 'chandler' },
    action: 'audit.keyed',
    object: { kind: 'audit', id: `${head.seq} ${head.hash}` },
    decision: 'allowed',
    result: 'succeeded',
    requestId: 'migration',
    node: 'store',
  })
  return audit
}

function newCheck(chance: Chance, auditFrom: number): string {
  const audit = Buffer.from(chance.bytes(auditSecretBytes)).toString('base64')
  return JSON.stringify({ says, audit, auditFrom } satisfies Check)
}

function auditOf(check: string, cluster: string): AuditKeys {
  const { audit, auditFrom } = JSON.parse(check) as Check
  return auditKeysOf(Buffer.from(audit, 'base64'), { cluster, from: auditFrom })
}

/** What the check record holds, if the ring opens it and has every key in use. Problems: key.missing, key.wrong. */
export async function tryRing(session: Session, ring: FreshRing['ring']): Promise<Uint8Array> {
  // Fails where there is no ring at all.
  ring.active()
  const row = (await session.get('SELECT id, check_key, check_body FROM cluster WHERE one = 1')) ?? {}
  const check = { key: text(row, 'check_key'), body: bytes(row, 'check_body') }
  // A key of another ring may have the same id: only opening tells.
  if (ring.find(check.key) === undefined) fail('key.wrong', `key ${check.key} is not on it`)
  const opened = unsealBytes(ring, placeOf(text(row, 'id'), owner, name), check)
  const lacking = (await keysInUse(session)).filter((id) => ring.find(id) === undefined)
  if (lacking.length > 0)
    fail('key.missing', `records are sealed with ${lacking.join(', ')}, not on the ring`)
  return opened
}

/**
 * Takes over the ring as it is kept now, if it is still the ring of this database and of this process; answers whether
 * it was another one. Problems: key.missing, key.wrong, key.exposed.
 */
export async function takeRing(session: Session, keys: KeyRing): Promise<boolean> {
  const fresh = keys.fresh()
  if (!fresh.differs) return false
  const active = keys.active()
  // Something may be sealed with it that is not committed yet.
  if (fresh.ring.find(active) === undefined)
    fail('key.missing', `key ${active}, with which this broker seals, is not on the ring`)
  const changed = keys.ids().find((id) => fresh.ring.find(id)?.equals(keyOf(keys, id)) === false)
  if (changed !== undefined) fail('key.wrong', `key ${changed} is another one than before`)
  await tryRing(session, fresh.ring)
  fresh.takeOver()
  return true
}

/** Wraps the check record with the active key, so that the old one can leave the ring. */
export async function resealCheck(session: Session, sealer: Sealer): Promise<void> {
  const row = await session.get(
    `SELECT check_key, check_body FROM cluster WHERE one = 1${session.dialect.forUpdate}`,
  )
  if (row === undefined || text(row, 'check_key') === sealer.active()) return
  const next = sealer.rewrap(owner, name, { key: text(row, 'check_key'), body: bytes(row, 'check_body') })
  await session.send('UPDATE cluster SET check_key = ?, check_body = ? WHERE one = 1', next.key, next.body)
}
