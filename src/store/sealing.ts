/** Keys and what is sealed with them, over the table of everything sealed, the logs and the secrets of tenants; the change from one to the next. */
import { fail, ProblemError } from '../model/problem.ts'
import type { Row, Session } from './database.ts'
import type { Envelope } from './envelope.ts'
import { logOwner, pieceName, pieceOf } from './logs.ts'
import { bytes, number, text } from './row.ts'
import type { Sealer, Seals } from './sealer.ts'
import type { KeyCount } from './store.ts'
import { ownerOfOperation, rewrapTenantKeys, sealsFor } from './tenant-keys.ts'

/** How many records each key seals. */
export async function countByKey(session: Session): Promise<readonly KeyCount[]> {
  const rows = await session.all(
    `SELECT key_id, sum(many) AS records FROM (
      SELECT key_id, count(*) AS many FROM sealed GROUP BY key_id
      UNION ALL SELECT key_id, count(*) AS many FROM logs GROUP BY key_id
      UNION ALL SELECT key_id, count(*) AS many FROM tenant_keys GROUP BY key_id
      UNION ALL SELECT check_key AS key_id, 1 AS many FROM cluster
    ) AS counted GROUP BY key_id ORDER BY key_id`,
  )
  return rows.map((row) => ({ key: text(row, 'key_id'), records: Number(row['records']) }))
}

/** Every key that something is sealed with: one step of an index for each, however many records there are. */
export async function keysInUse(session: Session): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const table of ['sealed', 'logs', 'tenant_keys']) {
    for (let last = ''; ; ) {
      const row = await session.get(
        `SELECT key_id FROM ${table} WHERE key_id > ? ORDER BY key_id LIMIT 1`,
        last,
      )
      if (row === undefined) break
      last = text(row, 'key_id')
      found.add(last)
    }
  }
  return [...found]
}

/**
 * Nothing is sealed with a key, and nothing will be: what is being written is waited for, and every node that lives seals
 * with another one. Problems: key.in-use.
 */
export async function proveUnused(session: Session, key: string): Promise<void> {
  const hasOthers = session.dialect.name === 'postgres'
  if (hasOthers) await session.run('LOCK TABLE sealed, logs, tenant_keys, cluster IN SHARE MODE')
  const records = (await countByKey(session)).find((one) => one.key === key)?.records ?? 0
  if (records > 0) fail('key.in-use', `records sealed with ${key}: ${records}`)
  const sealing = hasOthers ? await nodesSealingWith(session, key) : []
  if (sealing.length > 0) fail('key.in-use', `brokers that seal with ${key}: ${sealing.join(', ')}`)
}

async function nodesSealingWith(session: Session, key: string): Promise<readonly string[]> {
  const rows = await session.all(
    'SELECT name FROM nodes WHERE active_key = ? AND heartbeat_at > now_ms() - ? ORDER BY name',
    key,
    aliveMs,
  )
  return rows.map((row) => text(row, 'name'))
}

/** A node that was silent for longer than this is gone. */
const aliveMs = 60_000

/** How many records these keys seal. */
export async function countOfKeys(session: Session, keys: readonly string[]): Promise<readonly KeyCount[]> {
  const counts: KeyCount[] = []
  for (const key of keys) {
    const row = await session.get(
      `SELECT (SELECT count(*) FROM sealed WHERE key_id = ?) + (SELECT count(*) FROM logs WHERE key_id = ?)
        + (SELECT count(*) FROM tenant_keys WHERE key_id = ?) AS records`,
      key,
      key,
      key,
    )
    counts.push({ key, records: Number(row?.['records'] ?? 0) })
  }
  return counts
}

/**
 * Wraps a batch of records with the active key, and with those of their tenants what was sealed before they had one; answers
 * how many are left that can be.
 */
export async function resealBatch(session: Session, sealer: Sealer, round: Round): Promise<number> {
  const old = JSON.stringify(sealer.others())
  const { list, skipLocked } = session.dialect
  // Those that failed before come up again: they are taken and passed over.
  const most = round.batch + round.broken.size
  const sealed = await session.all(
    `SELECT owner, name, key_id, body FROM sealed WHERE key_id IN ${list} LIMIT ?${skipLocked}`,
    old,
    most,
  )
  const logs = await session.all(
    `SELECT number, operation, run, step, stream, position, key_id, body FROM logs WHERE key_id IN ${list} LIMIT ?${skipLocked}`,
    old,
    Math.max(0, most - sealed.length),
  )
  const sealsOf = sealsWithin(session, sealer)
  for (const row of sealed) {
    const [owner, name] = [text(row, 'owner'), text(row, 'name')]
    const seals = await sealsOf(owner)
    const next = wrapAnew(round, { owner, name }, () => seals.rewrap(owner, name, envelopeOf(row)))
    if (next !== undefined)
      await session.send(
        'UPDATE sealed SET key_id = ?, body = ? WHERE owner = ? AND name = ?',
        next.key,
        next.body,
        owner,
        name,
      )
  }
  for (const row of logs) {
    const piece = pieceOf(row)
    const [owner, name] = [logOwner(piece.run), pieceName(piece)]
    const seals = await sealsOf(ownerOfOperation(text(row, 'operation')))
    const next = wrapAnew(round, { owner, name }, () => seals.rewrap(owner, name, envelopeOf(row)))
    if (next !== undefined)
      await session.send(
        'UPDATE logs SET key_id = ?, body = ? WHERE number = ?',
        next.key,
        next.body,
        number(row, 'number'),
      )
  }
  const room = Math.max(0, most - sealed.length - logs.length)
  await rewrapTenantKeys(session, { others: old, most: room }, (key) =>
    wrapAnew(round, { owner: 'tenant', name: key.id }, () => sealer.rewrapTenantKey(key).sealed),
  )
  const counts = await countByKey(session)
  const others = sealer.others()
  const left = counts.reduce((sum, { key, records }) => (others.includes(key) ? sum + records : sum), 0)
  return Math.max(0, left - round.broken.size)
}

export interface Round {
  readonly batch: number
  /** Records that do not open although their key is there; one of them must not stop the others. */
  readonly broken: Set<string>
}

/** Many records of a batch have one owner: the tenant of each is asked for once. */
function sealsWithin(session: Session, sealer: Sealer): (owner: string) => Promise<Seals> {
  const known = new Map<string, Seals>()
  return async (owner) => {
    const seals = known.get(owner) ?? (await sealsFor(session, sealer, owner))
    known.set(owner, seals)
    return seals
  }
}

function envelopeOf(row: Row): Envelope {
  return { key: text(row, 'key_id'), body: bytes(row, 'body') }
}

function wrapAnew(
  { broken }: Round,
  { owner, name }: { readonly owner: string; readonly name: string },
  wrap: () => Envelope,
): Envelope | undefined {
  const place = JSON.stringify([owner, name])
  if (broken.has(place)) return undefined
  try {
    return wrap()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    broken.add(place)
    return undefined
  }
}
