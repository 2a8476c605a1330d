/** Opens the store of the settings, waiting a while for a database that is not there yet. */
import { endProcess } from '../host/end-process.ts'
import type { Chance, Clock } from '../kit/clock.ts'
import { toProblem } from '../model/problem.ts'
import { storeUrlOf } from '../settings/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { openStore } from '../store/index.ts'
import type { KeyRing } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import type { WorkReport } from '../work/work-report.ts'

export interface StoreSurroundings {
  readonly ring: KeyRing
  readonly clock: Clock
  readonly chance: Chance
  readonly report: WorkReport
}

const againMs = 500

/** Problems: store.unavailable when it stays away, store.locked, store.newer, key.wrong. */
export async function openBrokerStore(settings: Settings, around: StoreSurroundings): Promise<Store> {
  const { ring, clock, chance, report } = around
  const { poolSize, statementTimeout, connectTimeout } = settings.store
  const until = clock.monotonic() + connectTimeout
  for (;;) {
    try {
      return await openStore({
        url: storeUrlOf(settings),
        keys: ring,
        clock,
        chance,
        poolSize,
        statementMs: statementTimeout,
        lost: endProcess,
        stepped: (error) => report.event({ kind: 'fault', doing: 'go by the time of the database', error }),
      })
    } catch (error) {
      if (toProblem(error).code !== 'store.unavailable' || clock.monotonic() + againMs > until) throw error
      await clock.sleep(againMs)
    }
  }
}
