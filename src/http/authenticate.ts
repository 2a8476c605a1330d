/** The caller's account: by user and password or by bearer token, compared in a time that tells nothing. */
import { sameText, sha256 } from '../kit/hash.ts'
import type { Access, Roles } from '../model/access.ts'
import type { AccessRule } from './osb/access-review.ts'

export interface Account {
  readonly name: string
  /** Whether it speaks for a platform or for people; so it stands in the audit trail. */
  readonly kind: 'platform' | 'user'
  /** As the settings call it. */
  readonly role: string
  readonly access: Access
  /** The tenant that everything it orders as a platform belongs to. */
  readonly tenant?: string
  /** Instead of what all may. */
  readonly requestsPerSecond?: number
  /** How long its orders may wait for their end inside the request; absent: as long as all. */
  readonly syncWaitMs?: number
  /** The Cloud Controllers that it is for, by their hosts; absent: it does not matter. */
  readonly apiInfoLocations?: readonly string[]
  /** What a cluster must allow the users that it orders for; absent: no cluster is asked. */
  readonly accessRule?: AccessRule
  /** Of an account of the store: changes when its sessions are over. */
  readonly version?: string
  /** The API token that it came with. */
  readonly token?: string
  /** All that are valid at present. */
  readonly passwords: readonly string[]
  /** Bearer tokens, all that are valid at present. */
  readonly tokens: readonly string[]
  /** What an identity provider said of it that gives roles: nothing of it is kept here. */
  readonly claimed?: readonly string[]
  /** The name of the client certificate that stands for it. */
  readonly certificate?: string
}

export interface Gate {
  /** The account that was admitted before with this header from this address; judges nothing. */
  recall(header: string, address: string): Account | undefined
  /** Judges a header; the account it belongs to is recalled from then on. */
  admit(header: string, address: string): Account | undefined
  /** The account that a certificate with one of these names stands for. */
  certified(names: readonly string[]): Account | undefined
  /** The account of a name, as it is now. */
  named(name: string): Account | undefined
  /** The account whose name a header gives, whatever its password: proves nothing. */
  claimed(header: string | undefined): string | undefined
  /** Other accounts from now on; an old password is refused at once. */
  replace(known: Known): void
  /** All roles there are now. */
  roles(): Roles
  /** Grows with each replacement, so that what was learned of callers before is known to be old. */
  readonly generation: number
}

/** An account as the audit trail names it: a token by its account and its own id. */
export function actorOf({ kind, name, token }: Account): {
  readonly kind: 'platform' | 'user' | 'token'
  readonly id: string
} {
  return token === undefined ? { kind, id: name } : { kind: 'token', id: `${name}/${token}` }
}

/** What the settings say of accounts. */
export interface Known {
  readonly accounts: readonly Account[]
  readonly roles: Roles
}

/** How many admitted headers are remembered, so that the comparison is not paid for by each request. */
const rememberedMax = 10_000

export function makeGate(first: Known): Gate {
  let { accounts, roles } = first
  let generation = 0
  const remembered = new Map<string, Account>()
  return {
    recall: (header, address) => remembered.get(keyOf(header, address)),
    admit(header, address) {
      const account = find(accounts, header)
      if (account === undefined) return undefined
      remembered.set(keyOf(header, address), account)
      if (remembered.size > rememberedMax) {
        for (const oldest of remembered.keys().take(1)) remembered.delete(oldest)
      }
      return account
    },
    certified: (names) =>
      accounts.find(({ certificate }) => certificate !== undefined && names.includes(certificate)),
    named: (name) => accounts.find((account) => account.name === name),
    claimed: (header) => {
      const given = header === undefined ? undefined : credentialsIn(header)
      return accounts.find(({ name }) => given?.kind === 'password' && name === given.user)?.name
    },
    roles: () => roles,
    replace(others) {
      accounts = others.accounts
      roles = others.roles
      generation += 1
      remembered.clear()
    },
    get generation() {
      return generation
    },
  }
}

/** The digest, not the header, is the key: looking it up tells nothing about near misses. */
function keyOf(header: string, address: string): string {
  return sha256(`${address} ${header}`)
}

/** Compares with every account, also after a match, so that time does not tell which user exists. */
function find(accounts: readonly Account[], header: string): Account | undefined {
  const given = credentialsIn(header)
  if (given === undefined) return undefined
  let found: Account | undefined
  for (const account of accounts) if (fits(account, given)) found = account
  return found
}

function fits({ name, passwords, tokens }: Account, given: Credentials): boolean {
  if (given.kind === 'token') return tokens.map((one) => sameText(given.token, one)).includes(true)
  const userFits = sameText(given.user, name)
  const passwordFits = passwords.map((one) => sameText(given.password, one)).includes(true)
  return userFits && passwordFits
}

type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }

/** What a header gives. */
export function credentialsIn(header: string): Credentials | undefined {
  const [, token] = /^Bearer +([\x21-\x7e]+) *$/i.exec(header) ?? []
  if (token !== undefined) return { kind: 'token', token }
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString()
  const colon = pair.indexOf(':')
  return colon < 0
    ? undefined
    : { kind: 'password', user: pair.slice(0, colon), password: pair.slice(colon + 1) }
}
