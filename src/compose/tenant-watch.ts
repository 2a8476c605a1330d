/** Keeps what this process knows of tenants as the store has it: as soon as a hint comes, and again and again without one. */
import type { Clock } from '../kit/clock.ts'
import type { Store } from '../store/store.ts'
import type { Rules } from './settings-of-parts.ts'

export interface TenantWatch {
  /** Reads what is decided now. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

interface WatchParts {
  readonly store: Store
  readonly rules: Pick<Rules, 'takeTenants'>
  readonly clock: Pick<Clock, 'sleep'>
  fault(error: unknown): void
}

/** A hint may be lost. */
const lookEveryMs = 2000

/** Reads once before it resolves, and then whenever there may be something else. */
export async function startTenantWatch({ store, rules, clock, fault }: WatchParts): Promise<TenantWatch> {
  const leaving = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  const refresh = (): Promise<void> => {
    // One after the other: what is read first must not be taken last.
    const turn = last.then(async () => rules.takeTenants(await store.look.tenantRules()))
    last = turn.catch(() => undefined)
    return turn
  }
  await refresh()
  store.onHint(({ kind }) => {
    if (kind === 'tenants') void refresh().catch(fault)
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
