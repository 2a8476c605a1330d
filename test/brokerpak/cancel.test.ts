/** An order that is cancelled while Terraform works: what was made stays known, and can be removed. */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker } from '../support/broker.ts'
import { Customer, layOutPak, offering, type Step } from './offline.ts'

const engine = hostEngine() ?? ''
const instance = '0a0b0c0d-1111-4222-8333-4444555566cc'

test.skipIf(engine === '')(
  'a cancelled provision ends soon and can be cleared away, and its neighbours go on (needs terraform or tofu)',
  async () => {
    const home = newFolder()
    const at = await startTestBroker('', home, offering(layOutPak('csb-suite', home), engine))
    const operator = async (method: string, path: string) => {
      const answer = await ask(at, `/api/v1${path}`, { as: basic('admin'), method })
      return (await answer.json()) as { readonly items: readonly { readonly id: string }[] }
    }
    try {
      const customer = new Customer(at, 'offline-lifecycle')
      const made = await customer.take({ op: 'provision', instance, plan: 'basic', expect: {} })
      const slow: Step = {
        op: 'provision',
        instance: `${instance}2`,
        plan: 'basic',
        params: { sleep_s: 100 },
        expect: {},
      }
      const ordered = await customer.order(slow)
      await customer.running()
      await new Promise((resolve) => setTimeout(resolve, 3000))
      const { items } = await operator('GET', '/operations?limit=1')
      await operator('POST', `/operations/${items[0]?.id}/cancel`)
      const ended = await customer.poll(slow, ordered.body['operation'])
      const cleared = await customer.take({ op: 'deprovision', instance: slow.instance, expect: {} })
      const grown = await customer.take({ op: 'update', instance, params: { storage_gb: 9 }, expect: {} })

      expect(made.state).toBe('succeeded')
      expect(ended['state']).toBe('failed')
      expect(cleared.state).toBe('succeeded')
      expect(grown.state).toBe('succeeded')
    } finally {
      await at.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
  120_000,
)
