/**
 * Accounts and tokens of the store as callers: looked up for each request, so that what was changed or taken away is so
 * at once on every node. A password is tried against its hash once an hour; in between a digest of it is known here.
 */
import type { Chance, Clock } from '../kit/clock.ts'
import { fitsPassword, keyedDigest, sha256, unknownHash } from '../kit/hash.ts'
import { present } from '../kit/present.ts'
import { accessOf, withinAccess } from '../model/access.ts'
import {
  type ApiToken,
  breakGlassAccount,
  hashesOf,
  type StoredAccount,
  setUpAccount,
  tokenPrefix,
} from '../model/account.ts'
import { fail } from '../model/problem.ts'
import type { Store } from '../store/store.ts'
import { type Account, credentialsIn, type Gate } from './authenticate.ts'
import { firstLocalUse, type LocalGrantParts } from './local-grants.ts'

export interface StoredAccounts {
  /** Whom a header belongs to now. Problems: request.too-many. */
  admit(header: string): Promise<Account | undefined>
  /** The account of a name as it is now, in the settings or in the store. */
  named(name: string): Promise<Account | undefined>
  /** Whether a password is that of an account of the store. Problems: request.too-many. */
  confirm(name: string, password: string): Promise<boolean>
}

export interface StoredParts extends LocalGrantParts {
  readonly store: Pick<Store, 'write'> & {
    readonly look: Pick<Store['look'], 'account' | 'accounts' | 'isSessionEnded' | 'token'>
  }
  readonly gate: Pick<Gate, 'named' | 'roles'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly chance: Pick<Chance, 'bytes'>
  /** Whom a token of an identity provider speaks of; absent: there is none. */
  bearer?(token: string): Promise<Account | undefined>
}

const knownForMs = 3_600_000
const knownMax = 20_000
const usedEveryMs = 60_000

export function makeStoredAccounts(parts: StoredParts): StoredAccounts {
  const { store, gate } = parts
  const tries = makeTries(parts)

  const named = async (name: string): Promise<Account | undefined> => {
    const configured = gate.named(name)
    if (configured !== undefined) return configured
    const found = await store.look.account(name)
    return found && accountOf(found, gate)
  }

  /** A wrong password of the settings is one also while the store is away. */
  const hasAccounts = (isConfigured: boolean): Promise<boolean> =>
    store.look.accounts({ most: 1 }).then(
      (some) => some.length > 0,
      (error: unknown) => {
        if (isConfigured) return false
        throw error
      },
    )

  const byPassword = async (user: string, password: string): Promise<Account | undefined> => {
    const isConfigured = gate.named(user) !== undefined
    const found = isConfigured ? undefined : await store.look.account(user)
    // What takes as long for a name that is not there tells nothing; without any account there is nothing to tell.
    if (found === undefined && !(await hasAccounts(isConfigured))) return undefined
    const fits = await tries.fits({ user, password, hashes: found ? hashesOf(found) : [] })
    return fits && found !== undefined ? accountOf(found, gate) : undefined
  }

  return {
    named,
    async confirm(name, password) {
      const found = await store.look.account(name)
      return tries.fits({ user: name, password, hashes: found ? [found.passwordHash] : [] })
    },
    async admit(header) {
      const given = credentialsIn(header)
      if (given?.kind === 'password') return byPassword(given.user, given.password)
      if (given === undefined) return undefined
      if (!given.token.startsWith(tokenPrefix)) return parts.bearer?.(given.token)
      const kept = await store.look.token(sha256(given.token))
      const token = kept ?? (await firstLocalUse(parts, given.token))
      if (token === undefined) return undefined
      await noteUse(parts, token)
      if (token.account === setUpAccount) return setUp(parts, token)
      if (token.account === breakGlassAccount) return byGrants(breakGlassAccount, token, gate)
      const owner = await named(token.account)
      return owner && withToken(owner, token, gate)
    },
  }
}

function accountOf(
  { name, kind, grants, tenant, passwordHash, sessionsEnded }: StoredAccount,
  gate: Pick<Gate, 'roles'>,
): Account {
  return {
    ...{ name, kind, access: accessOf(grants, gate.roles()), passwords: [], tokens: [] },
    role: [...new Set(grants.map(({ role }) => role))].join(', '),
    version: JSON.stringify([passwordHash, sessionsEnded]),
    ...present({ tenant }),
  }
}

/** A token may do what its account may now, and of that what it was made for. */
function withToken(owner: Account, { id, grants }: ApiToken, gate: Pick<Gate, 'roles'>): Account {
  const access =
    grants.length === 0 ? owner.access : withinAccess(accessOf(grants, gate.roles()), owner.access)
  return { ...owner, access, token: id }
}

/** Worth something only as long as there is no account at all. */
async function setUp(
  { store, gate }: Pick<StoredParts, 'store' | 'gate'>,
  { id, grants }: ApiToken,
): Promise<Account | undefined> {
  if ((await store.look.accounts({ most: 1 })).length > 0) return undefined
  return byGrants(setUpAccount, { id, grants }, gate)
}

/** An account that is nothing but its token. */
function byGrants(
  name: string,
  { id, grants }: Pick<ApiToken, 'id' | 'grants'>,
  gate: Pick<Gate, 'roles'>,
): Account {
  const access = accessOf(grants, gate.roles())
  return { name, kind: 'user', role: name, access, passwords: [], tokens: [], token: id }
}

/** That a use cannot be written down is no reason to refuse it. */
async function noteUse({ store, clock }: StoredParts, { id, usedAt = 0 }: ApiToken): Promise<void> {
  if (clock.now() < usedAt + usedEveryMs) return
  await store.write((tx) => tx.useToken(id), { how: 'loose' }).catch(() => undefined)
}

interface Try {
  readonly user: string
  readonly password: string
  /** None: there is no such account. */
  readonly hashes: readonly string[]
}

interface Tries {
  /** Whether a password fits one of the hashes; without a hash it takes as long and does not. */
  fits(given: Try): Promise<boolean>
}

/** Tries at once, over all callers: each takes a thread and 32 MiB. */
const atOnce = 2
const waitingMax = 50

function makeTries({ clock, chance }: Pick<StoredParts, 'clock' | 'chance'>): Tries {
  // Digests of passwords leave no trace outside of this process.
  const key = chance.bytes(32)
  const known = new Map<string, number>()
  const underWay = new Map<string, Promise<boolean>>()
  const turns = makeTurns()
  const unknown = unknownHash((count) => chance.bytes(count))
  const tried = async (name: string, { password, hashes }: Try): Promise<boolean> => {
    const isThere = hashes.length > 0
    const isRight = await turns.take(() => fitsPassword(password, ...(isThere ? hashes : [unknown])))
    if (!isThere || !isRight) return false
    known.delete(name)
    known.set(name, clock.monotonic() + knownForMs)
    if (known.size > knownMax) for (const oldest of known.keys().take(1)) known.delete(oldest)
    return true
  }
  return {
    async fits(given) {
      const { user, password, hashes } = given
      // A name that is not there has a key of its own, too: what comes at once is told at once for all names alike.
      const name = keyedDigest(key, JSON.stringify([hashes, password, user]))
      const until = known.get(name)
      if (until !== undefined && clock.monotonic() < until) return true
      const first = underWay.get(name)
      if (first !== undefined) return first
      const trial = tried(name, given).finally(() => underWay.delete(name))
      underWay.set(name, trial)
      return trial
    },
  }
}

interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>
}

function makeTurns(): Turns {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    async take(work) {
      if (waiting.length >= waitingMax) return fail('request.too-many', 'too many passwords are being tried')
      // A try that ends hands its place on, so that no other slips in between.
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
      else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
