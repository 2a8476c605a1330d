/** The server's time without asking for it each time: reckoned on from the last time it told. */
import type { Clock } from '../../kit/clock.ts'

export interface ServerTime {
  /** What the server has just told; a step of its clock since it told last is told on. */
  told(now: number): void
  /** The time now, if it was told lately enough. */
  reckoned(): number | undefined
}

/** No answer takes so long on its way, so a greater difference is none of the network's. */
const stepMs = 15_000

/** Trusts our monotonic clock for so long; never goes back. */
export function makeServerTime(
  clock: Pick<Clock, 'monotonic'>,
  trustMs: number,
  stepped: (ms: number) => void,
): ServerTime {
  let last: { readonly now: number; readonly at: number } | undefined
  let latest = 0
  return {
    told: (now) => {
      const at = clock.monotonic()
      const step = last === undefined ? 0 : now - last.now - (at - last.at)
      last = { now, at }
      if (Math.abs(step) >= stepMs) stepped(step)
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
