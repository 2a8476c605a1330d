/** A broker that is killed while Terraform works: the work goes on, its state is kept, the order ends as it went. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { configuration, newFolder } from '../support/broker.ts'
import { startBrokerProcess } from '../support/broker-process.ts'
import { Customer, layOutPak, offering, type Step } from './offline.ts'

const program = hostEngine() ?? ''
const instance = '0a0b0c0d-1111-4222-8333-4444555566ff'

test.skipIf(program === '').each([
  ['that succeeds', false, 'succeeded', 'of 5 GB is ready'],
  ['that fails', true, 'failed', 'apply was told to fail'],
])(
  'kill -9 during an apply %s: the next start tells how it went, and what was made can be removed (needs terraform or tofu)',
  async (_fact, fail, state, said) => {
    const home = newFolder()
    const config = join(home, 'chandler.yml')
    writeFileSync(config, offering(layOutPak('csb-suite', home), program)(configuration()))
    const place = { dataDir: join(home, 'data'), config }
    const provision: Step = {
      op: 'provision',
      instance,
      plan: 'basic',
      params: { sleep_s: 3, fail },
      expect: {},
    }
    try {
      const first = await startBrokerProcess(place)
      const before = new Customer({ url: first.url, logLines: [] }, 'offline-lifecycle')
      expect((await before.order(provision)).status).toBe(202)
      await before.running()
      await first.end('SIGKILL')

      const second = await startBrokerProcess(place)
      try {
        const after = new Customer({ url: second.url, logLines: [] }, 'offline-lifecycle')
        expect(await after.poll(provision)).toMatchObject({
          state,
          description: expect.stringContaining(said),
        })
        expect(await after.take({ op: 'deprovision', instance, expect: {} })).toMatchObject({
          state: 'succeeded',
        })
      } finally {
        await second.end('SIGTERM')
      }
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
  120_000,
)
