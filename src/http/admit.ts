/**
 * Admits requests before anything of their body is read: first the caller's account, then a place for the work.
 * Strangers are answered without a place. Polls and deletes need none: a platform that cannot ask or clean up makes
 * everything worse. Followers of a log stay for hours and are counted apart.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kit/clock.ts'
import { fail, toProblem } from '../model/problem.ts'
import type { Account, Gate } from './authenticate.ts'
import { certifiedNames } from './client-certificates.ts'
import { type Credentials, type Judge, makeJudge } from './judge.ts'
import { networkOf } from './source.ts'
import type { StoredAccounts } from './stored-accounts.ts'
import { makeTokenBuckets } from './token-bucket.ts'

export interface AdmissionLimits {
  /** 0: unlimited. */
  readonly requestsPerSecond: number
  readonly failedLoginsPerSecond: number
  readonly concurrentRequests: number
  readonly concurrentPerAccount: number
  readonly concurrentPerSource: number
  readonly followersPerAccount: number
}

export type Side = 'osb' | 'operator'

export interface Admission {
  /**
   * The account that calls; it holds a place until its answer is sent. Of a session the account is known already.
   * Accounts of the settings are told at once, those of the store are looked up.
   * Problems: request.unauthenticated, request.too-many.
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    side: Side,
    known?: Account,
  ): Account | Promise<Account>
  /** The account of a request that was admitted before, as it is now; takes no place. Problems: request.unauthenticated. */
  again(request: IncomingMessage, side: Side): Promise<Account>
  /** Whether a password is that of an account that was admitted already; a wrong one is a guess. Problems: request.too-many. */
  confirm(account: string, password: string): Promise<boolean>
  /** The same of whatever else a caller may guess at. */
  prove(name: string, isRight: () => Promise<boolean>): Promise<boolean>
  change(limits: AdmissionLimits): void
}

export interface AdmissionParts {
  readonly gate: Gate
  /** Accounts of the store; absent: there are none. */
  readonly stored?: Pick<StoredAccounts, 'admit' | 'confirm'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** The address of the caller; behind a trusted proxy, the one that the proxy names. */
  source(request: IncomingMessage): string
  /** A request on this connection was admitted. */
  proven(request: IncomingMessage, account: string): void
  /** A request was refused for a limit. */
  limited(side: Side): void
}

/** An account that was quiet may send so many seconds' worth at once. */
const burstSeconds = 4

/** What a connection sent last, and whom it belonged to. */
interface Caller {
  readonly authorization: string
  readonly forwardedFor: unknown
  readonly account: Account
  readonly source: string
  readonly generation: number
}

/** A request and its answer, on one of the sides. */
interface Arrived {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly side: Side
}

/** Makes the admission of one process; both of its sides share it. */
export function makeAdmission(parts: AdmissionParts, first: AdmissionLimits): Admission {
  const { source, limited } = parts
  let limits = first
  const judge = makeJudge(parts)
  const callerOf = makeCallers(parts, judge, () => limits.failedLoginsPerSecond)
  const takePlace = makePlacing(parts)

  const place = (caller: Pick<Caller, 'account' | 'source'>, arrived: Arrived): Account => {
    const { request, response, side } = arrived
    const refused = needsNoPlace(request) ? undefined : takePlace(caller, arrived, limits)
    if (refused !== undefined) {
      limited(side)
      fail('request.too-many', refused)
    }
    // From here on the body is wanted.
    if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue()
    return caller.account
  }

  return {
    admit(request, response, side, known) {
      const arrived = { request, response, side }
      const caller = known ? { account: known, source: networkOf(source(request)) } : callerOf(request, side)
      return caller instanceof Promise ? caller.then((one) => place(one, arrived)) : place(caller, arrived)
    },
    again: async (request, side) => (await callerOf(request, side)).account,
    confirm: async (account, password) => {
      const isRight = () => parts.stored?.confirm(account, password) ?? Promise.resolve(false)
      return judge.prove(account, limits.failedLoginsPerSecond, isRight)
    },
    prove: (name, isRight) => judge.prove(name, limits.failedLoginsPerSecond, isRight),
    change(others) {
      limits = others
    },
  }
}

/** The account that sends a request. Platforms keep their connections, so the same header need not be judged again on each request. */
function makeCallers(parts: AdmissionParts, { judge }: Pick<Judge, 'judge'>, failedPerSecond: () => number) {
  const { gate, source, proven, limited } = parts
  const callers = new WeakMap<object, Caller>()

  const judged = (given: Credentials, side: Side): Account | Promise<Account> => {
    try {
      return judge(given, failedPerSecond())
    } catch (error) {
      if (toProblem(error).code === 'request.too-many') limited(side)
      throw error
    }
  }

  return (request: IncomingMessage, side: Side): Caller | Promise<Caller> => {
    const { authorization, 'x-forwarded-for': forwardedFor } = request.headers
    if (authorization === undefined) return byCertificate(parts, request)
    const last = callers.get(request.socket)
    const isSame = last?.authorization === authorization && last.forwardedFor === forwardedFor
    if (isSame && last.generation === gate.generation) return last
    const address = networkOf(source(request))
    const { generation } = gate
    const account = gate.recall(authorization, address) ?? judged({ authorization, address }, side)
    const callerWith = (one: Account): Caller => {
      proven(request, one.name)
      return { authorization, forwardedFor, account: one, source: address, generation }
    }
    // What the store says is asked again for each request: it holds for this one only.
    if (account instanceof Promise) return account.then(callerWith)
    const caller = callerWith(account)
    callers.set(request.socket, caller)
    return caller
  }
}

/** The account that a client's certificate stands for, of a request without other credentials. */
function byCertificate({ gate, source, proven }: AdmissionParts, request: IncomingMessage): Caller {
  const account = gate.certified(certifiedNames(request)) ?? fail('request.unauthenticated')
  proven(request, account.name)
  const { generation } = gate
  const forwardedFor = request.headers['x-forwarded-for']
  return { authorization: '', forwardedFor, account, source: networkOf(source(request)), generation }
}

/** Takes a place that is given back with the answer; why there is none otherwise. */
function makePlacing({ clock }: Pick<AdmissionParts, 'clock'>) {
  const requests = makeTokenBuckets(clock)
  const places = makePlaces()
  const followers = makeCounts()
  return (
    { account, source }: Pick<Caller, 'account' | 'source'>,
    { request, response }: Arrived,
    limits: AdmissionLimits,
  ): string | undefined => {
    const { name, requestsPerSecond: rate = limits.requestsPerSecond } = account
    // A caller may have left while its account was looked up.
    const atEnd = (giveBack: () => void) =>
      response.closed ? giveBack() : void response.once('close', giveBack)
    if (isFollower(request)) {
      if (!followers.take(name, limits.followersPerAccount))
        return `this account follows ${limits.followersPerAccount} logs already`
      atEnd(() => followers.giveBack(name))
      return undefined
    }
    if (rate > 0 && !requests.take(name, { perSecond: rate, most: rate * burstSeconds }))
      return `more than ${rate} a second`
    const refused = places.take(name, source, limits)
    if (refused === undefined) atEnd(() => places.giveBack(name, source))
    return refused
  }
}

function needsNoPlace({ method, url = '' }: IncomingMessage): boolean {
  if (method === 'DELETE') return true
  if (method !== 'GET' && method !== 'HEAD') return false
  const query = url.indexOf('?')
  return url.endsWith('/last_operation', query < 0 ? url.length : query)
}

function isFollower({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/event-stream') === true
}

interface Places {
  /** Takes a place; why there is none otherwise. */
  take(account: string, source: string, limits: AdmissionLimits): string | undefined
  giveBack(account: string, source: string): void
}

function makePlaces(): Places {
  let taken = 0
  const perAccount = makeCounts()
  const perSource = makeCounts()
  return {
    take(account, source, { concurrentRequests, concurrentPerAccount, concurrentPerSource }) {
      if (taken >= concurrentRequests) return `more than ${concurrentRequests} at once`
      if (!perAccount.take(account, concurrentPerAccount))
        return `more than ${concurrentPerAccount} of this account at once`
      if (!perSource.take(source, concurrentPerSource)) {
        perAccount.giveBack(account)
        return `more than ${concurrentPerSource} from this address at once`
      }
      taken += 1
      return undefined
    },
    giveBack(account, source) {
      taken -= 1
      perAccount.giveBack(account)
      perSource.giveBack(source)
    },
  }
}

interface Counts {
  take(key: string, most: number): boolean
  giveBack(key: string): void
}

/** Counts by key; a key at nought is forgotten. */
function makeCounts(): Counts {
  const counts = new Map<string, number>()
  return {
    take(key, most) {
      const count = counts.get(key) ?? 0
      if (count >= most) return false
      counts.set(key, count + 1)
      return true
    },
    giveBack(key) {
      const count = (counts.get(key) ?? 0) - 1
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    },
  }
}
