/** Accounts and tokens that are kept in the store, beside the accounts of the configuration. */
import type { Grant } from './access.ts'

export interface StoredAccount {
  readonly name: string
  readonly kind: 'platform' | 'user'
  /** A hash that a password can be tried against; the password itself is kept nowhere. */
  readonly passwordHash: string
  /** Passwords of before that are valid at present, so that a platform can be moved to the new one. */
  readonly former: readonly FormerPassword[]
  readonly grants: readonly Grant[]
  /** The tenant that everything it orders as a platform belongs to. */
  readonly tenant?: string
  /** Grows whenever its sessions are to end. */
  readonly sessionsEnded: number
  readonly createdAt: number
  readonly changedAt: number
}

export interface FormerPassword {
  readonly hash: string
  readonly until: number
}

/** The hashes that a password may fit now. */
export function hashesOf({ passwordHash, former }: StoredAccount): readonly string[] {
  return [passwordHash, ...former.map(({ hash }) => hash)]
}

export interface ApiToken {
  readonly id: string
  readonly name: string
  /** Whose it is, in the store or in the configuration; it may never do more than that account may now. */
  readonly account: string
  /** SHA-256 of the token; the token itself is kept nowhere. */
  readonly digest: string
  /** Empty: whatever its account may. */
  readonly grants: readonly Grant[]
  readonly createdAt: number
  readonly expiresAt: number
  /** Within a minute. */
  readonly usedAt?: number
}

/** What every token begins with, so that one that got lost is found. */
export const tokenPrefix = 'chd_'

/** What a token begins with that was made on the machine itself, without a running broker. */
export const localGrantPrefix = `${tokenPrefix}local_`

/** How long such a token is worth something. */
export const localGrantMs = 3_600_000

/** The account of such tokens. */
export const breakGlassAccount = 'break-glass'

/** What the end of such a token is kept under, so that one that was revoked does not begin again. */
export function endOfLocalGrant(id: string): string {
  return `${breakGlassAccount}/${id}`
}

/** The account of the token that makes the first account; it is worth nothing as soon as there is one. */
export const setUpAccount = 'set-up'

/** Names that are not given to people and platforms: tokens of these accounts bring their own rights. */
export const reservedAccounts: readonly string[] = [setUpAccount, breakGlassAccount]
