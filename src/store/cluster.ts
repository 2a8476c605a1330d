/** The cluster's own row: made at the first start, and the check that this ring belongs to this database. */
import type { Chance, Clock } from '../kit/clock.ts'
import { ulid } from '../kit/id.ts'
import { fail, ProblemError } from '../model/problem.ts'
import type { Row, Session } from './database.ts'
import type { KeyRing } from './keys.ts'
import { bytes, text } from './row.ts'
import { makeSealer, type Sealer } from './sealer.ts'

const owner = 'cluster'
const name = 'check'
const content = Buffer.from('This key ring belongs to this database.')

/** Makes the row where there is none, else tries the ring on it; nothing is written then. Problems: key.wrong. */
export async function openCluster(
  session: Session,
  hands: { readonly keys: KeyRing; readonly chance: Chance; readonly clock: Clock },
): Promise<Sealer> {
  const found = await session.get('SELECT id, check_key, check_body FROM cluster WHERE one = 1')
  const id = found ? text(found, 'id') : ulid(hands.clock.now(), hands.chance)
  const sealer = makeSealer(hands.keys, hands.chance, id)
  if (found) {
    tryRing(sealer, found)
    return sealer
  }
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

/** Wraps the check record with the active key, so that the old one can leave the ring. */
export async function resealCheck(session: Session, sealer: Sealer): Promise<void> {
  const row = await session.get(
    `SELECT check_key, check_body FROM cluster WHERE one = 1${session.dialect.forUpdate}`,
  )
  if (row === undefined || text(row, 'check_key') === sealer.active()) return
  const next = sealer.rewrap(owner, name, { key: text(row, 'check_key'), body: bytes(row, 'check_body') })
  await session.send('UPDATE cluster SET check_key = ?, check_body = ? WHERE one = 1', next.key, next.body)
}

function tryRing(sealer: Sealer, row: Row): void {
  try {
    sealer.unseal(owner, name, { key: text(row, 'check_key'), body: bytes(row, 'check_body') })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    fail(
      'key.wrong',
      error.problem.code === 'key.missing' ? `key ${text(row, 'check_key')} is not in it` : undefined,
    )
  }
}
