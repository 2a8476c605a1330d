/** What polls were told last: for as long as the store is away, what was under way a moment ago still is. */
import type { Clock } from '../../kit/clock.ts'
import { toProblem } from '../../model/problem.ts'
import type { Answer } from '../answer.ts'

export interface LastSeen {
  /** Asks; when the store cannot be reached, answers what it was told a moment ago. */
  through(key: string, ask: () => Promise<Answer>): Promise<Answer>
}

/** Platforms count errors, so a short outage is none; after a longer one what was seen cannot be relied on. */
const trustedMs = 30_000
/** Beyond that the longest unasked are forgotten. */
const keptMax = 10_000

interface Seen {
  readonly answer: Answer
  readonly at: number
}

/** Remembers answers of what is in progress; an end is never told but by the store. */
export function makeLastSeen({ monotonic }: Pick<Clock, 'monotonic'>): LastSeen {
  const seen = new Map<string, Seen>()
  const remember = (key: string, answer: Answer): void => {
    seen.delete(key)
    if (answer.body?.['state'] !== 'in progress') return
    seen.set(key, { answer, at: monotonic() })
    if (seen.size > keptMax) for (const oldest of seen.keys().take(1)) seen.delete(oldest)
  }
  return {
    async through(key, ask) {
      const askedAt = monotonic()
      try {
        const answer = await ask()
        remember(key, answer)
        return answer
      } catch (error) {
        const known = seen.get(key)
        // Old is what was old when it was asked for: waiting for the store takes its time, too.
        const isFresh = known !== undefined && askedAt - known.at <= trustedMs
        if (isFresh && toProblem(error).code === 'store.unavailable') return known.answer
        throw error
      }
    },
  }
}
