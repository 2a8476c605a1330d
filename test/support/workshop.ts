/** Where a worker can be watched: a world whose time moves only when told, a store in it, and what is at hand there. */
import { openStore } from '../../src/store/index.ts'
import { endHints } from '../../src/work/end-hints.ts'
import { makeLogWriter } from '../../src/work/log-writer.ts'
import type { Tools, WorkLimits } from '../../src/work/tools.ts'
import { makeWorld } from '../simulation/world.ts'
import { makeKeyRing } from './key-ring.ts'

/** Opens one over an empty store. */
export async function openWorkshop() {
  const world = makeWorld(1)
  const clock = { now: () => world.now, monotonic: () => world.now, sleep: world.sleep }
  const chance = { bytes: (count: number) => new Uint8Array(count).fill(7), number: () => 0.5 }
  const store = await openStore({ url: 'sqlite::memory:', keys: makeKeyRing(chance), clock, chance })
  const tools = async (
    given: Pick<Tools, 'ports' | 'engines' | 'report'>,
    most: Pick<WorkLimits, 'stagesMax' | 'attemptsMax'>,
  ): Promise<Tools> => ({
    ...given,
    cluster: await store.look.cluster(),
    bell: endHints(),
    logs: makeLogWriter(given.ports.store, clock),
    room: () => ({ concurrency: 4, perPlatform: 4 }),
    limits: { leaseMs: 15_000, heartbeatMs: 5000, ...most },
  })
  return { world, clock, chance, store, tools }
}
