/** Fills a store as years of use would: instances at rest, each with operations that have ended. */
import { orders } from '../../src/broker/orders.ts'
import { systemChance, systemClock } from '../../src/kit/clock.ts'
import { ulidSource } from '../../src/kit/id.ts'
import type { Operation } from '../../src/model/operation.ts'
import { openStore } from '../../src/store/index.ts'
import { openKeyRing } from '../../src/store/keys.ts'

export interface Filling {
  readonly dataDir: string
  readonly instances: number
  readonly operationsEach: number
  readonly serviceId: string
  readonly planId: string
  readonly digest: string
  readonly platform: string
}

const batch = 500

/** Writes instances `filled-0` … with their orders and ended operations. */
export async function fillStore(filling: Filling): Promise<void> {
  const keys = openKeyRing(`${filling.dataDir}/keys.json`, systemChance)
  const store = await openStore({ url: `sqlite:${filling.dataDir}/chandler.db`, keys, clock: systemClock })
  const newId = ulidSource(systemChance)
  for (let from = 0; from < filling.instances; from += batch) {
    await store.write(async (tx) => {
      for (let i = from; i < Math.min(filling.instances, from + batch); i++) {
        const target = { platform: filling.platform, instance: `filled-${i}` }
        const now = Date.now()
        await tx.putInstance({
          ...target,
          state: 'ready',
          tenant: `${filling.platform}/org/space`,
          generation: 1,
          serviceId: filling.serviceId,
          planId: filling.planId,
          digest: filling.digest,
          organization: 'org',
          space: 'space',
          createdAt: now,
          updatedAt: now,
        })
        await orders.putInstance(tx, target, {
          parameters: { size: 2 },
          context: { platform: 'cloudfoundry' },
        })
        for (let n = 0; n < filling.operationsEach; n++) await tx.addOperation(ended(newId(now), target, now))
      }
    })
  }
  await store.close()
}

function ended(id: string, target: Operation['target'], now: number): Operation {
  return {
    id,
    target,
    action: { kind: 'provision' },
    tenant: `${target.platform}/org/space`,
    state: 'succeeded',
    reason: 'succeeded',
    description: 'The pretended provision succeeded.',
    requestId: id,
    priority: 1,
    createdAt: now,
    startedAt: now,
    finishedAt: now,
    deadlineAt: now + 3_600_000,
    runAfter: now,
    fence: 1,
    strikes: 0,
    stage: 0,
    attempt: 1,
  }
}
