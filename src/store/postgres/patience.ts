/** Trying again: at once after a lost race, with growing pauses while the server is away, for a bounded time. */
import { never } from '../../kit/assert.ts'
import type { Chance, Clock } from '../../kit/clock.ts'
import { type Complaint, complaintOf, postgresProblem } from './problem.ts'

export interface Patience {
  readonly clock: Clock
  readonly chance: Chance
  /** How long in all. */
  readonly ms: number
  /** Told when the server's files turn out to be damaged. */
  damaged(problem: unknown): void
}

const baseMs = 20
const capMs = 2000
// A conflict that stays after so many looks is a fact and not a race.
const conflictsMax = 4
// Each race has a winner, so that losing so many says that something else is wrong.
const racesMax = 30

/** Runs it until it works, fails for good, or the patience ends. */
export async function patiently<T>(patience: Patience, attempt: () => Promise<T>): Promise<T> {
  const { clock, chance } = patience
  const until = clock.monotonic() + patience.ms
  const counts: Record<Complaint['kind'], number> = { race: 0, conflict: 0, away: 0, damaged: 0, other: 0 }
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const { kind } = complaintOf(error)
      const tries = counts[kind]++
      if (kind === 'damaged') patience.damaged(postgresProblem(error))
      if (isFinal(kind, tries) || (kind === 'away' && clock.monotonic() >= until))
        throw postgresProblem(error)
      // The first loser of a race need not wait: the winner has committed.
      if (tries > 0 || kind === 'away')
        await clock.sleep(chance.number() * Math.min(capMs, baseMs * 2 ** tries))
    }
  }
}

function isFinal(kind: Complaint['kind'], tries: number): boolean {
  switch (kind) {
    case 'race':
      return tries >= racesMax
    case 'conflict':
      return tries >= conflictsMax
    case 'away':
      return false
    case 'damaged':
    case 'other':
      return true
    default:
      return never(kind)
  }
}
