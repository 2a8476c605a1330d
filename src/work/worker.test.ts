import { expect, test } from 'vitest'
import { makeWorld } from '../../test/simulation/world.ts'
import { anOperation } from '../../test/support/rows.ts'
import type { Ports } from '../broker/ports.ts'
import type { Engine } from '../engines/engine.ts'
import { openStore } from '../store/index.ts'
import { makeKeyRing } from '../store/keys.ts'
import { makeBell } from './bell.ts'
import { makeLogWriter } from './log-writer.ts'
import type { Tools } from './tools.ts'
import { startWorker } from './worker.ts'

const never = new Promise<never>(() => undefined)
const minute = 60_000

test.each([
  [5 * minute, 3],
  [15 * minute, 2],
])(
  'after %i ms of work that goes on, a claim that was the third without progress counts as %i',
  async (ms, strikes) => {
    const world = makeWorld(1)
    const clock = { now: () => world.now, monotonic: () => world.now, sleep: world.sleep }
    const chance = { bytes: (count: number) => new Uint8Array(count).fill(7), number: () => 0.5 }
    const store = await openStore({ url: 'sqlite::memory:', keys: makeKeyRing(chance), clock, chance })
    const operation = anOperation({
      state: 'running',
      strikes: 2,
      fence: 5,
      runAfter: 0,
      deadlineAt: world.now + 60 * minute,
    })
    await store.write(async (tx) => {
      await tx.addOperation(operation)
      const { id, stage, attempt } = operation
      await tx.putRun({ operation: id, stage, attempt, name: 'run', engine: 'stuck', state: 'started' })
    })
    const engine = { name: 'stuck', look: () => never } as unknown as Engine
    const tools = {
      ports: { store, clock, chance, node: 'n' } as unknown as Ports,
      cluster: await store.look.cluster(),
      engines: [engine],
      bell: makeBell(),
      logs: makeLogWriter(store, clock),
      limits: {
        concurrency: 4,
        perPlatform: 4,
        leaseMs: 15_000,
        heartbeatMs: 5000,
        stagesMax: 1,
        attemptsMax: 1,
      },
      report: { event: () => undefined },
    } satisfies Tools
    startWorker(tools)

    await world.run(world.now + ms)

    expect((await store.look.operation(operation.id))?.strikes).toBe(strikes)
  },
)
