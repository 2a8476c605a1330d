/** A broker that is killed while a bundle installs: the run goes on, and its end is told as it was. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configuration, newFolder } from '../support/broker.ts'
import { startBrokerProcess } from '../support/broker-process.ts'
import { ensurePrograms } from '../support/debian.ts'
import { thickBundle } from './bundle.ts'
import { offeringOn, Platform } from './platform.ts'

const missing = ensurePrograms('busybox')

const slow = {
  name: 'slow',
  run: `
echo "begin $CNAB_REVISION"
test "$CNAB_ACTION" = uninstall || sleep 3
printf '%s' "$CNAB_REVISION" > /cnab/app/outputs/revision
exit "\${STATUS:-0}"
`,
  bundle: {
    definitions: { status: { type: 'integer', default: 0 }, text: { type: 'string', default: '' } },
    parameters: { status: { definition: 'status', destination: { env: 'STATUS' }, applyTo: ['install'] } },
    outputs: { revision: { definition: 'text', path: '/cnab/app/outputs/revision' } },
  },
}

describe.skipIf(missing !== undefined)('kill -9 during an install', () => {
  test.concurrent.each([
    ['that succeeds', 0, 'succeeded'],
    ['that fails', 4, 'failed'],
  ])(
    '%s: the next start tells how it went, and it ran once',
    async (_, status, state) => {
      const home = newFolder()
      const { folder } = await thickBundle(home, slow)
      const config = join(home, 'chandler.yml')
      writeFileSync(config, offeringOn([{ package: folder }])(configuration()))
      const place = { dataDir: join(home, 'data'), config }
      try {
        const first = await startBrokerProcess(place)
        const before = new Platform({ url: first.url, logLines: [] })
        const ordered = await before.provision('i1', 'default', { status })
        expect(ordered.status).toBe(202)
        const operation = String(ordered.body['operation'])
        while (!(await before.log(operation)).includes('begin'))
          await new Promise((resolve) => setTimeout(resolve, 50))
        await first.end('SIGKILL')

        const second = await startBrokerProcess(place)
        try {
          const after = new Platform({ url: second.url, logLines: [] })
          expect(await after.end('i1', ordered)).toMatchObject({ state })
          const begun = (await after.log(operation)).match(/begin \S+/g) ?? []
          expect(begun).toEqual([`begin ${(await after.outputs('i1'))['revision']}`])
          expect(await after.end('i1', await after.remove('i1', 'default'))).toMatchObject({
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
})
