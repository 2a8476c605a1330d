/** Accounts and tokens as rows. */
import type { Grant } from '../model/access.ts'
import type { ApiToken, FormerPassword, StoredAccount } from '../model/account.ts'
import type { Row, Session } from './database.ts'
import type { TokenFilter } from './filters.ts'
import { compact, json, maybeNumber, maybeText, number, text, toJson } from './row.ts'

const ofAccounts = 'name, kind, password_hash, former, grants, tenant, sessions_ended, created_at, changed_at'

/** One account, or undefined. */
export async function findAccount(session: Session, name: string): Promise<StoredAccount | undefined> {
  const row = await session.get(`SELECT ${ofAccounts}, now_ms() AS now FROM accounts WHERE name = ?`, name)
  return row && accountOf(row)
}

/** One account, locked until the end of the transaction. */
export async function lockAccount(session: Session, name: string): Promise<StoredAccount | undefined> {
  const { forUpdate } = session.dialect
  const row = await session.get(
    `SELECT ${ofAccounts}, now_ms() AS now FROM accounts WHERE name = ?${forUpdate}`,
    name,
  )
  return row && accountOf(row)
}

/** Accounts behind a name, in the order of names. */
export async function listAccounts(
  session: Session,
  { after = '', most }: { readonly after?: string; readonly most: number },
): Promise<readonly StoredAccount[]> {
  const rows = await session.all(
    `SELECT ${ofAccounts}, now_ms() AS now FROM accounts WHERE name > ? ORDER BY name LIMIT ?`,
    after,
    most,
  )
  return rows.map(accountOf)
}

/** Writes a new row; false: there is one of this name. */
export async function addAccount(session: Session, account: StoredAccount): Promise<boolean> {
  const added = await session.get(
    `INSERT INTO accounts (${ofAccounts}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO NOTHING RETURNING name`,
    account.name,
    account.kind,
    account.passwordHash,
    toJson(account.former),
    toJson(account.grants),
    account.tenant ?? null,
    account.sessionsEnded,
    account.createdAt,
    account.changedAt,
  )
  // Those of an account of the configuration that had its name are not its own.
  if (added !== undefined) await session.send('DELETE FROM tokens WHERE account = ?', account.name)
  return added !== undefined
}

/** Writes what may change of a row. */
export async function putAccount(session: Session, account: StoredAccount): Promise<void> {
  await session.send(
    'UPDATE accounts SET password_hash = ?, former = ?, grants = ?, sessions_ended = ?, changed_at = ? WHERE name = ?',
    account.passwordHash,
    toJson(account.former),
    toJson(account.grants),
    account.sessionsEnded,
    account.changedAt,
    account.name,
  )
}

/** Removes an account and its tokens. */
export async function removeAccount(session: Session, name: string): Promise<void> {
  await session.send('DELETE FROM tokens WHERE account = ?', name)
  await session.send('DELETE FROM accounts WHERE name = ?', name)
}

function accountOf(row: Row): StoredAccount {
  return compact<StoredAccount>({
    name: text(row, 'name'),
    kind: text(row, 'kind') as StoredAccount['kind'],
    passwordHash: text(row, 'password_hash'),
    former: json<readonly FormerPassword[]>(row, 'former').filter(({ until }) => until > number(row, 'now')),
    grants: json<readonly Grant[]>(row, 'grants'),
    tenant: maybeText(row, 'tenant'),
    sessionsEnded: number(row, 'sessions_ended'),
    createdAt: number(row, 'created_at'),
    changedAt: number(row, 'changed_at'),
  })
}

const ofTokens = 'id, name, account, digest, grants, created_at, expires_at, used_at'

/** The token of a digest, unless its time is over. */
export async function findToken(session: Session, digest: string): Promise<ApiToken | undefined> {
  const row = await session.get(
    `SELECT ${ofTokens} FROM tokens WHERE digest = ? AND expires_at > now_ms()`,
    digest,
  )
  return row && tokenOf(row)
}

/** Tokens, those whose time is over among them until they are forgotten, in the order of ids. */
export async function listTokens(
  session: Session,
  { account, id, after = '', most }: TokenFilter,
): Promise<readonly ApiToken[]> {
  const rows = await session.all(
    `SELECT ${ofTokens} FROM tokens WHERE id > ? ${account === undefined ? '' : 'AND account = ?'}
      ${id === undefined ? '' : 'AND id = ?'} ORDER BY id LIMIT ?`,
    after,
    ...[account, id].filter((value) => value !== undefined),
    most,
  )
  return rows.map(tokenOf)
}

/** Writes a token in the place of one with the same id, if there is one. */
export async function putToken(session: Session, token: ApiToken): Promise<void> {
  await session.send(
    `INSERT INTO tokens (${ofTokens}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, account = excluded.account, digest = excluded.digest,
        grants = excluded.grants, created_at = excluded.created_at, expires_at = excluded.expires_at,
        used_at = excluded.used_at`,
    token.id,
    token.name,
    token.account,
    token.digest,
    toJson(token.grants),
    token.createdAt,
    token.expiresAt,
    token.usedAt ?? null,
  )
}

/** Remembers that a token was used now. */
export async function useToken(session: Session, id: string): Promise<void> {
  await session.send('UPDATE tokens SET used_at = now_ms() WHERE id = ?', id)
}

/** Removes a token. */
export async function removeToken(session: Session, id: string): Promise<void> {
  await session.send('DELETE FROM tokens WHERE id = ?', id)
}

function tokenOf(row: Row): ApiToken {
  return compact<ApiToken>({
    id: text(row, 'id'),
    name: text(row, 'name'),
    account: text(row, 'account'),
    digest: text(row, 'digest'),
    grants: json<readonly Grant[]>(row, 'grants'),
    createdAt: number(row, 'created_at'),
    expiresAt: number(row, 'expires_at'),
    usedAt: maybeNumber(row, 'used_at'),
  })
}
