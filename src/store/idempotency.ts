/** Answers kept for idempotency keys; the bodies are sealed, for they may hold credentials. */
import type { JsonObject } from '../kit/json.ts'
import type { Session } from './database.ts'
import { compact, maybeText, number, text } from './row.ts'
import { getSealed, putSealed } from './sealed.ts'
import type { Sealer } from './sealer.ts'
import type { IdempotencyRow } from './store.ts'

/** What a body is sealed under. */
export function idempotencyOwner(scope: string, key: string): string {
  return `idempotency/${encodeURIComponent(scope)}/${encodeURIComponent(key)}`
}

/** The answer given to a key. */
export async function findIdempotent(
  session: Session,
  sealer: Sealer,
  at: { readonly scope: string; readonly key: string },
): Promise<IdempotencyRow | undefined> {
  const row = await session.get(
    'SELECT fingerprint, operation, status FROM idempotency WHERE scope = ? AND key = ?',
    at.scope,
    at.key,
  )
  if (row === undefined) return undefined
  const body = await getSealed(session, sealer, { owner: idempotencyOwner(at.scope, at.key), name: 'body' })
  return compact<IdempotencyRow>({
    ...at,
    fingerprint: text(row, 'fingerprint'),
    operation: maybeText(row, 'operation'),
    status: number(row, 'status'),
    body: body === undefined ? {} : (JSON.parse(Buffer.from(body).toString()) as JsonObject),
  })
}

/** Takes a key, without the body of an answer; false: it is taken. */
export async function claimIdempotent(session: Session, row: IdempotencyRow): Promise<boolean> {
  const taken = await session.get(
    `INSERT INTO idempotency (scope, key, fingerprint, operation, status, at) VALUES (?, ?, ?, ?, ?, now_ms())
      ON CONFLICT (scope, key) DO NOTHING RETURNING scope`,
    row.scope,
    row.key,
    row.fingerprint,
    row.operation ?? null,
    row.status,
  )
  return taken !== undefined
}

/** Keeps an answer, new or changed. */
export async function putIdempotent(session: Session, sealer: Sealer, row: IdempotencyRow): Promise<void> {
  await session.send(
    `INSERT INTO idempotency (scope, key, fingerprint, operation, status, at) VALUES (?, ?, ?, ?, ?, now_ms())
      ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, operation = excluded.operation,
      status = excluded.status`,
    row.scope,
    row.key,
    row.fingerprint,
    row.operation ?? null,
    row.status,
  )
  const content = Buffer.from(JSON.stringify(row.body))
  await putSealed(session, sealer, { owner: idempotencyOwner(row.scope, row.key), name: 'body', content })
}
