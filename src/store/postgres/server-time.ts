/** The server's time without asking for it each time: reckoned on from the last time it told. */
import type { Clock } from '../../kit/clock.ts'

export interface ServerTime {
  /** What the server has just told. */
  told(now: number): void
  /** The time now, if it was told lately enough. */
  reckoned(): number | undefined
}

/** Trusts our monotonic clock for so long; never goes back. */
export function makeServerTime(clock: Clock, trustMs: number): ServerTime {
  let last: { readonly now: number; readonly at: number } | undefined
  let latest = 0
  return {
    told: (now) => {
      last = { now, at: clock.monotonic() }
    },
    reckoned: () => {
      if (last === undefined) return undefined
      const age = clock.monotonic() - last.at
      if (age >= trustMs) return undefined
      latest = Math.max(latest, Math.floor(last.now + age))
      return latest
    },
  }
}
