import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { thickBundle } from './bundle.ts'
import { offering, Platform } from './platform.ts'

const missing = ensurePrograms('busybox')

const definitions = { text: { type: 'string', default: '' }, count: { type: 'integer' } }

/** What is needed by what is needed. */
const disk = {
  name: 'disk',
  run: `
echo "$CNAB_ACTION of $CNAB_INSTALLATION_NAME"
printf '%s' "$CNAB_INSTALLATION_NAME" > /cnab/app/outputs/path
`,
  bundle: {
    definitions,
    outputs: { path: { definition: 'text', path: '/cnab/app/outputs/path' } },
  },
}

/** Writes down when it ran; what it answers is what its parent asks for. */
const database = {
  name: 'database',
  run: `
echo "$CNAB_ACTION of $CNAB_INSTALLATION_NAME as $(id -u)"
printf 'db://%s/%s' "$CNAB_INSTALLATION_NAME" "$NAME" > /cnab/app/outputs/connstr
`,
  user: '1000',
  bundle: {
    definitions,
    requiredExtensions: ['io.cnab.dependencies'],
    custom: {
      'io.cnab.dependencies': { requires: { disk: { bundle: 'registry.invalid/bundles/disk:0.1.0' } } },
    },
    parameters: { name: { definition: 'text', destination: { env: 'NAME' } } },
    outputs: { connstr: { definition: 'text', path: '/cnab/app/outputs/connstr' } },
  },
}

const shop = {
  name: 'shop',
  run: `
echo "$CNAB_ACTION of $CNAB_INSTALLATION_NAME"
cp /cnab/app/dependencies/db/bundle.json /cnab/app/outputs/found
printf '%s' "$CONNSTR" > /cnab/app/outputs/uri
if [ "$CNAB_ACTION" = "$FAIL" ]; then exit 7; fi
case "$CNAB_ACTION" in uninstall) ;; *) echo 5 > /cnab/app/outputs/count ;; esac
`,
  bundle: {
    definitions,
    parameters: {
      connstr: { definition: 'text', destination: { env: 'CONNSTR' } },
      fail: { definition: 'text', destination: { env: 'FAIL' } },
      size: { definition: 'count', destination: { env: 'SIZE' } },
    },
    outputs: {
      uri: { definition: 'text', path: '/cnab/app/outputs/uri' },
      count: { definition: 'count', path: '/cnab/app/outputs/count', applyTo: ['install', 'upgrade'] },
      found: { definition: 'text', path: '/cnab/app/outputs/found' },
    },
    requiredExtensions: ['io.cnab.dependencies', 'io.cnab.parameter-sources'],
    custom: {
      'io.cnab.dependencies': { requires: { db: { bundle: 'registry.invalid/bundles/database:0.1.0' } } },
      'io.cnab.parameter-sources': {
        connstr: {
          priority: ['dependencies.output'],
          sources: { 'dependencies.output': { dependency: 'db', name: 'connstr' } },
        },
      },
      'io.chandler.service': {
        bindings: {
          outputs: ['uri', 'count'],
          credentials: { url: '${outputs.uri}?n=${outputs.count}', n: '${outputs.count}' },
        },
      },
    },
  },
}

let folder: string
let at: TestBroker
let platform: Platform

beforeAll(async () => {
  if (missing !== undefined) return
  folder = freshFolder('cnab-family')
  const made = await Promise.all([disk, database, shop].map((recipe) => thickBundle(folder, recipe)))
  // Both arrive as archives, as authors hand them on.
  const packed = made.map(({ folder: from }) => {
    execFileSync('tar', ['-czf', `${from}.tgz`, '-C', from, '.'])
    return `${from}.tgz`
  })
  const dependencies = { db: packed[1], 'db/disk': packed[0] }
  at = await offering([{ package: packed[2], options: { dependencies } }])
  for (const one of made) rmSync(one.folder, { recursive: true })
  platform = new Platform(at)
})

afterAll(async () => {
  await at?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(missing !== undefined)('a bundle and what it depends on', () => {
  const id = 'shop-1'

  test('are installed in order, straight from their archives, and the outputs of one feed the other', async () => {
    const ordered = await platform.provision(id, 'default', { 'db#name': 'wares' })

    expect(await platform.end(id, ordered)).toMatchObject({ state: 'succeeded' })
    const outputs = await platform.outputs(id)
    expect(outputs['uri']).toMatch(/^db:\/\/s[0-9a-f]{32}-db\/wares$/)
    expect(JSON.parse(outputs['found'] ?? '')).toMatchObject({ name: 'database' })
    const log = await platform.log(String(ordered.body['operation']))
    expect(log.match(/install of \S+/g)).toEqual([
      expect.stringMatching(/-db-disk$/),
      expect.stringMatching(/-db$/),
      expect.not.stringMatching(/-db$/),
    ])
    expect(log).toContain('as 1000')
  })

  test('are bound to by what is there already, without any run', async () => {
    const bound = await platform.bind(id, 'b1', 'default')

    expect(bound.status).toBe(201)
    expect(bound.body['credentials']).toEqual({
      url: expect.stringMatching(/^db:\/\/s[0-9a-f]{32}-db\/wares\?n=5$/),
      n: 5,
    })
    expect((await platform.remove(`${id}/service_bindings/b1`, 'default')).status).toBe(200)
  })

  test('refuse parameters for a dependency they do not have', async () => {
    const { status, body } = await platform.provision('shop-2', 'default', { 'cache#size': 1 })

    expect([status, body['description']]).toEqual([
      400,
      expect.stringContaining('does not depend on "cache"'),
    ])
  })

  test('go in the reverse order', async () => {
    const ordered = await platform.remove(id, 'default')

    expect(await platform.end(id, ordered)).toMatchObject({ state: 'succeeded' })
    const log = await platform.log(String(ordered.body['operation']))
    expect(log.match(/uninstall of \S+/g)).toEqual([
      expect.not.stringMatching(/-db$/),
      expect.stringMatching(/-db$/),
      expect.stringMatching(/-db-disk$/),
    ])
  })

  test('are refused together before anything starts, and nothing is left behind', async () => {
    const { status, body } = await platform.provision('shop-3', 'default', { size: 'x', 'db#size': 1 })

    expect([status, body['description']]).toEqual([
      400,
      expect.stringContaining('undefined parameter "size"'),
    ])
    expect(body['description']).toContain('cannot use value as parameter size')
    expect((await platform.ask('GET', '/v2/service_instances/shop-3')).status).toBe(404)
  })

  test('are undone when the last of them fails, and what is left can be deleted and ordered again', async () => {
    const ordered = await platform.provision('shop-4', 'default', { fail: 'install' })

    expect(await platform.end('shop-4', ordered)).toMatchObject({
      state: 'failed',
      description: expect.stringContaining('has been uninstalled again'),
    })
    const log = await platform.log(String(ordered.body['operation']))
    expect(log.match(/(?:un)?install of/g)).toEqual([
      ...Array.from({ length: 3 }, () => 'install of'),
      ...Array.from({ length: 3 }, () => 'uninstall of'),
    ])
    const removed = await platform.remove('shop-4', 'default')
    expect(await platform.end('shop-4', removed)).toMatchObject({ state: 'succeeded' })
    const again = await platform.provision('shop-4', 'default', {})
    expect(await platform.end('shop-4', again)).toMatchObject({ state: 'succeeded' })
  })
})
