/** The server's time without asking for it each time: reckoned on from the last time it told. */
import type { Clock } from '../../kit/clock.ts'
import type { ForwardStep } from '../database.ts'

export interface ServerTime {
  /** The server is asked; what comes back is for its answer. A step of its clock since the answer before is told on. */
  asked(): (now: number) => void
  /** The time now, if it was told lately enough. */
  reckoned(): number | undefined
  /** How its clock was set forward as long as this process knows it, latest last. */
  steps(): readonly ForwardStep[]
}

/** What is called a step, beyond what the ways of the answers explain. */
const stepMs = 15_000
/** A clock that is set all the time is no clock. */
const stepsMax = 8

interface Told {
  readonly now: number
  /** When its answer was there, by our monotonic clock. */
  readonly at: number
  /** It may be so much older. */
  readonly ageMs: number
}

/** Trusts our monotonic clock for so long; never goes back. */
export function makeServerTime(
  clock: Pick<Clock, 'monotonic'>,
  trustMs: number,
  stepped: (ms: number) => void,
): ServerTime {
  let last: Told | undefined
  let latest = 0
  let steps: readonly ForwardStep[] = []
  return {
    steps: () => steps,
    asked: () => {
      const sentAt = clock.monotonic()
      return (now) => {
        const at = clock.monotonic()
        const before = last
        last = { now, at, ageMs: at - sentAt }
        if (before === undefined) return
        const step = now - before.now - (at - before.at)
        if (Math.abs(step) < stepMs + last.ageMs + before.ageMs) return
        if (step > 0)
          steps = [...steps, { at: Math.floor(now - step), ms: Math.floor(step) }].slice(-stepsMax)
        stepped(step)
      }
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
