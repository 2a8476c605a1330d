import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startPodman } from '../support/podman.ts'
import { type TestBundle, thickBundle } from './bundle.ts'
import { offering, Platform } from './platform.ts'

const missing = ensurePrograms('busybox', 'podman', 'runc')
const text = { type: 'string', default: 'no socket' }

/** What it reaches there is the engine itself. */
const greedy = {
  name: 'greedy',
  run: 'test ! -S /var/run/docker.sock || echo lent > /cnab/app/outputs/socket\n',
  bundle: {
    definitions: { text },
    outputs: { socket: { definition: 'text', path: '/cnab/app/outputs/socket' } },
    requiredExtensions: ['io.cnab.docker'],
    custom: { 'io.cnab.docker': null },
  },
}

describe.skipIf(missing !== undefined)('a bundle that wants the socket of the engine', () => {
  let folder: string
  let bundle: TestBundle

  beforeAll(async () => {
    folder = freshFolder('cnab-socket')
    bundle = await thickBundle(folder, greedy)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('is not offered unless its operator says so', async () => {
    const at = await offering([{ package: bundle.folder }])
    try {
      expect((await new Platform(at).catalog())['services']).toEqual([])
      expect(at.logLines.join('')).toContain('allowDockerHostAccess was not enabled')
    } finally {
      await at.stop()
    }
  })

  test('cannot have one of the embedded engine, and hears that before anything is accepted', async () => {
    const at = await offering([{ package: bundle.folder, options: { allowDockerHostAccess: true } }])
    try {
      const { status, body } = await new Platform(at).provision('i1', 'default', {})

      expect(status).toBeGreaterThanOrEqual(400)
      expect(body['description']).toContain('cannot')
    } finally {
      await at.stop()
    }
  })

  test('is lent it with the consent of its operator', async () => {
    const daemon = await startPodman(freshFolder('e'))
    process.env['DOCKER_HOST'] = `unix://${daemon.socket}`
    const entry = { package: bundle.folder, options: { allowDockerHostAccess: true } }
    const at = await offering([entry], { engine: 'docker' })
    try {
      const platform = new Platform(at)
      const ended = await platform.end('i1', await platform.provision('i1', 'default', {}))

      expect([ended.state, await platform.outputs('i1')]).toEqual(['succeeded', { socket: 'lent\n' }])
    } finally {
      await at.stop()
      delete process.env['DOCKER_HOST']
      await daemon.stop()
    }
  })
})
