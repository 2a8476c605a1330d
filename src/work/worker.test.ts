import { expect, test } from 'vitest'
import { makeWorld } from '../../test/simulation/world.ts'
import { anOperation } from '../../test/support/rows.ts'
import type { Ports } from '../broker/ports.ts'
import type { Engine } from '../engines/engine.ts'
import { encode } from '../kit/codec.ts'
import type { Operation, Run } from '../model/operation.ts'
import { openStore } from '../store/index.ts'
import { makeKeyRing } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import { makeBell } from './bell.ts'
import { makeLogWriter } from './log-writer.ts'
import type { Tools } from './tools.ts'
import { startWorker } from './worker.ts'

const never = new Promise<never>(() => undefined)
const minute = 60_000

/** A worker with one operation before it, whose run stands as given. */
async function atWork(
  engine: Partial<Engine>,
  given: Partial<Operation>,
  {
    state,
    change = (store) => store,
  }: { readonly state: Run['state']; readonly change?: (store: Store) => Store },
) {
  const world = makeWorld(1)
  const clock = { now: () => world.now, monotonic: () => world.now, sleep: world.sleep }
  const chance = { bytes: (count: number) => new Uint8Array(count).fill(7), number: () => 0.5 }
  const keys = makeKeyRing(chance)
  const store = change(await openStore({ url: 'sqlite::memory:', keys, clock, chance }))
  const operation = anOperation({ runAfter: 0, deadlineAt: world.now + 60 * minute, ...given })
  await store.write(async (tx) => {
    await tx.addOperation(operation)
    const { id, stage, attempt } = operation
    await tx.putRun({ operation: id, stage, attempt, name: 'run', engine: 'e', state })
    await tx.seal('run/run', 'job', Buffer.from(encode({})))
  })
  const tools = {
    ports: { store, clock, chance, node: 'n' } as unknown as Ports,
    cluster: await store.look.cluster(),
    engines: [{ ...engine, name: 'e' } as Engine],
    bell: makeBell(),
    logs: makeLogWriter(store, clock),
    room: () => ({ concurrency: 4, perPlatform: 4 }),
    limits: {
      leaseMs: 15_000,
      heartbeatMs: 5000,
      stagesMax: 1,
      attemptsMax: 1,
    },
    report: { event: () => undefined },
  } satisfies Tools
  startWorker(tools)
  return { world, store, operation }
}

test.each([
  [5 * minute, 3],
  [15 * minute, 2],
])(
  'after %i ms of work that goes on, a claim that was the third without progress counts as %i',
  async (ms, strikes) => {
    const stuck = { look: () => never }
    const given = { state: 'running', strikes: 2, fence: 5 } as const
    const { world, store, operation } = await atWork(stuck, given, { state: 'started' })

    await world.run(world.now + ms)

    expect((await store.look.operation(operation.id))?.strikes).toBe(strikes)
  },
)

test('a run is laid out while its intent is on its way to the disk, and started once it is there', async () => {
  const disk = Promise.withResolvers<void>()
  const done: string[] = []
  const engine = {
    look: async () => ({ kind: 'absent' }) as const,
    layOut: async () => void done.push('laid out'),
    start: async () => {
      done.push('started')
      return await never
    },
  }
  const change = (store: Store): Store => ({ ...store, settled: () => disk.promise })
  const given = { state: 'preparing', fence: 5 } as const
  const { world } = await atWork(engine, given, { state: 'intended', change })

  await world.run(world.now + minute / 10)
  expect(done).toEqual(['laid out'])
  disk.resolve()
  await world.run(world.now + minute / 10)

  expect(done).toEqual(['laid out', 'started'])
})
