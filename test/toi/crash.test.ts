/** A broker that is killed while a package installs: the run goes on, and its end is told as it was. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { configuration, newFolder } from '../support/broker.ts'
import { startBrokerProcess } from '../support/broker-process.ts'
import { ensurePrograms } from '../support/debian.ts'
import { componentIn, componentName, executorRef } from './component.ts'

const missing = ensurePrograms('busybox')

const slow = {
  run: `
id=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')
echo "begin $id"
test "$1" = uninstall || sleep 3
printf '%s' "$id" > /toi/outputs/id
exit $(sed -n 's/^status: //p' /toi/inputs/parameters)
`,
  package: {
    executors: [{ resourceRef: executorRef, outputs: { id: 'id' } }],
    configTemplate: { status: 0 },
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
      const ctf = await componentIn(join(home, 'component'), slow)
      const config = join(home, 'chandler.yml')
      writeFileSync(config, offeringOn([{ package: `ocm:${ctf}//${componentName}:1.0.0` }])(configuration()))
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
          const begun = (await after.log(operation)).match(/begin/g) ?? []
          expect(begun).toHaveLength(1)
          expect((await after.outputs('i1'))['id']).toMatch(/^[0-9a-f]{16}$/)
          const gone = await after.end('i1', await after.remove('i1', 'default'))
          // Its executor ends as its parameters say, and these are those of the install.
          expect(gone).toMatchObject({ state })
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
