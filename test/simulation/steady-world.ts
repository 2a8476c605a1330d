/** What lives of all kinds share: a database that loses nothing, and when all is quiet. */
import { activeStates } from '../../src/model/operation.ts'
import { openStore } from '../../src/store/index.ts'
import type { Store } from '../../src/store/store.ts'
import { makeKeyRing } from '../support/key-ring.ts'
import type { Cluster } from './cluster.ts'
import type { Wall } from './disk-model.ts'
import { chanceOf, type World } from './world.ts'

/** Several brokers on one database that loses nothing. */
export function openInMemory(world: World, wall: Wall): Promise<Store> {
  const chance = chanceOf(world.random.fork('store'))
  const clock = { now: () => world.now + wall.stepMs, monotonic: () => world.now, sleep: world.sleep }
  return openStore({ url: 'sqlite::memory:', keys: makeKeyRing(chance), clock, chance })
}

/** Nothing is under way, and nothing is left outside. */
export async function isQuiet({ store, engine }: Cluster): Promise<boolean> {
  const { items } = await store.look.operations({ states: activeStates, most: 1 })
  return items.length === 0 && engine.left.size === 0
}
