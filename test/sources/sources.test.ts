/** Sources of the catalog: what real registries and the public APIs of others list, what is offered of it, and what stays when they are away. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/kit/json.ts'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { freshFolder, imageInLayout, writeTree } from '../support/image.ts'
import {
  type RegistryKind,
  registryMissing,
  registryPassword,
  registryUser,
  startRegistry,
  type TestRegistry,
} from '../support/registry.ts'
import { bundleLabels, deleteImage, pushImage } from './push.ts'
import { dockerHub, imageStreams, quay, serveApi, type TestApi } from './web-apis.ts'

const missing = registryMissing()
const brokers: TestBroker[] = []
const servers: (TestRegistry | TestApi)[] = []
const home = freshFolder('sources')

afterEach(async () => {
  for (const broker of brokers.splice(0)) await broker.stop()
  for (const server of servers.splice(0)) await server.stop()
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function registryWith(names: readonly string[], kind: RegistryKind = {}): Promise<TestRegistry> {
  const registry = await startRegistry(kind)
  servers.push(registry)
  for (const name of names) await pushImage(registry.host, name, bundleLabels(name.replace('/', '-')))
  return registry
}

async function brokerOf(source: JsonObject, more: JsonObject = {}, folder?: string): Promise<TestBroker> {
  const entry = { source: { name: 'dh', whiteList: ['.*-apb$'], refreshInterval: '1d', ...source }, ...more }
  const broker = await startTestBroker('', folder, offeringOn([entry]))
  brokers.push(broker)
  return broker
}

async function services(broker: TestBroker): Promise<readonly string[]> {
  const { services } = (await new Platform(broker).catalog()) as unknown as {
    readonly services: readonly { readonly name: string }[]
  }
  return services.map(({ name }) => name)
}

interface Listed {
  readonly name: string
  readonly state: string
  readonly problems?: readonly { readonly code: string; readonly message: string }[]
  readonly warnings?: readonly { readonly code: string; readonly message: string }[]
  readonly listing?: {
    readonly images: number
    readonly offered: number
    readonly kept: number
    readonly refused: number
    readonly leftOut: readonly {
      readonly why: string
      readonly count: number
      readonly names: readonly string[]
    }[]
    readonly faults: readonly string[]
  }
}

async function packages(broker: TestBroker): Promise<ReadonlyMap<string, Listed>> {
  const { body } = await new Platform(broker).ask('GET', '/api/v1/packages', undefined, 'admin')
  return new Map((body['items'] as unknown as readonly Listed[]).map((one) => [one.name, one]))
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
}

describe('a registry', { skip: missing !== undefined }, () => {
  test('is listed page by page: bundles are offered under the name of the source, the rest is told with its reason', async () => {
    const { host } = await registryWith(['org/queue-apb', 'org/table-apb', 'org/secret-apb'])
    await pushImage(host, 'org/plain-apb', { maintainer: 'nobody' })
    await pushImage(host, 'org/broken-apb', { 'com.redhat.apb.spec': '%%%' })
    await pushImage(host, 'org/other', bundleLabels('other'))

    const broker = await brokerOf({ url: host, blackList: ['secret', '[0-9]++'] })

    expect(await services(broker)).toEqual(['dh-org-queue-apb', 'dh-org-table-apb'])
    const listed = await packages(broker)
    expect(listed.get('dh/org/queue-apb')).toMatchObject({ state: 'offered', source: 'dh', contract: 'apb' })
    expect(listed.get('dh/org/broken-apb')?.problems?.[0]?.code).toBe('apb.label.undecodable')
    expect(listed.get('dh')?.listing).toMatchObject({
      images: 6,
      offered: 2,
      refused: 1,
      leftOut: [
        { why: 'not on the white list', count: 1, names: ['org/other'] },
        { why: 'on the black list', count: 1, names: ['org/secret-apb'] },
        { why: 'no package', count: 1, names: ['org/plain-apb'] },
      ],
      faults: [expect.stringContaining('[0-9]++')],
    })
    const figures = await (await fetch(`${broker.adminUrl}/metrics`)).text()
    expect(figures).toContain('chandler_source_images{source="dh",result="offered"} 2')
    expect(figures).toContain('chandler_source_images{source="dh",result="not_white"} 1')
  })

  test.each(['password', 'token'] as const)('is read with the login of the source: %s', async (auth) => {
    const { host } = await registryWith([], { auth })
    const authorization = `Basic ${Buffer.from(`${registryUser}:${registryPassword}`).toString('base64')}`
    if (auth === 'password')
      await pushImage(host, 'org/queue-apb', bundleLabels('queue-apb'), { authorization })
    const login = { user: registryUser, password: registryPassword }

    const right = await brokerOf({ url: host, ...login })
    const wrong = await brokerOf({ url: host, user: registryUser, password: 'guessed-wrongly' })

    expect(await services(right)).toEqual(auth === 'password' ? ['dh-queue-apb'] : [])
    expect((await packages(right)).get('dh')?.state).toBe('offered')
    expect((await packages(wrong)).get('dh')?.problems?.[0]?.code).toBe('registry.unauthorized')
    expect(wrong.logLines.join('')).not.toContain('guessed-wrongly')
  })

  test('that is away takes no service out of the catalog, also over a restart, and is asked again', async () => {
    const registry = await registryWith(['org/queue-apb'])
    const folder = freshFolder('sources-away')
    const source = { url: registry.host, refreshInterval: '1s' }
    const first = await brokerOf(source, {}, folder)
    expect(await services(first)).toEqual(['dh-org-queue-apb'])
    await registry.stop()
    servers.splice(0)
    await until(async () => (await packages(first)).get('dh')?.state === 'refused')
    expect(await services(first)).toEqual(['dh-org-queue-apb'])
    expect((await packages(first)).get('dh')).toMatchObject({
      problems: [{ code: 'registry.unreachable' }],
      listing: { kept: 1, offered: 0 },
    })
    await first.broker.stop()
    brokers.splice(0)

    const second = await brokerOf(source, {}, folder)
    expect(await services(second)).toEqual(['dh-org-queue-apb'])
  })

  test('that lists a bundle no more takes it out of the catalog; while it has instances, its package says so', async () => {
    const { host } = await registryWith(['org/stays-apb'])
    const digest = await pushImage(host, 'org/goes-apb', bundleLabels('goes-apb'))
    const broker = await brokerOf({ url: host }, { options: { namespace: 'here' } })
    const platform = new Platform(broker)
    const { services: offered } = (await platform.catalog()) as unknown as {
      readonly services: readonly { id: string; name: string; plans: readonly { id: string }[] }[]
    }
    const goes = offered.find(({ name }) => name === 'dh-goes-apb')
    const ids = { service_id: goes?.id ?? '', plan_id: goes?.plans[0]?.id ?? '' }
    const order = { ...ids, organization_guid: 'o', space_guid: 's' }
    const path = '/v2/service_instances/i1?accepts_incomplete=true'
    expect((await platform.ask('PUT', path, order)).status).toBe(202)

    await deleteImage(host, 'org/goes-apb', digest)
    await broker.reload((text) => text.replace('"1d"', '"2d"'))

    expect(await services(broker)).toEqual(['dh-org-stays-apb'])
    expect((await packages(broker)).get('dh/org/goes-apb')).toMatchObject({
      state: 'refused',
      problems: [{ code: 'catalog.source-gone' }],
    })
    await platform.end('i1', { status: 202, body: {} })
    const query = new URLSearchParams({ ...ids, accepts_incomplete: 'true' })
    expect((await platform.ask('DELETE', `/v2/service_instances/i1?${query}`)).status).toBe(202)
  })

  test('whose new image has other plans offers them at the next refresh, and unchanged ones are not read again', async () => {
    const { host } = await registryWith(['org/queue-apb'])
    const broker = await brokerOf({ url: host, refreshInterval: '1s' })
    const before = (await packages(broker)).get('dh/org/queue-apb')
    await pushImage(host, 'org/table-apb', bundleLabels('table-apb'))
    await until(async () => (await services(broker)).length === 2)

    expect((await packages(broker)).get('dh/org/queue-apb')).toEqual(before)
  })

  test('two bundles of one name: the first stays, the other is told', async () => {
    const { host } = await registryWith([])
    await pushImage(host, 'a/queue-apb', bundleLabels('queue-apb'))
    await pushImage(host, 'b/queue-apb', bundleLabels('queue-apb'))
    const broker = await brokerOf({ url: host })

    expect(await services(broker)).toEqual(['dh-queue-apb'])
    const refused = [...(await packages(broker)).values()].filter(({ state }) => state === 'refused')
    expect(refused).toEqual([
      expect.objectContaining({
        name: 'dh/b/queue-apb',
        problems: [expect.objectContaining({ code: 'catalog.refused' })],
      }),
    ])
  })

  test('that gets another name gives its services others: instances of the old ones are told, and go on', async () => {
    const { host } = await registryWith(['org/queue-apb'])
    const broker = await brokerOf({ url: host }, { options: { namespace: 'here' } })
    const platform = new Platform(broker)
    expect((await platform.provision('i1', 'default', {})).status).toBe(202)
    await platform.end('i1', { status: 202, body: {} })

    await broker.reload((text) => text.replace('"name":"dh"', '"name":"hub"'))

    expect(await services(broker)).toEqual(['hub-org-queue-apb'])
    const told = broker.logLines.filter((line) => line.includes('catalog.renamed'))
    expect(told.join('\n')).toContain('dh-org-queue-apb is offered as hub-org-queue-apb now; 1 in use')
    expect((await platform.remove('i1', 'default')).status).toBe(202)
  })

  test('an explicit list is read even where the registry keeps its catalog to itself', async () => {
    const { host } = await registryWith(['org/queue-apb'])
    const closed = await serveApi(() => undefined)
    servers.push(closed)
    const broker = await brokerOf({
      url: closed.url.replace('http://', ''),
      images: [`docker://${host}/org/queue-apb:latest`, 'org/missing-apb'],
      whiteList: ['apb'],
    })

    expect(await services(broker)).toEqual(['dh-org-queue-apb'])
    const listed = await packages(broker)
    expect(listed.get('dh/org/missing-apb')?.problems?.[0]?.code).toBe('artifact.not-found')
    expect(listed.get('dh')?.listing?.faults).toEqual([expect.stringContaining('does not list its images')])
  })

  test('OpenShift: image streams lead to their images', async () => {
    const { host } = await registryWith(['openshift/queue-apb'])
    const api = await serveApi(imageStreams(host, 'openshift/queue-apb'))
    servers.push(api)
    const broker = await brokerOf({
      type: 'openshift',
      url: api.url,
      token: 'sha256~cluster',
      namespaces: ['openshift', 'mine'],
    })

    expect(await services(broker)).toEqual(['dh-openshift-queue-apb'])
    expect(api.asked).toHaveLength(3)
  })
})

const names = ['a-apb', 'b-apb', 'c-apb', 'd-apb', 'e-apb']
const found = names.map((name) => `skippers/${name}`)

describe('web APIs of others, whose images are out of reach here', () => {
  test.each([
    ['dockerhub', dockerHub(names, 'me', 'pass'), { user: 'me', password: 'pass' }, 4],
    ['quay', quay(names), { token: 'quay-token' }, 3],
  ] as const)('%s is listed to its last page', async (type, answer, login, pages) => {
    const api = await serveApi(answer)
    servers.push(api)
    // What is listed is told by the lists, without an image being asked for.
    const source = { type, url: api.url, organisation: 'skippers', whiteList: ['.*'], blackList: ['.*'] }
    const broker = await brokerOf({ ...source, ...login })

    expect((await packages(broker)).get('dh')?.listing?.leftOut).toEqual([
      { why: 'on the black list', count: 5, names: found },
    ])
    expect(api.asked).toHaveLength(pages)
  })

  test.each([
    ['dockerhub', dockerHub(names, 'me', 'pass'), { user: 'me', password: 'other' }],
    ['quay', quay(names), { token: 'other' }],
  ] as const)('%s with wrong credentials says so, without them', async (type, answer, login) => {
    const api = await serveApi(answer)
    servers.push(api)
    const broker = await brokerOf({ type, url: api.url, organisation: 'skippers', ...login })

    const { problems } = (await packages(broker)).get('dh') ?? {}
    expect(problems?.[0]?.code).toBe('registry.unauthorized')
    expect(JSON.stringify([problems, broker.logLines])).not.toContain('"other"')
  })
})

describe('folders of this machine', () => {
  test('image layouts, in a folder or by the names in one', async () => {
    const root = writeTree(join(home, 'root'), { 'etc/greeting': 'ahoy' })
    for (const name of ['queue-apb', 'table-apb'])
      await imageInLayout(join(home, 'layouts', name), 'latest', {
        root,
        settings: { entrypoint: ['/x'], labels: bundleLabels(name) },
      })
    const inFolder = await brokerOf({ type: 'layouts', path: join(home, 'layouts') })
    const one = { type: 'layouts', path: join(home, 'layouts/queue-apb'), whiteList: ['latest'] }
    const byName = await brokerOf(one)

    expect(await services(inFolder)).toEqual(['dh-queue-apb', 'dh-table-apb'])
    expect(await services(byName)).toEqual(['dh-queue-apb'])
  })

  test('an apb.yml stands in for the label of the image that it names', async () => {
    const root = writeTree(join(home, 'bare'), { 'etc/greeting': 'ahoy' })
    const { reference } = await imageInLayout(join(home, 'bare-layout'), 'latest', {
      root,
      settings: { entrypoint: ['/x'] },
    })
    const spec = Buffer.from(bundleLabels('queue-apb')['com.redhat.apb.spec'] ?? '', 'base64').toString()
    mkdirSync(join(home, 'specs/queue-apb'), { recursive: true })
    const write = (text: string) => writeFileSync(join(home, 'specs/queue-apb/apb.yml'), text)
    const quoted = `image: ${reference}\n${spec.replace('bindable: true', 'bindable: "True"')}`
    write(quoted)
    const broker = await brokerOf({ type: 'folder', path: join(home, 'specs') })
    const warned = () => broker.logLines.filter((line) => line.includes('package.warned'))
    expect(await services(broker)).toEqual(['dh-queue-apb'])
    expect(warned()).toEqual([expect.stringContaining('counts as false')])

    await broker.reload((text) => text.replace('"1d"', '"2d"'))
    expect(warned()).toHaveLength(1)
    const listed = (await packages(broker)).get('dh/queue-apb')
    expect(listed?.warnings?.map(({ message }) => message)).toEqual([
      expect.stringContaining('counts as false'),
    ])

    write(quoted.replace('name: queue-apb', 'name: renamed-apb'))
    await broker.reload((text) => text.replace('"2d"', '"3d"'))
    expect(await services(broker)).toEqual(['dh-renamed-apb'])
    expect(warned()).toHaveLength(2)
  })
})

test('what is to be mended of a package is shown as long as it is offered, also over a restart', async () => {
  const spec = Buffer.from(bundleLabels('queue-apb')['com.redhat.apb.spec'] ?? '', 'base64').toString()
  const quoted = spec.replace('bindable: true', 'bindable: "True"')
  const root = writeTree(join(home, 'mended'), { 'etc/greeting': 'ahoy' })
  const labels = { 'com.redhat.apb.spec': Buffer.from(quoted).toString('base64') }
  const settings = { entrypoint: ['/x'], labels }
  const { reference } = await imageInLayout(join(home, 'mended-layout'), 'latest', { root, settings })
  const folder = freshFolder('sources-mended')
  const seen: unknown[] = []
  for (const start of ['first', 'second']) {
    const broker = await startTestBroker('', folder, offeringOn([{ package: reference, contract: 'apb' }]))
    const warned = broker.logLines.filter((line) => line.includes('package.warned'))
    const [listed] = (await packages(broker)).values()
    seen.push([start, warned.length, listed?.warnings?.map(({ code }) => code)])
    await broker.broker.stop()
  }
  rmSync(folder, { recursive: true, force: true })

  const code = 'apb.spec.ignored'
  expect(seen).toEqual([
    ['first', 1, [code]],
    ['second', 0, [code]],
  ])
})

describe('settings', () => {
  test.each([
    [{ source: { name: 'dh' }, package: 'sim:' }, 'either a package or a source'],
    [{ source: { type: 'quay' } }, 'either a package or a source'],
    [{ source: { name: 'dh' } }, 'needs source.url'],
    [{ source: { name: 'dh', type: 'quay' } }, 'needs source.organisation'],
    [{ source: { name: 'dh', type: 'folder' } }, 'needs source.path'],
    [{ source: { name: 'dh', url: 'h', user: 'me' } }, 'half a login'],
    [{ source: { name: 'under_score', url: 'h' } }, 'must look like'],
    [{ source: { name: 'dh', type: 'makes_no_sense' } }, 'must be one of'],
    [{ source: { name: 'dh', url: 'h' }, plans: [{ name: 'p' }] }, 'source.overrides'],
  ])('%j is refused', async (entry, words) => {
    const started = startTestBroker('', undefined, offeringOn([entry]))
    await expect(started).rejects.toThrow(words)
  })
})
