import { expect, test } from 'vitest'
import { anOperation } from '../../test/support/rows.ts'
import { openWorkshop } from '../../test/support/workshop.ts'
import type { Ports } from '../broker/ports.ts'
import type { Engine } from '../engines/engine.ts'
import { encode } from '../kit/codec.ts'
import type { Operation, Run } from '../model/operation.ts'
import type { Store } from '../store/store.ts'
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
  const { world, clock, chance, tools, ...workshop } = await openWorkshop()
  const store = change(workshop.store)
  const operation = anOperation({ runAfter: 0, deadlineAt: world.now + 60 * minute, ...given })
  await store.write(async (tx) => {
    await tx.addOperation(operation)
    const { id, stage, attempt } = operation
    await tx.putRun({ operation: id, stage, attempt, name: 'run', engine: 'e', state })
    await tx.seal('run/run', 'job', Buffer.from(encode({})))
  })
  const ports = { store, clock, chance, node: 'n' } as unknown as Ports
  const engines = [{ ...engine, name: 'e' } as Engine]
  const report = { event: () => undefined }
  startWorker(await tools({ ports, engines, report }, { stagesMax: 1, attemptsMax: 1 }))
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

/** An engine whose runs never end; tells what it did. */
const endless = (done: string[]) => ({
  look: async () => ({ kind: 'absent' }) as const,
  layOut: async () => void done.push('laid out'),
  start: async () => {
    done.push('started')
    return await never
  },
})

test('a run is laid out while its intent is on its way to the disk, and started once it is there', async () => {
  const disk = Promise.withResolvers<void>()
  const done: string[] = []
  const engine = endless(done)
  const change = (store: Store): Store => ({ ...store, settled: () => disk.promise })
  const given = { state: 'preparing', fence: 5 } as const
  const { world } = await atWork(engine, given, { state: 'intended', change })

  await world.run(world.now + minute / 10)
  expect(done).toEqual(['laid out'])
  disk.resolve()
  await world.run(world.now + minute / 10)

  expect(done).toEqual(['laid out', 'started'])
})

test('what is cancelled before its run has started ends, and its layout is destroyed first', async () => {
  const done: string[] = []
  const engine: Partial<Engine> = {
    look: async () => ({ kind: 'laid-out' }),
    discard: async (name) => void done.push(`discards ${name}`),
  }
  const given = { state: 'preparing', cancelRequestedAt: 1 } as const
  const { world, store, operation } = await atWork(engine, given, { state: 'intended' })

  await world.run(world.now + minute / 10)

  expect(done).toEqual(['discards run'])
  expect((await store.look.operation(operation.id))?.state).toBe('cancelled')
})

test('what had begun goes on where a clock was only set forward to its deadline', async () => {
  const done: string[] = []
  const engine = endless(done)
  const change = (store: Store): Store => {
    const { look } = store
    const now = async () => (await look.now()) + 180 * minute
    const nowFor = () => look.now()
    return {
      ...store,
      look: new Proxy(look, { get: (of, name) => ({ now, nowFor })[String(name)] ?? member(of, name) }),
    }
  }
  const given = { state: 'preparing', fence: 5 } as const
  const { world } = await atWork(engine, given, { state: 'intended', change })

  await world.run(world.now + minute / 10)

  expect(done).toEqual(['laid out', 'started'])
})

function member(of: Store['look'], name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name)
  return typeof value === 'function' ? value.bind(of) : value
}
