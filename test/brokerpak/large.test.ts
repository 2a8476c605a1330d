/** Parameters of sizes that no example has: the order ends, and its state is there for the next one. */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker } from '../support/broker.ts'
import { Customer, layOutPak, offering } from './offline.ts'

const engine = hostEngine() ?? ''
const instance = '0a0b0c0d-1111-4222-8333-4444555566dd'

test.skipIf(engine === '')(
  'a text of 16 KiB and more passes through every step (needs terraform or tofu)',
  async () => {
    const home = newFolder()
    const at = await startTestBroker('', home, offering(layOutPak('csb-suite', home), engine))
    try {
      const customer = new Customer(at, 'offline-lifecycle')
      const note = (bytes: number) => ({ note: 'canary-0123456789'.repeat(bytes / 16).slice(0, bytes) })
      const made = await customer.take({
        op: 'provision',
        instance,
        plan: 'basic',
        params: note(16_384),
        expect: {},
      })
      const grown = await customer.take({ op: 'update', instance, params: note(250_000), expect: {} })
      const bound = await customer.take({ op: 'bind', instance, binding: 'b1', expect: {} })
      const gone = await customer.take({ op: 'deprovision', instance, expect: {} })

      expect(
        [made, grown, bound, gone].map(({ state, said }) => [state, state === 'succeeded' ? '' : said]),
      ).toEqual(Array.from({ length: 4 }, () => ['succeeded', '']))
    } finally {
      await at.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
  300_000,
)
