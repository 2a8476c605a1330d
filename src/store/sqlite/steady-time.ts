/** The time of a database that has no clock of its own: the wall clock's, but without its steps. */
import type { Clock } from '../../kit/clock.ts'

/** How much of a difference to the wall clock is made up for, per time that passes: a step of an hour takes four days. */
const correction = 0.01

/**
 * Deadlines and leases are compared with this time, so it must neither stand still nor jump when the clock is set.
 * It only grows, at the speed of the monotonic clock, and comes nearer to the wall clock little by little.
 */
export function steadyTime({ now, monotonic }: Clock, first = now()): () => number {
  let told = first
  let at = monotonic()
  return () => {
    const passed = Math.max(0, monotonic() - at)
    at += passed
    const expected = told + passed
    const most = passed * correction
    told = expected + Math.min(most, Math.max(-most, now() - expected))
    return Math.floor(told)
  }
}
