/** Who calls: accounts by user and password, compared in a time that tells nothing. */
import { sameText, sha256 } from '../kit/hash.ts'

export type Role = 'platform' | 'viewer' | 'operator'

export interface Account {
  readonly name: string
  readonly role: Role
  /** All that are valid at present. */
  readonly passwords: readonly string[]
}

export interface Gate {
  /** The account of an Authorization header, or undefined. */
  admit(header: string | undefined): Account | undefined
  /** The account whose name a header gives, whatever its password: for the audit trail only. */
  claimed(header: string | undefined): string | undefined
  /** Whether the header was admitted before; looks at no password. */
  knows(header: string | undefined): boolean
  /** Other accounts from now on; who is in with an old password is out. */
  replace(accounts: readonly Account[]): void
}

/** How many admitted headers are remembered, so that the comparison is not paid for by each request. */
const rememberedMax = 1000

export function makeGate(first: readonly Account[]): Gate {
  let accounts = first
  const remembered = new Map<string, Account>()
  return {
    admit(header) {
      if (header === undefined) return undefined
      const key = keyOf(header)
      const known = remembered.get(key)
      if (known) return known
      const account = find(accounts, header)
      if (account) {
        if (remembered.size >= rememberedMax) remembered.clear()
        remembered.set(key, account)
      }
      return account
    },
    claimed: (header) => {
      const user = header === undefined ? undefined : pairIn(header)?.user
      return accounts.find(({ name }) => name === user)?.name
    },
    knows: (header) => header !== undefined && remembered.has(keyOf(header)),
    replace(others) {
      accounts = others
      remembered.clear()
    },
  }
}

/** The digest, not the header, is the key: looking it up tells nothing about near misses. */
function keyOf(header: string): string {
  return sha256(header)
}

/** Compares with every account, also after a match, so that time does not tell which user exists. */
function find(accounts: readonly Account[], header: string): Account | undefined {
  const pair = pairIn(header)
  if (pair === undefined) return undefined
  const { user, password } = pair
  let found: Account | undefined
  for (const account of accounts) {
    const userFits = sameText(user, account.name)
    const passwordFits = account.passwords.map((one) => sameText(password, one)).includes(true)
    if (userFits && passwordFits) found = account
  }
  return found
}

function pairIn(header: string): { readonly user: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString()
  const colon = pair.indexOf(':')
  return colon < 0 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) }
}
