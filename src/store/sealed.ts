/** The one table of everything sealed: bytes under an owner and a name. */
import type { Session } from './database.ts'
import { bytes, text } from './row.ts'
import type { Sealer, Seals } from './sealer.ts'
import { opensFor } from './tenant-keys.ts'

/** Seals some bytes under an owner and a name, in place of what was there. */
export async function putSealed(
  session: Session,
  seals: Seals,
  record: { readonly owner: string; readonly name: string; readonly content: Uint8Array },
): Promise<void> {
  const { key, body } = seals.seal(record.owner, record.name, record.content)
  await session.send(
    `INSERT INTO sealed (owner, name, key_id, body) VALUES (?, ?, ?, ?)
      ON CONFLICT (owner, name) DO UPDATE SET key_id = excluded.key_id, body = excluded.body`,
    record.owner,
    record.name,
    key,
    body,
  )
}

/** Opens what was sealed. Problems: key.missing, key.wrong, key.foreign. */
export async function getSealed(
  session: Session,
  sealer: Sealer,
  place: { readonly owner: string; readonly name: string },
): Promise<Uint8Array | undefined> {
  // Both at once: over a network the second question costs nothing.
  const [row, seals] = await Promise.all([
    session.get('SELECT key_id, body FROM sealed WHERE owner = ? AND name = ?', place.owner, place.name),
    opensFor(session, sealer, place.owner),
  ])
  return row && seals.unseal(place.owner, place.name, { key: text(row, 'key_id'), body: bytes(row, 'body') })
}

/** Erases one sealed thing, or all of an owner. */
export async function eraseSealed(session: Session, owner: string, name: string | undefined): Promise<void> {
  if (name === undefined) await session.send('DELETE FROM sealed WHERE owner = ?', owner)
  else await session.send('DELETE FROM sealed WHERE owner = ? AND name = ?', owner, name)
}
