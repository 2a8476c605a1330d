import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/kit/hash.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startPodman, type TestEngine } from '../support/podman.ts'
import { accounts } from './accounts.ts'
import { type TestBundle, thickBundle } from './bundle.ts'
import { offering, Platform } from './platform.ts'

const token = 'token-of-the-user'
const admin = 'secret-of-the-operator'
const id = 'b2c1a7e0-5a51-4a0e-9a53-0a1b2c3d4e5f'
const installation = `s${sha256(JSON.stringify(['platform', id])).slice(0, 32)}`

describe.each([
  ['embedded', ensurePrograms('busybox')],
  ['docker', ensurePrograms('busybox', 'podman', 'runc')],
])('a bundle at the OSB interface, on the %s engine', (engine, missing) => {
  let folder: string
  let bundle: TestBundle
  let at: TestBroker
  let platform: Platform
  let daemon: TestEngine | undefined

  beforeAll(async () => {
    if (missing !== undefined) return
    folder = freshFolder('cnab')
    if (engine === 'docker') {
      // Sockets take short paths only.
      daemon = await startPodman(freshFolder('e'))
      process.env['DOCKER_HOST'] = `unix://${daemon.socket}`
    }
    bundle = await thickBundle(folder, accounts)
    const infrastructure = [
      { name: 'admin', value: admin },
      { name: 'other', value: 'not asked for' },
    ]
    at = await offering([{ package: bundle.folder, infrastructure }], { engine })
    platform = new Platform(at)
  })

  afterAll(async () => {
    await at?.stop()
    if (daemon) delete process.env['DOCKER_HOST']
    await daemon?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  beforeEach(({ skip }) => skip(missing !== undefined, missing))

  test('is a service with its plans and schemas', async () => {
    const { services } = (await platform.catalog()) as unknown as {
      services: readonly Record<string, unknown>[]
    }
    const [service] = services as unknown as readonly [
      { name: string; tags: string[]; plans: readonly never[] },
    ]
    const plans = service.plans as readonly { name: string; schemas: Record<string, never> }[]
    const properties = plans.map(({ schemas }) =>
      Object.keys(
        (schemas as never as { service_instance: { create: { parameters: { properties: object } } } })
          .service_instance.create.parameters.properties,
      ),
    )

    expect([service.name, service.tags, plans.map(({ name }) => name)]).toEqual([
      'accounts',
      ['accounts'],
      ['small', 'free-size'],
    ])
    expect(properties).toEqual([
      ['fail', 'region', 'tags', 'token', 'greeting'],
      ['size', 'fail', 'region', 'tags', 'token', 'greeting'],
    ])
  })

  test('is a catalog that no platform objects to', () => {
    expect(at.logLines.filter((line) => line.includes('catalog.objectionable'))).toEqual([])
  })

  test('refuses all that is wrong with an order at once, before anything runs', async () => {
    const { status, body } = await platform.provision(id, 'free-size', {
      size: 10,
      nonsense: 1,
      tags: 'no list',
    })

    expect(status).toBe(400)
    for (const word of ['/nonsense', '/size', '/tags', 'missing required parameter "token"'])
      expect(body['description']).toContain(word)
  })

  test('lives from install to uninstall', async () => {
    const provisioned = await platform.provision(id, 'free-size', { size: 3, token, greeting: 'hallo' })
    expect(await platform.end(id, provisioned)).toEqual({
      state: 'succeeded',
      description: expect.stringContaining('the token is'),
    })
    expect(await platform.outputs(id)).toEqual({
      uri: `db://${installation}?size=3`,
      config: '{"size":3,"tags":[]}',
      dashboard_url: `https://dashboard.example/${installation}\n`,
    })

    const { body: instance } = await platform.ask('GET', `/v2/service_instances/${id}`)
    expect(instance['dashboard_url']).toBe(`https://dashboard.example/${installation}`)
    expect(instance['parameters']).toEqual({ size: 3, greeting: 'hallo' })

    const seen = await platform.invoke(id, 'look')
    expect(seen['bundle']?.trim()).toBe(sha256(readFileSync(join(bundle.folder, 'bundle.json'))))
    expect(seen['greeting']).toBe('hallo')
    const claim = JSON.parse(seen['claim'] ?? '') as Record<string, unknown>
    expect(claim).toMatchObject({
      action: 'look',
      installation,
      parameters: { size: 3, token, greeting: 'hallo' },
    })
    expect(JSON.stringify(claim)).not.toContain(admin)
    expect(seen['seen']).toContain('CNAB_ACTION=look\n')
    expect(seen['seen']).toContain(`CNAB_REVISION=${claim['revision']}\n`)
    expect(seen['seen']).toContain('FAIL=\n')
    expect(seen['seen']).toContain('/secret/admin 600 0')

    expect(
      await platform.end(id, await platform.update(id, 'free-size', { size: 4, tags: ['a'] })),
    ).toMatchObject({
      state: 'succeeded',
    })
    expect((await platform.outputs(id))['config']).toBe('{"size":4,"tags":["a"]}')

    // What may not change any more is told once, and stays.
    const moved = await platform.end(id, await platform.update(id, 'free-size', { region: 'there', size: 5 }))
    const after = await platform.ask('GET', `/v2/service_instances/${id}`)
    const calm = await platform.end(id, await platform.update(id, 'free-size', { size: 4 }))
    expect([moved.description, calm.description]).toEqual([
      expect.stringContaining('/region'),
      expect.not.stringContaining('/region'),
    ])
    expect(after.body['parameters']).toEqual({ size: 5, greeting: 'hallo', tags: ['a'] })

    expect((await platform.invoke(id, 'io.cnab.status'))['status']).toContain('Failed')
    expect((await platform.invoke(id, 'io.cnab.dry-run'))['io.cnab.outputs.invocationImageLogs']).toContain(
      'would make size 4',
    )
    await platform.invoke(id, 'rotate')
    expect((await platform.outputs(id))['uri']).toMatch(/^db:\/\/rotated\?by=[0-9A-Z]{26}$/)

    const bound = `${id}/service_bindings/b1`
    await platform.end(bound, await platform.bind(id, 'b1', 'free-size'))
    expect((await platform.ask('GET', `/v2/service_instances/${bound}`)).body['credentials']).toEqual({
      user: 'u-b1',
      app: { app_guid: 'app-1' },
    })
    expect(await platform.end(bound, await platform.remove(bound, 'free-size'))).toMatchObject({
      state: 'succeeded',
    })
    expect(await platform.end(id, await platform.remove(id, 'free-size'))).toMatchObject({
      state: 'succeeded',
    })
  })

  test('keeps what a failed action wrote, and can be taken down', async () => {
    const failing = 'failing-instance'
    const provisioned = await platform.provision(failing, 'small', { token, fail: 'install' })

    expect(await platform.end(failing, provisioned)).toEqual({
      state: 'failed',
      description: expect.stringContaining('container exit code: 7'),
    })
    expect((await platform.outputs(failing))['uri']).toBe('half\n')
    expect(await platform.end(failing, await platform.remove(failing, 'small'))).toMatchObject({
      state: 'succeeded',
    })
  })

  test('is told nothing that its logs then tell others', async () => {
    const { body } = await platform.ask('GET', '/api/v1/operations', undefined, 'admin')
    const operations = body['items'] as unknown as readonly { id: string }[]
    const logs = await Promise.all(operations.map((one) => platform.log(one.id)))

    expect(logs.join('')).toContain('executing install')
    expect(logs.join('')).not.toContain(token)
    expect(logs.join('')).not.toContain(admin)
  })
})
