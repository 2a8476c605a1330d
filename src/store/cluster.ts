/** The cluster's own row: made at the first start, and the check that this ring belongs to this database. */
import type { Chance, Clock } from '../kit/clock.ts'
import { ulid } from '../kit/id.ts'
import { fail } from '../model/problem.ts'
import type { Session } from './database.ts'
import { keyOf, unsealBytes } from './envelope.ts'
import type { FreshRing, KeyRing } from './keys.ts'
import { bytes, text } from './row.ts'
import { makeSealer, placeOf, type Sealer } from './sealer.ts'
import { keysInUse } from './sealing.ts'

const owner = 'cluster'
const name = 'check'
const content = Buffer.from('This key ring belongs to this database.')

/**
 * Makes the row, and the ring itself, where there is none; else tries the ring on what is there, and nothing is written
 * then. The caller's transaction holds the lock of the schema, so of several first starts one makes both.
 * Problems: key.missing, key.wrong.
 */
export async function openCluster(
  session: Session,
  hands: { readonly keys: KeyRing; readonly chance: Chance; readonly clock: Clock },
): Promise<Sealer> {
  const found = await session.get('SELECT id FROM cluster WHERE one = 1')
  if (found) {
    await tryRing(session, hands.keys)
    return makeSealer(hands.keys, hands.chance, text(found, 'id'))
  }
  const id = ulid(hands.clock.now(), hands.chance)
  hands.keys.make()
  const sealer = makeSealer(hands.keys, hands.chance, id)
  const check = sealer.seal(owner, name, content)
  await session.send(
    'INSERT INTO cluster (one, id, epoch, check_key, check_body) VALUES (1, ?, 1, ?, ?)',
    id,
    check.key,
    check.body,
  )
  await session.send(`INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, '')`)
  return sealer
}

/** Whether a ring opens the check record and has every key that something is sealed with. Problems: key.missing, key.wrong. */
export async function tryRing(session: Session, ring: FreshRing['ring']): Promise<void> {
  // Fails where there is no ring at all.
  ring.active()
  const row = (await session.get('SELECT id, check_key, check_body FROM cluster WHERE one = 1')) ?? {}
  const check = { key: text(row, 'check_key'), body: bytes(row, 'check_body') }
  // A key of another ring may have the same id: only opening tells.
  if (ring.find(check.key) === undefined) fail('key.wrong', `key ${check.key} is not on it`)
  unsealBytes(ring, placeOf(text(row, 'id'), owner, name), check)
  const lacking = (await keysInUse(session)).filter((id) => ring.find(id) === undefined)
  if (lacking.length > 0)
    fail('key.missing', `records are sealed with ${lacking.join(', ')}, not on the ring`)
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
