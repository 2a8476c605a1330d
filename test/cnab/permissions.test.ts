/** A bundle that hands out what its service has no permission for: the bind fails here, before a platform refuses it. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { thickBundle } from './bundle.ts'
import { offering, Platform } from './platform.ts'

const missing = ensurePrograms('busybox')
const run =
  'if [ "$CNAB_ACTION" = install ]; then printf syslog://logs.example >/cnab/app/outputs/syslog_drain_url; fi\n'
const bundle = {
  definitions: { text: { type: 'string' } },
  outputs: {
    syslog_drain_url: {
      definition: 'text',
      path: '/cnab/app/outputs/syslog_drain_url',
      applyTo: ['install'],
    },
  },
}

describe.skipIf(missing !== undefined)('a bind with a syslog drain', () => {
  let folder: string
  let at: TestBroker
  beforeAll(async () => {
    folder = freshFolder('permissions')
    const drain = await thickBundle(folder, { name: 'drain', run, bundle })
    at = await offering([{ package: drain.folder }])
  })
  afterAll(async () => {
    await at?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('fails and names the permission that the service lacks', async () => {
    const platform = new Platform(at)
    await platform.end('i1', await platform.provision('i1', 'default', {}))
    const bound = await platform.bind('i1', 'b1', 'default')
    const ended = await platform.end('i1/service_bindings/b1', bound)

    const { body } = await platform.ask('GET', '/api/v1/operations?limit=1', undefined, 'admin')

    expect(body['items']).toMatchObject([{ problem: { code: 'binding.permission-missing' } }])
    expect(ended).toMatchObject({
      state: 'answered 500',
      description: expect.stringContaining('syslog_drain'),
    })
  })
})
