/** Asks the sources of the catalog again and again, each at its own interval. */
import type { Chance, Clock } from '../kit/clock.ts'
import type { LiveCatalog, LiveSource } from './live-catalog.ts'

export interface SourceRefresh {
  stop(): Promise<void>
}

export interface RefreshParts {
  readonly shelf: Pick<LiveCatalog, 'sources' | 'refresh'>
  readonly clock: Clock
  readonly chance: Chance
  /** Ends what is being listed, too. */
  readonly leaving: AbortController
  /** Another catalog is offered now. */
  changed(): void
  fault(error: unknown): void
}

/** A reload may bring other sources, so no wait is longer. */
const lookEveryMs = 5_000
/** A registry that was away is asked again after this, or after its interval where that is shorter. */
const againAfterMs = 60_000

/** Starts asking. */
export function startSourceRefresh({
  shelf,
  clock,
  chance,
  leaving,
  changed,
  fault,
}: RefreshParts): SourceRefresh {
  const { signal } = leaving
  const asked = new Map<string, number>()
  const isDue = ({ name, everyMs, listedAt, isFresh }: LiveSource): boolean => {
    const last = asked.get(name) ?? (isFresh ? listedAt : undefined)
    const pause = isFresh ? everyMs : Math.min(everyMs, againAfterMs)
    return last === undefined || clock.now() - last >= pause
  }
  const rounds = (async () => {
    while (!signal.aborted) {
      for (const source of shelf.sources().filter(isDue)) {
        asked.set(source.name, clock.now())
        const isOther = await shelf.refresh(source.name).catch((error: unknown) => {
          if (!signal.aborted) fault(error)
          return false
        })
        if (signal.aborted) return
        if (isOther) changed()
      }
      const least = Math.min(lookEveryMs, ...shelf.sources().map(({ everyMs }) => everyMs))
      // Brokers that share a registry do not ask all at once.
      await clock.sleep(least * (0.8 + 0.4 * chance.number()), signal)
    }
  })()
  return {
    async stop() {
      leaving.abort()
      await rounds
    },
  }
}
