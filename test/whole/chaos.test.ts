/** The short form of the storms; `npm run chaos` is the long one. */
import { expect, test } from 'vitest'
import {
  cutDatabase,
  killedBroker,
  killedReplica,
  killedWithContainers,
  stampede,
} from '../chaos/scenarios.ts'
import { ensurePrograms } from '../support/debian.ts'
import { missingPostgres } from '../support/stores.ts'

// CHAOS_SEED draws another storm.
const seed = Number(process.env['CHAOS_SEED'] ?? 20_260_101)
const size = { customers: 16, blows: 3, seed }

test('1,000 identical orders at once make one instance and one operation', async () => {
  expect(await stampede('sqlite', 1000)).toEqual([])
})

test('a broker that is killed again and again loses nothing and starts nothing twice', async () => {
  const { faults, acknowledged } = await killedBroker('sqlite', size)

  expect(faults).toEqual([])
  expect(acknowledged).toBeGreaterThan(16)
})

test.skipIf(ensurePrograms('busybox') !== undefined)(
  'a broker that is killed while programs work in containers loses nothing and leaves nothing',
  async () => {
    const { faults, acknowledged } = await killedWithContainers({ ...size, customers: 4 })

    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(4)
  },
  300_000,
)

test.skipIf(missingPostgres !== undefined)(
  '400 identical orders at two brokers make one instance and one operation',
  async () => {
    expect(await stampede('postgres', 400)).toEqual([])
  },
  120_000,
)

test.skipIf(missingPostgres !== undefined)(
  'when one of two brokers is killed the other one finishes its work, once',
  async () => {
    const { faults } = await killedReplica(size)

    expect(faults).toEqual([])
  },
  300_000,
)

test.skipIf(missingPostgres !== undefined)(
  'orders survive a connection to the database that breaks and comes back',
  async () => {
    // A third claim that a cut ends before any progress holds the operation back, and rightly waits for an operator.
    const { faults } = await cutDatabase({ ...size, blows: 2 })

    expect(faults).toEqual([])
  },
  300_000,
)
