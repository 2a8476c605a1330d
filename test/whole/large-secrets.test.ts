/** Secrets of megabytes over OSB: refused by name of the setting at first, and taken through every step where the operator wants them. */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { Platform } from '../cnab/platform.ts'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker } from '../support/broker.ts'
import { busyboxImage } from '../support/busybox.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'

const missing = ensurePrograms('busybox')
const bytes = 8 * 1024 * 1024
/** No part of it occurs twice. */
const secret = Array.from({ length: bytes / 16 }, (_, i) => `k${i.toString(36).padStart(15, 'x')}`).join('')

test.each([
  ['limits.jsonText', 300_000, 400],
  ['http.bodyLimit', bytes, 413],
])('what is too much is refused with the name of the setting: %s', async (setting, length, status) => {
  const broker = await startTestBroker()
  try {
    const parameters = { secret: 'x'.repeat(length) }
    for (const [path, user, method] of [
      ['/v2/service_instances/i1?accepts_incomplete=true', 'platform', 'PUT'],
      ['/api/v1/instances', 'admin', 'POST'],
    ] as const) {
      const body = { service_id: 'x', plan_id: 'x', service: 'alpha-db', plan: 'small', parameters }
      const answer = await ask(broker, path, { as: basic(user), method, body })
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(setting)])
    }
  } finally {
    await broker.stop()
  }
})

test.skipIf(missing !== undefined)(
  'eight megabytes pass from the order to the program and are hidden in its log',
  async () => {
    const folder = freshFolder('large')
    const metadata = {
      pattern: 'tweed/v1',
      name: 'large',
      version: '1.0.0',
      inputs: { key: { type: 'string', writeOnly: true } },
    }
    const image = await busyboxImage(folder, 'large', {
      tree: {
        'metadata.yml': stringify(metadata),
        pattern: {
          bytes: `#!/bin/sh
case $1 in
  metadata) cat /metadata.yml ;;
  provision) echo "told: $(wc -c < "$INPUTS") bytes"; cat "$INPUTS"; base64 "$INPUTS"; echo; echo "the end" ;;
  bind) echo '{"user": "u"}' ;;
esac
`,
          mode: 0o755,
        },
      },
      settings: { entrypoint: ['/pattern'] },
    })
    const entries = [
      { package: image.reference, contract: 'tweed', plans: [{ name: 'only', from: 'default' }] },
    ]
    const broker = await startTestBroker('', undefined, (text) =>
      catalogOf(entries)(
        `engine: embedded\nlimits: {jsonText: 9MiB}\n${text.replace('http: {', 'http: {bodyLimit: 16MiB, ')}`,
      ),
    )
    try {
      const platform = new Platform(broker)
      const ended = await platform.end('i1', await platform.provision('i1', 'only', { key: secret }))
      const bound = await platform.bind('i1', 'b1', 'only')
      const bindEnd = bound.status === 202 ? await platform.end('i1/service_bindings/b1', bound) : bound
      const { items } = (await platform.ask('GET', '/api/v1/operations', undefined, 'admin'))
        .body as unknown as {
        readonly items: readonly { readonly id: string; readonly action: string }[]
      }
      const made = items.find(({ action }) => action === 'provision')
      const log = await platform.log(made?.id ?? '')

      expect(ended).toMatchObject({ state: 'succeeded' })
      expect(bindEnd).toMatchObject('state' in bindEnd ? { state: 'succeeded' } : { status: 201 })
      expect(log).toMatch(/told: \d{7,} bytes/)
      expect(log).toContain('the end')
      expect(log).toContain('[redacted]')
      expect(log.length).toBeLessThan(10_000)
    } finally {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  300_000,
)
