import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { publishBundle } from '../../src/authoring/cnab/bundle-tools.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { registryMissing, startRegistry } from '../support/registry.ts'
import { thickBundle } from './bundle.ts'
import { offering, Platform } from './platform.ts'

const missing = ensurePrograms('busybox') ?? registryMissing()

const mover = {
  name: 'mover',
  run: 'cp /cnab/app/relocation-mapping.json /cnab/app/outputs/map; sha256sum < /cnab/bundle.json > /cnab/app/outputs/sum\n',
  bundle: {
    definitions: { text: { type: 'string' } },
    outputs: {
      map: { definition: 'text', path: '/cnab/app/outputs/map' },
      sum: { definition: 'text', path: '/cnab/app/outputs/sum' },
    },
  },
}

test.skipIf(missing !== undefined)(
  'a published bundle is offered, told where its images are now, and run without its registry once it is known',
  async () => {
    const folder = freshFolder('cnab-published')
    const registry = await startRegistry()
    let isUp = true
    const down = async () => {
      if (isUp) await registry.stop()
      isUp = false
    }
    const store = openArtifactStore({ folder: join(folder, 'author') })
    try {
      const made = await thickBundle(folder, mover)
      const to = `docker://${registry.host}/team/mover`
      const wish = { reference: made.folder, signal: new AbortController().signal, progress: () => undefined }
      const { reference } = await publishBundle(store, { ...wish, to, force: false })
      const at = await offering([{ package: reference }])
      try {
        const platform = new Platform(at)
        const first = await platform.end('i1', await platform.provision('i1', 'default', {}))
        const outputs = await platform.outputs('i1')

        expect([reference, first.state]).toEqual([`${to}:v0.1.0`, 'succeeded'])
        expect(JSON.parse(outputs['map'] ?? '')).toEqual({
          'registry.invalid/bundles/mover-installer:0.1.0': `${registry.host}/team/mover@${made.digest}`,
        })
        await down()
        const second = await platform.end('i2', await platform.provision('i2', 'default', {}))
        expect([second.state, (await platform.outputs('i2'))['sum']]).toEqual(['succeeded', outputs['sum']])
        expect((await platform.end('i1', await platform.remove('i1', 'default'))).state).toBe('succeeded')
      } finally {
        await at.stop()
      }
    } finally {
      await store.close()
      await down()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
