/** Many orders at once: a bounded number of engines runs, however many wait. */
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker } from '../support/broker.ts'
import { Customer, layOutPak, offering } from './offline.ts'
import { memoryOfThread, watchProcesses } from './processes.ts'

const engine = hostEngine() ?? ''

test.skipIf(engine === '')(
  'fifty provisions at once all end well with few engines and little memory (needs terraform or tofu)',
  async () => {
    const home = newFolder()
    const at = await startTestBroker('', home, offering(layOutPak('csb-suite', home), engine))
    const watched = watchProcesses(engine)
    const before = memoryOfThread()
    try {
      const customer = new Customer(at, 'offline-guarded')
      await customer.offered()
      const orders = Array.from({ length: 50 }, async (_, i) => {
        const step = { op: 'provision', instance: `many-${i}`, expect: {} } as const
        const { body } = await customer.order(step)
        return (await customer.poll(step, body['operation'], 200))['state']
      })

      expect(new Set(await Promise.all(orders))).toEqual(new Set(['succeeded']))
    } finally {
      await at.stop()
    }
    const { programs, ours } = watched.stop()
    // As many as operations are worked on at a time, and the one that prepares for all.
    expect(programs).toBeLessThanOrEqual(Math.max(4, 2 * availableParallelism()) + 1)
    expect(ours - before).toBeLessThan(256 * 1024 * 1024)
  },
  240_000,
)
