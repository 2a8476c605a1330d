/** Which problems are worth waiting for, and how long; the same attempt goes on afterwards. */
import type { Chance } from '../kit/clock.ts'
import type { Problem } from '../model/problem.ts'
import type { ProblemCode } from '../model/problem-codes.ts'

const transient: ReadonlySet<ProblemCode> = new Set([
  'engine.unavailable',
  'store.unavailable',
  'package.busy',
])

const baseMs = 200
const capMs = 30_000

/** Whether the world, not the work, is at fault. */
export function isTransient({ code }: Problem): boolean {
  return transient.has(code)
}

/** Full jitter: anything from nothing to the doubled base, capped. */
export function backoffMs(tries: number, chance: Chance): number {
  return Math.floor(chance.number() * Math.min(capMs, baseMs * 2 ** Math.min(tries, 20)))
}
