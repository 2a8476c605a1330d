/** A bundle that its registry has only as Docker's schema 1 is listed by its labels and lives its life. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startOldRegistry } from '../support/schema-one.ts'
import { bundleImage } from './image.ts'

const missing = ensurePrograms('busybox', 'curl')

const spec = `
version: 1.0
name: elder-apb
description: Of 2017
bindable: true
async: optional
plans:
  - {name: default, description: One, free: true, parameters: []}
`

test.skipIf(missing !== undefined)('an image of schema 1 is offered and run', async () => {
  const folder = freshFolder('elder')
  await bundleImage(folder, 'elder', {
    spec,
    entrypoint: `[ $1 != provision ] || credentials '{"user":"elder"}'`,
  })
  const registry = await startOldRegistry(join(folder, 'layout'), 'elder-apb')
  const source = { name: 'dh', url: registry.host, whiteList: ['-apb$'] }
  const broker = await offering([
    { source, contract: 'apb', options: { namespace: 'target', launchOnBind: 'never' } },
  ])
  try {
    const platform = new Platform(broker)
    expect((await platform.catalog())['services']).toMatchObject([{ name: 'dh-elder-apb' }])
    expect(registry.blobsAsked).toEqual([])

    const made = await platform.end('i1', await platform.provision('i1', 'default', {}))
    const { body: bound } = await platform.bind('i1', 'b1', 'default')
    const gone = await platform.end('i1', await platform.remove('i1', 'default'))

    expect(made).toMatchObject({ state: 'succeeded' })
    expect(bound).toMatchObject({ credentials: { user: 'elder' } })
    expect(gone).toMatchObject({ state: 'succeeded' })
  } finally {
    await broker.stop()
    await registry.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
