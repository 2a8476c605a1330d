/** Keeps what this process knows of the store's own decisions as it is there: as soon as a hint comes, and again and again without one. */
import type { Clock } from '../kit/clock.ts'
import type { Hint, Store } from '../store/store.ts'

export interface StoreWatch {
  /** Reads what is there now. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

interface WatchParts {
  readonly store: Store
  /** The hint that tells of it. */
  readonly kind: Hint['kind']
  /** Reads it, and takes it over. */
  take(): Promise<unknown>
  readonly clock: Pick<Clock, 'sleep'>
  fault(error: unknown): void
}

/** A hint may be lost. */
const lookEveryMs = 2000

/** Reads once before it resolves, and then whenever there may be something else. */
export async function startStoreWatch({ store, kind, take, clock, fault }: WatchParts): Promise<StoreWatch> {
  const leaving = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  const refresh = (): Promise<void> => {
    // One after the other: what is read first must not be taken last.
    const turn = last.then(take)
    last = turn.catch(() => undefined)
    return turn.then(() => undefined)
  }
  await refresh()
  store.onHint((hint) => {
    if (hint.kind === kind) void refresh().catch(fault)
  })
  const rounds = (async () => {
    while (!leaving.signal.aborted) {
      await clock.sleep(lookEveryMs, leaving.signal)
      if (!leaving.signal.aborted) await refresh().catch(fault)
    }
  })()
  return {
    refresh,
    async stop() {
      leaving.abort()
      await rounds
    },
  }
}
