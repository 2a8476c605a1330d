/** Keeps crowds and guessers at bay: requests at once, requests per account, refused credentials per address. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kit/clock.ts'
import type { Problem } from '../model/problem.ts'
import type { Gate } from './authenticate.ts'

export interface Limits {
  /** 0: unlimited. */
  readonly requestsPerSecond: number
  readonly failedLoginsPerSecond: number
  readonly concurrentRequests: number
}

export interface Limiter {
  /** Why a request may not come in; when it may, it is counted until its answer is sent. */
  enter(request: IncomingMessage, response: ServerResponse): Problem | undefined
  change(limits: Limits): void
}

/** So many accounts or addresses are told apart; more than that share the oldest places. */
const placesMax = 10_000
/** An account that was quiet may send so many seconds' worth at once. */
const burstSeconds = 4

export interface LimiterParts {
  readonly gate: Pick<Gate, 'knows'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Who is at the other end; behind a trusted proxy, who it says. */
  source(request: IncomingMessage): string
}

/** Makes a limiter. */
export function makeLimiter({ gate, clock, source }: LimiterParts, first: Limits): Limiter {
  let limits = first
  let inside = 0
  const perAccount = makeBuckets(clock)
  const failures = makeBuckets(clock)

  function refusal(request: IncomingMessage): Problem | undefined {
    const { authorization } = request.headers
    // An account that has proven itself is never kept out by strangers at the same address.
    const guessers = limits.failedLoginsPerSecond
    const guesses = failures.any() && failures.isEmpty(source(request), guessers, guessers)
    if (guesses && !gate.knows(authorization)) {
      return { code: 'request.too-many', detail: 'too many refused credentials from this address' }
    }
    if (isExempt(request)) return undefined
    if (inside >= limits.concurrentRequests) {
      return { code: 'request.too-many', detail: `more than ${limits.concurrentRequests} at once` }
    }
    const rate = limits.requestsPerSecond
    if (
      rate > 0 &&
      authorization !== undefined &&
      !perAccount.take(authorization, rate, rate * burstSeconds)
    ) {
      return { code: 'request.too-many', detail: `more than ${rate} a second` }
    }
    return undefined
  }

  return {
    enter(request, response) {
      const problem = refusal(request)
      if (problem) return problem
      inside++
      response.once('close', () => {
        inside--
        const { failedLoginsPerSecond: most } = limits
        if (response.statusCode === 401) failures.take(source(request), most, most)
      })
      return undefined
    },
    change(others) {
      limits = others
    },
  }
}

/** Platforms poll and clean up whatever happens: refusing that would only make things worse. */
function isExempt({ method, url = '' }: IncomingMessage): boolean {
  return method === 'DELETE' || /\/last_operation(\?|$)/.test(url)
}

interface Buckets {
  /** Takes one; false when there is none. */
  take(key: string, perSecond: number, most: number): boolean
  isEmpty(key: string, perSecond: number, most: number): boolean
  any(): boolean
}

/** Token buckets, the least recently used forgotten first. */
function makeBuckets(clock: Pick<Clock, 'monotonic'>): Buckets {
  const buckets = new Map<string, { left: number; at: number }>()
  const filled = (key: string, perSecond: number, most: number) => {
    const now = clock.monotonic()
    const known = buckets.get(key)
    if (known === undefined) return { left: most, at: now }
    return { left: Math.min(most, known.left + ((now - known.at) / 1000) * perSecond), at: now }
  }
  return {
    take(key, perSecond, most) {
      const bucket = filled(key, perSecond, most)
      const enough = bucket.left >= 1
      buckets.delete(key)
      buckets.set(key, enough ? { ...bucket, left: bucket.left - 1 } : bucket)
      const [oldest] = buckets.keys()
      if (buckets.size > placesMax && oldest !== undefined) buckets.delete(oldest)
      return enough
    },
    isEmpty: (key, perSecond, most) => buckets.has(key) && filled(key, perSecond, most).left < 1,
    any: () => buckets.size > 0,
  }
}
