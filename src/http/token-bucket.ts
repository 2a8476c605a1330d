/** Token buckets by key: so much at once, and so much a second after that. */
import type { Clock } from '../kit/clock.ts'

export interface Rate {
  readonly perSecond: number
  /** What a full bucket holds. */
  readonly most: number
}

export interface TokenBuckets {
  /** Takes a token; false when there is none. */
  take(key: string, rate: Rate): boolean
  /** Puts a token back that was taken for nothing. */
  giveBack(key: string, rate: Rate): void
}

/** So many keys are told apart; beyond that the least recently used is forgotten, which fills its bucket. */
const keysMax = 10_000

interface Bucket {
  readonly left: number
  readonly at: number
}

/** Makes buckets that are full at first. */
export function makeTokenBuckets(clock: Pick<Clock, 'monotonic'>): TokenBuckets {
  const buckets = new Map<string, Bucket>()
  const filled = (key: string, { perSecond, most }: Rate): Bucket => {
    const now = clock.monotonic()
    const known = buckets.get(key)
    if (known === undefined) return { left: most, at: now }
    return { left: Math.min(most, known.left + ((now - known.at) / 1000) * perSecond), at: now }
  }
  const keep = (key: string, bucket: Bucket): void => {
    buckets.delete(key)
    buckets.set(key, bucket)
    if (buckets.size > keysMax) for (const oldest of buckets.keys().take(1)) buckets.delete(oldest)
  }
  return {
    take(key, rate) {
      const bucket = filled(key, rate)
      const enough = bucket.left >= 1
      keep(key, enough ? { ...bucket, left: bucket.left - 1 } : bucket)
      return enough
    },
    giveBack(key, rate) {
      const bucket = filled(key, rate)
      if (bucket.left + 1 >= rate.most) buckets.delete(key)
      else keep(key, { ...bucket, left: bucket.left + 1 })
    },
  }
}
