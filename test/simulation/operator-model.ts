/** An operator who looks now and then: what is held back is released, or cancelled. */
import type { Asker } from '../../src/broker/orders.ts'
import type { Ports } from '../../src/broker/ports.ts'
import { cancelOperation, releaseOperation } from '../../src/broker/steer.ts'
import { activeStates } from '../../src/model/operation.ts'
import type { Random, World } from './world.ts'

const asker: Asker = { platform: 'p0', account: { kind: 'user', id: 'operator' }, requestId: 'operator' }

/** Loses patience with one that is under way. */
async function forceOne(ports: Ports, random: Random): Promise<void> {
  const { items } = await ports.store.look.operations({ states: activeStates, most: 20 })
  if (items.length > 0) await cancelOperation(ports, asker, random.pick(items).id, true)
}

/** Looks until the time is over; a node that does not answer is asked again at the next look. */
export async function keepDuty(
  world: World,
  random: Random,
  { until, ports }: { readonly until: number; ports(): Ports | undefined },
): Promise<void> {
  while (world.now < until) {
    await world.sleep(random.between(500, 10_000))
    const asked = ports()
    if (asked === undefined) continue
    if (random.chance(0.1)) void forceOne(asked, random).catch(() => undefined)
    const held = asked.store.look.operations({ states: ['quarantined'], most: 20 })
    // A node that dies answers nothing, and its answer is not waited for.
    void held
      .then(async ({ items }) => {
        for (const { id } of items)
          await (random.chance(0.7) ? releaseOperation : cancelOperation)(asked, asker, id)
      })
      .catch(() => undefined)
  }
}
