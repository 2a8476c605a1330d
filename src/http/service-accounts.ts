/** Service accounts of a Kubernetes cluster as callers: the cluster says whose a token is, the settings what that may do. */
import type { Clock } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import { readJwt } from '../kit/jwt.ts'
import type { Roles } from '../model/access.ts'
import { fail, toProblem } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'
import type { Account } from './authenticate.ts'
import { claimedAccount } from './claimed-account.ts'

interface ServiceAccountParts {
  /** As they are at the moment. */
  settings(): Settings['auth']['serviceAccounts']
  roles(): Roles
  /** Whose the cluster says a token is; undefined: it is worth nothing there. */
  review(token: string, audiences: readonly string[]): Promise<Reviewed | undefined>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

interface Reviewed {
  readonly user: string
  /** Those of the asked ones that it is for. */
  readonly audiences: readonly string[]
}

/** So long the word of the cluster counts, and no longer: an account that was deleted there is out by then. */
const knownForMs = 60_000
const knownMax = 5_000

/** What the cluster calls its service accounts, and what begins their names here; no account of the broker has a colon. */
const clusterPrefix = 'system:serviceaccount:'
const ownPrefix = 'k8s:'

/** The account that a bearer token speaks of; undefined: it is not believed. Problems: login.provider-away. */
export function makeServiceAccounts(
  parts: ServiceAccountParts,
): (token: string) => Promise<Account | undefined> {
  const known = new Map<string, { readonly reviewed: Reviewed; readonly until: number }>()
  const reviewed = async (token: string, audiences: readonly string[]): Promise<Reviewed | undefined> => {
    const key = sha256(JSON.stringify([token, audiences]))
    const before = known.get(key)
    if (before !== undefined && parts.clock.monotonic() < before.until) return before.reviewed
    known.delete(key)
    // Strangers may read it: the kind of fault, and no address.
    const answer = await parts.review(token, audiences).catch((cause: unknown) =>
      fail('login.provider-away', `the cluster does not say whose a token is (${toProblem(cause).code})`, {
        cause,
      }),
    )
    if (answer === undefined) return undefined
    known.set(key, { reviewed: answer, until: parts.clock.monotonic() + knownForMs })
    if (known.size > knownMax) for (const oldest of known.keys().take(1)) known.delete(oldest)
    return answer
  }
  return async (token) => {
    const { audiences, grants } = parts.settings()
    if (audiences.length === 0 || !mayBeOurs(token, audiences, parts.clock.now())) return undefined
    const answer = await reviewed(token, audiences)
    // An API server that knows nothing of audiences names none, and its tokens would open the API server, too.
    if (answer === undefined || !answer.audiences.some((one) => audiences.includes(one))) return undefined
    const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(answer.user) ?? []
    if (namespace === undefined || name === undefined) return undefined
    const fitting = grants.filter((one) => one.namespace === namespace && (one.name ?? name) === name)
    const account = `${ownPrefix}${namespace}:${name}`
    return claimedAccount({ name: account, given: fitting, roles: parts.roles(), claimed: [], version: '' })
  }
}

/** What strangers send is not handed on: what a token says of itself must fit before the cluster is asked. */
function mayBeOurs(token: string, audiences: readonly string[], now: number): boolean {
  const { sub, aud, exp } = readJwt(token)?.claims ?? {}
  const said: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return (
    typeof sub === 'string' &&
    sub.startsWith(clusterPrefix) &&
    said.some((one) => audiences.some((asked) => asked === one)) &&
    typeof exp === 'number' &&
    exp * 1000 > now
  )
}
