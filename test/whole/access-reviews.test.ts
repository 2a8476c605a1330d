import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { kubeconfigAt } from '../kubernetes/kubeconfig.ts'
import { type PretendedCluster, type Shape, startPretendedCluster } from '../kubernetes/pretended.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'

const user = { name: 'k8s', role: 'platform', password: 'password-of-k8s' }
const rule = { ['accessReview']: 'create access.example' }

let cluster: PretendedCluster
let running: TestBroker
let reviewed: Shape[] = []
let catalog: { readonly service_id: string; readonly plan_id: string }
beforeAll(async () => {
  cluster = await startPretendedCluster(() => undefined)
  const folder = newFolder()
  kubeconfigAt(folder, cluster.server)
  running = await startTestBroker('kubernetes: {kubeconfig: ./kubeconfig}\n', folder, (text) =>
    text.replace('\nshutdown:', `\n    - ${JSON.stringify({ ...user, ...rule })}\nshutdown:`),
  )
  const response = await osb('GET', '/catalog')
  const { services } = (await response.json()) as {
    readonly services: readonly { readonly id: string; readonly plans: readonly { readonly id: string }[] }[]
  }
  catalog = { service_id: services[0]?.id ?? '', plan_id: services[0]?.plans[0]?.id ?? '' }
})
afterAll(async () => {
  await running.stop()
  await cluster.stop()
})
beforeEach(() => {
  reviewed = []
  cluster.judge((spec) => {
    reviewed.push(spec)
    return spec['user'] === 'ada' ? { allowed: true } : { allowed: false, reason: 'no role of hers' }
  })
})

const k8s = `Basic ${Buffer.from('k8s:password-of-k8s').toString('base64')}`

function identity(platform: string, object: object): string {
  return `${platform} ${Buffer.from(JSON.stringify(object)).toString('base64')}`
}

async function osb(
  method: string,
  path: string,
  { body, as = k8s, by }: { readonly body?: object; readonly as?: string; readonly by?: string } = {},
): Promise<Response> {
  return await fetch(`${running.url}/v2${path}`, {
    method,
    headers: {
      Authorization: as,
      'X-Broker-API-Version': '2.17',
      ...(by === undefined ? {} : { 'X-Broker-API-Originating-Identity': by }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

interface Order {
  readonly by?: string
  readonly namespace?: string | undefined
  readonly as?: string
}

function provision(id: string, { by, namespace = 'shop', as = k8s }: Order): Promise<Response> {
  const context = { platform: 'kubernetes', clusterid: 'c', ...(namespace === '' ? {} : { namespace }) }
  return osb('PUT', `/service_instances/${id}?accepts_incomplete=true`, {
    as,
    ...(by === undefined ? {} : { by }),
    body: { ...catalog, organization_guid: 'o', space_guid: 's', context },
  })
}

const ada = identity('kubernetes', { username: 'ada', uid: 'u1', groups: ['devs'], extra: { scope: ['a'] } })
const eve = identity('kubernetes', { username: 'eve', groups: ['devs'] })

test('the cluster is asked with user, groups and the namespace of the order', async () => {
  expect((await provision('allowed', { by: ada })).status).toBe(202)
  expect(reviewed).toEqual([
    {
      user: 'ada',
      uid: 'u1',
      groups: ['devs'],
      extra: { scope: ['a'] },
      resourceAttributes: { namespace: 'shop', verb: 'create', group: 'example', resource: 'access' },
    },
  ])
})

test.each<[string, Order, number, string]>([
  ['a user that the cluster refuses', { by: eve }, 403, 'request.user-refused'],
  ['no user', {}, 400, 'request.user-missing'],
  [
    'a user of another kind of platform',
    { by: identity('cloudfoundry', { username: 'ada' }) },
    400,
    'request.user-missing',
  ],
  [
    'a user without a name',
    { by: identity('kubernetes', { groups: ['devs'] }) },
    400,
    'request.user-missing',
  ],
  ['no namespace', { by: ada, namespace: '' }, 400, 'request.user-missing'],
])('an order with %s is refused, and nothing is made', async (what, order, status, code) => {
  const id = `refused-${what.replaceAll(' ', '-')}`
  const response = await provision(id, order)
  const { description } = (await response.json()) as { readonly description: string }

  expect(response.status).toBe(status)
  expect(description).toContain(
    code === 'request.user-refused'
      ? 'eve may not create access.example in the namespace shop: no role of hers'
      : 'does not say which user of the cluster it is for, and where',
  )
  expect((await osb('GET', `/service_instances/${id}`)).status).toBe(404)
})

test('changes and bindings are judged in the namespace of their instance, deletes are always taken', async () => {
  expect((await provision('changed', { by: ada, namespace: 'bank' })).status).toBe(202)
  await expect
    .poll(async () => (await osb('GET', '/service_instances/changed')).status, { timeout: 60_000 })
    .toBe(200)
  reviewed = []
  const path = '/service_instances/changed'
  const body = { ...catalog, parameters: {} }

  expect((await osb('PATCH', `${path}?accepts_incomplete=true`, { body, by: eve })).status).toBe(403)
  expect((await osb('PUT', `${path}/service_bindings/b1`, { body, by: eve })).status).toBe(403)
  expect(reviewed.map(({ resourceAttributes }) => (resourceAttributes as Shape)['namespace'])).toContain(
    'bank',
  )
  expect((await osb('PUT', `${path}/service_bindings/b1`, { body, by: ada })).status).toBe(201)
  const ids = new URLSearchParams(catalog).toString()
  expect((await osb('DELETE', `${path}/service_bindings/b1?${ids}`)).status).toBe(200)
  expect((await osb('DELETE', `${path}?${ids}&accepts_incomplete=true`, { by: eve })).status).toBe(202)
})

test('a cluster that is away, or that denies the broker its question, is told so that platforms send the order again', async () => {
  const who = identity('kubernetes', { username: 'ada', groups: ['other'] })
  cluster.answer('POST', /subjectaccessreviews$/, 503, { message: 'the server is starting' })
  cluster.answer('POST', /subjectaccessreviews$/, 403, { message: 'subjectaccessreviews is forbidden' })
  const away = await provision('away', { by: who })
  const denied = await provision('away', { by: who })

  expect([away.status, denied.status]).toEqual([429, 429])
  expect(away.headers.get('retry-after')).not.toBeNull()
  expect(await away.text()).toContain('gives no answer (engine.unavailable)')
  // request.review-away tells platforms nothing of addresses and rights of the broker.
  expect(await denied.text()).not.toContain('forbidden')
  expect((await osb('GET', '/service_instances/away')).status).toBe(404)
  expect((await provision('away', { by: who })).status).toBe(202)
})

test('what the cluster said counts for a moment, for the same question only', async () => {
  const who = identity('kubernetes', { username: 'ada', groups: ['cached'] })
  await provision('once', { by: who })
  await provision('twice', { by: who })
  await provision('thrice', { by: who, namespace: 'bank' })

  expect(reviewed).toHaveLength(2)
})

test('the trail tells which user was refused', async () => {
  await provision('told', { by: eve })
  await expect
    .poll(
      async () => {
        const response = await ask(running, '/api/v1/audit?object=told', { as: basic('admin') })
        const { items } = (await response.json()) as { readonly items: readonly Shape[] }
        return items.map(({ decision, actor }) => [decision, (actor as Shape)['identity']])
      },
      { timeout: 60_000 },
    )
    .toEqual([['denied', { username: 'eve', groups: ['devs'] }]])
})

test('other platforms are asked for no user', async () => {
  expect((await provision('other', { as: basic('platform') })).status).toBe(202)
  expect(reviewed).toEqual([])
})

test('doctor names the right that the broker lacks, with the role that gives it', async () => {
  cluster.judge(() => ({ allowed: false }))
  const response = await ask(running, '/api/v1/examination', { as: basic('admin') })

  expect(await response.text()).toMatch(
    /access reviews.*in the cluster: create subjectaccessreviews.*kind: ClusterRole/s,
  )
})
