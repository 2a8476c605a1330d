/** Accounts and tokens: made, changed and taken away, each with its audit record in the same transaction. */
import { hashPassword, saltOf, sha256 } from '../kit/hash.ts'
import { present } from '../kit/present.ts'
import type { Grant } from '../model/access.ts'
import {
  type ApiToken,
  breakGlassAccount,
  endOfLocalGrant,
  localGrantMs,
  type StoredAccount,
  tokenPrefix,
} from '../model/account.ts'
import { fail } from '../model/problem.ts'
import { record } from './govern.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'

const saltBytes = 16
const tokenBytes = 32

export interface NewAccount extends Pick<StoredAccount, 'name' | 'kind' | 'grants' | 'tenant'> {
  readonly password: string
}

/** Makes an account. Problems: account.exists. */
export async function addAccount(
  ports: Ports,
  asker: Asker,
  { password, ...account }: NewAccount,
): Promise<StoredAccount> {
  // Outside the transaction, for it takes a while.
  const passwordHash = await hashPassword(password, ports.chance.bytes(saltBytes))
  return ports.store.write(async (tx) => {
    const now = await tx.now()
    const made = { ...account, passwordHash, former: [], sessionsEnded: 0, createdAt: now, changedAt: now }
    if (!(await tx.addAccount(made))) fail('account.exists', account.name)
    await record(tx, ports, asker, { action: 'account.add', kind: 'account', id: account.name })
    return made
  })
}

export interface AccountChange {
  readonly password?: string
  /** How long the password of before stays valid beside a new one. */
  readonly keepFormerMs?: number
  readonly grants?: readonly Grant[]
  /** Its sessions end, whatever else changes. */
  readonly endsSessions?: boolean
}

/** Changes an account; with another password or other grants its sessions end, on every node. Problems: account.unknown. */
export async function changeAccount(
  ports: Ports,
  asker: Asker,
  name: string,
  { password, keepFormerMs = 0, grants, endsSessions = false }: AccountChange,
): Promise<StoredAccount> {
  const before = (await ports.store.look.account(name)) ?? fail('account.unknown', name)
  // With the same salt as a password that stays valid, both are tried in one go.
  const salt = keepFormerMs > 0 ? saltOf(before.passwordHash) : ports.chance.bytes(saltBytes)
  const hash = password === undefined ? undefined : await hashPassword(password, salt)
  return ports.store.write(async (tx) => {
    const account = (await tx.lockAccount(name)) ?? fail('account.unknown', name)
    const until = (await tx.now()) + keepFormerMs
    const former = hash === undefined ? undefined : formerOf(account, keepFormerMs > 0 ? until : undefined)
    const changed: StoredAccount = {
      ...account,
      ...present({ passwordHash: hash, former, grants }),
      sessionsEnded: account.sessionsEnded + (endsSessions ? 1 : 0),
      changedAt: await tx.now(),
    }
    await tx.putAccount(changed)
    for (const action of deedsOf({ hash, grants, endsSessions }))
      await record(tx, ports, asker, { action, kind: 'account', id: name })
    return changed
  })
}

/** So many passwords of before are valid at once. */
const formerMax = 3

/** None, unless the present one is to stay valid; then what was valid beside it stays so, too. */
function formerOf(
  { passwordHash, former }: StoredAccount,
  until: number | undefined,
): StoredAccount['former'] {
  return until === undefined ? [] : [{ hash: passwordHash, until }, ...former].slice(0, formerMax)
}

function deedsOf(change: {
  readonly hash: string | undefined
  readonly grants: readonly Grant[] | undefined
  readonly endsSessions: boolean
}): readonly string[] {
  return [
    ...(change.hash === undefined ? [] : ['account.set-password']),
    ...(change.grants === undefined ? [] : ['account.grant']),
    ...(change.endsSessions ? ['account.end-sessions'] : []),
  ]
}

/** Takes an account away, with its tokens and sessions. Problems: account.unknown. */
export async function removeAccount(ports: Ports, asker: Asker, name: string): Promise<void> {
  await ports.store.write(async (tx) => {
    if ((await tx.lockAccount(name)) === undefined) fail('account.unknown', name)
    await tx.removeAccount(name)
    await record(tx, ports, asker, { action: 'account.remove', kind: 'account', id: name })
  })
}

export interface NewToken extends Pick<ApiToken, 'id' | 'name' | 'account' | 'grants'> {
  readonly forMs: number
}

/** Makes a token in the place of one with the same id; the text is told once and kept nowhere. */
export async function makeToken(
  ports: Pick<Ports, 'chance' | 'store' | 'node'>,
  asker: Asker,
  { forMs, ...token }: NewToken,
): Promise<{ readonly token: ApiToken; readonly text: string }> {
  const text = tokenPrefix + Buffer.from(ports.chance.bytes(tokenBytes)).toString('base64url')
  return ports.store.write(async (tx) => {
    const now = await tx.now()
    const made = { ...token, digest: sha256(text), createdAt: now, expiresAt: now + forMs }
    await tx.putToken(made)
    await record(tx, ports, asker, { action: 'token.create', kind: 'token', id: token.id })
    return { token: made, text }
  })
}

/** Takes a token away; it is worth nothing from then on, on every node. Problems: token.unknown. */
export async function revokeToken(
  ports: Ports,
  asker: Asker,
  { id, account }: Pick<ApiToken, 'id' | 'account'>,
): Promise<void> {
  await ports.store.write(async (tx) => {
    await tx.removeToken(id)
    // One that was made on the machine would begin again with its next use.
    if (account === breakGlassAccount) await tx.endSession(endOfLocalGrant(id), localGrantMs)
    await record(tx, ports, asker, { action: 'token.revoke', kind: 'token', id })
  })
}
