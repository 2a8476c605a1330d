/** What commands without a server have left in a data folder. */
import { openLocalBroker } from '../../src/local/local-broker.ts'

/** The names of the instances that are there. */
export async function instancesIn(dataDir: string): Promise<readonly string[]> {
  const house = await openLocalBroker({ dataDir })
  try {
    const { items } = await house.store.look.instances({ platform: 'local', most: 100 })
    return items.filter(({ state }) => state !== 'gone').map(({ instance }) => instance)
  } finally {
    await house.close()
  }
}
