/**
 * Sessions of people: a signed cookie that any process of the cluster can check, with an end when it is not used and an
 * end in any case. Nothing of it is kept but which ones were ended early.
 */
import type { IncomingMessage } from 'node:http'
import type { Chance, Clock } from '../kit/clock.ts'
import { sameText, sha256 } from '../kit/hash.ts'
import { present } from '../kit/present.ts'
import type { Account } from './authenticate.ts'

export interface SessionLimits {
  readonly idleMs: number
  readonly absoluteMs: number
}

/** Signs with a key of the cluster's ring. */
export interface Signer {
  /** The key to sign with now. */
  active(): string
  /** Undefined: there is no such key. */
  sign(key: string, text: string): string | undefined
}

export interface SessionParts {
  /** The account of a name as it is now. */
  named(name: string): Promise<Account | undefined>
  /** The account of a person of a provider, of what it said at the login; absent: there is no provider. */
  person?(name: string, claimed: readonly string[]): Account | undefined
  readonly signer: Signer
  readonly clock: Pick<Clock, 'now'>
  readonly chance: Pick<Chance, 'bytes'>
  /** As they are at the moment. */
  limits(): SessionLimits
  /** Whether a session was ended early, on whichever node. */
  hasEnded(id: string): Promise<boolean>
}

export interface Session {
  readonly id: string
  readonly account: Account
  /** What each change must carry besides the cookie. */
  readonly csrf: string
  /** When it ends in any case. */
  readonly endsAt: number
  readonly idleMs: number
  /** The cookie as it should be from now on. */
  readonly cookie: string
  /** Whether the cookie is older than it should be. */
  readonly isStale: boolean
}

export interface Sessions {
  begin(account: Account): Session
  /** The session of a request's cookie, of the name that it has on this way; undefined: there is none, or it has ended. */
  find(request: IncomingMessage, manner: CookieManner): Promise<Session | undefined>
}

/**
 * What the cookie is called. Encrypted, its prefix has the browser take it from this host alone, and from no page of a
 * neighbouring one; below a path of its own only the weaker prefix fits.
 */
export function cookieName({ path, isSecure }: CookieManner): string {
  if (!isSecure) return 'chandler-session'
  return path === '/api' ? '__Host-chandler-session' : '__Secure-chandler-session'
}

/** What a cookie says, in this order. */
interface Claims {
  readonly id: string
  readonly name: string
  readonly beganAt: number
  readonly seenAt: number
  /** Changes with the account's role and passwords. */
  readonly mark: string
  /** Of a person of a provider: what it said that gives roles. */
  readonly claimed?: readonly string[]
}

/** A cookie is not signed afresh for each of a page's requests. */
const renewAfterMs = 60_000

/** Makes the sessions of one process. */
export function makeSessions(parts: SessionParts): Sessions {
  const { clock, chance } = parts
  return {
    begin: (account) => {
      const now = clock.now()
      const id = Buffer.from(chance.bytes(18)).toString('base64url')
      return sessionOf(
        parts,
        present({
          ...{ id, name: account.name, beganAt: now, seenAt: now, mark: markOf(account) },
          claimed: account.claimed,
        }),
        account,
      )
    },
    async find(request, manner) {
      const claims = claimsIn(parts, cookieOf(request, cookieName(manner)))
      if (claims === undefined) return undefined
      const account =
        claims.claimed === undefined
          ? await parts.named(claims.name)
          : parts.person?.(claims.name, claims.claimed)
      const { idleMs, absoluteMs } = parts.limits()
      const now = clock.now()
      const isOver = now > claims.seenAt + idleMs || now > claims.beganAt + absoluteMs
      if (account === undefined || isOver || !sameText(claims.mark, markOf(account))) return undefined
      if (await parts.hasEnded(claims.id)) return undefined
      const isStale = now > claims.seenAt + Math.min(renewAfterMs, idleMs / 2)
      return sessionOf(parts, isStale ? { ...claims, seenAt: now } : claims, account, isStale)
    },
  }
}

function sessionOf(parts: SessionParts, claims: Claims, account: Account, isStale = false): Session {
  const { signer } = parts
  const key = signer.active()
  const body = Buffer.from(JSON.stringify([key, ...Object.values(orderly(claims))])).toString('base64url')
  const { idleMs, absoluteMs } = parts.limits()
  return {
    id: claims.id,
    account,
    // Of the claims alone, for the key that signs may become another one.
    csrf: sha256(`csrf ${claims.id} ${claims.mark}`),
    endsAt: claims.beganAt + absoluteMs,
    idleMs,
    cookie: `${body}.${signer.sign(key, body) ?? ''}`,
    isStale,
  }
}

function orderly({ id, name, beganAt, seenAt, mark, claimed }: Claims): Claims {
  return present({ id, name, beganAt, seenAt, mark, claimed })
}

/** What a cookie claims, if a key of the ring signed it. */
function claimsIn({ signer }: SessionParts, cookie: string | undefined): Claims | undefined {
  const [body = '', signature = '', ...more] = cookie?.split('.') ?? []
  if (body === '' || signature === '' || more.length > 0) return undefined
  const said = parsed(body)
  if (said === undefined) return undefined
  const expected = signer.sign(said.key, body)
  return expected !== undefined && sameText(signature, expected) ? said.claims : undefined
}

function parsed(body: string): { readonly key: string; readonly claims: Claims } | undefined {
  try {
    const all: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (!Array.isArray(all)) return undefined
    const [key, id, name, beganAt, seenAt, mark, claimed] = all as readonly unknown[]
    const isWhole = [key, id, name, mark].every((one) => typeof one === 'string')
    if (!isWhole || typeof beganAt !== 'number' || typeof seenAt !== 'number') return undefined
    // Signed, so it is as it was written.
    const claims = present({ id, name, beganAt, seenAt, mark, claimed }) as unknown as Claims
    return { key: key as string, claims }
  } catch {
    return undefined
  }
}

/** An account that was changed is another one: what was begun before is over. */
function markOf({ name, role, access, version = '', passwords, tokens }: Account): string {
  return sha256(JSON.stringify([name, role, [...access], version, passwords, tokens])).slice(0, 32)
}

function cookieOf({ headers }: IncomingMessage, wanted: string): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim().split('=')) ?? []
  return pairs.find(([name]) => name === wanted)?.[1]
}

/** What a request that has only a cookie must show besides: that a page of ours sent it. */
export function isForged(request: IncomingMessage, session: Session): boolean {
  const { method, headers } = request
  const site = headers['sec-fetch-site']
  const isLook = method === 'GET' || method === 'HEAD'
  if (site !== undefined && site !== 'same-origin' && !(isLook && site === 'none')) return true
  if (isLook) return false
  const given = headers['x-csrf-token']
  return typeof given !== 'string' || !sameText(given, session.csrf)
}

export interface CookieManner {
  /** Where the API is for a browser. */
  readonly path: string
  readonly isSecure: boolean
}

/** The header that keeps a cookie in the browser; without a session, the one that takes it away. */
export function setCookie(session: Session | undefined, manner: CookieManner): string {
  const name = cookieName(manner)
  return [
    `${name}=${session?.cookie ?? ''}`,
    // The prefix of a host allows no narrower path.
    `Path=${name.startsWith('__Host-') ? '/' : manner.path}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(session === undefined ? ['Max-Age=0'] : []),
    ...(manner.isSecure ? ['Secure'] : []),
  ].join('; ')
}
