/** The operator API from outside: a real broker, real HTTP, every answer checked against its schema. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { operatorRoutes } from '../../src/http/operator/routes.ts'
import type { Json } from '../../src/kit/json.ts'
import { compileSchema } from '../../src/kit/schema.ts'
import { type Permission, roles } from '../../src/model/access.ts'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker, type User } from '../support/broker.ts'

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('quotas: {bindingsPerInstance: 3}\n')
})
afterAll(() => running.stop())

const dryRuns = operatorRoutes.filter((route) => route.url.endsWith('/dry-run'))
/** What an account has of its own, whatever its role: its session, its password, its tokens. */
const ofCaller = ['/session', '/password', '/tokens', '/tokens/:token']
const ofSessions = operatorRoutes.filter((route) => ofCaller.includes(route.url))
const mutating = operatorRoutes.filter(
  (route) => route.method !== 'GET' && !dryRuns.includes(route) && !ofSessions.includes(route),
)

test('every route that changes something is audited and not for viewers', () => {
  const looks: readonly Permission[] = roles.viewer
  expect(mutating.filter((route) => route.audit.kind !== 'deed' || looks.includes(route.needs))).toEqual([])
})

test('every route below the API is described', async () => {
  const { body } = await call('admin', 'GET', '/openapi.json', { version: '' })
  const { openapi, paths } = body as { openapi: string; paths: Record<string, Record<string, unknown>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )

  expect(openapi).toBe('3.1.0')
  expect(described.sort()).toEqual(
    operatorRoutes.map((route) => `${route.method} /api/v1${route.url.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
  )
})

test('nobody without credentials or with wrong ones comes in', async () => {
  for (const authorization of [
    undefined,
    'Basic bm9ib2R5OndyaXRlcw==',
    'Bearer x',
    basic('admin').slice(0, -3),
  ]) {
    const response = await fetch(`${running.url}/api/v1/instances`, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toContain('Basic')
    expect(await response.json()).toMatchObject({ code: 'request.unauthenticated' })
  }
})

test('refused logins are in the audit trail, on both sides, and never with what was given', async () => {
  const ask = (path: string, pair: string) =>
    fetch(`${running.url}${path}`, {
      headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    })
  await ask('/api/v1/catalog', 'admin:guess-one')
  await ask('/api/v1/catalog', 'admin:guess-two')
  await ask('/v2/catalog', 'my-secret-typed-as-name:guess')
  // Refusals are counted first and written in the background.
  const records = await vi.waitFor(
    async () => {
      const failed = (await auditRecords()).filter((one) => one.action === 'login.failed')
      expect(failed).toContainEqual(
        expect.objectContaining({
          actor: { kind: 'user', id: 'unknown' },
          object: { kind: 'account', id: 'admin' },
          decision: 'denied',
          code: 'request.unauthenticated',
        }),
      )
      return failed
    },
    { timeout: 300_000, interval: 100 },
  )

  expect(JSON.stringify(records)).not.toMatch(/guess|my-secret/)
})

test('an unbind of what nobody knows is in the audit trail: another broker may have made it', async () => {
  const query = 'service_id=s&plan_id=p&accepts_incomplete=true'
  const path = '/v2/service_instances/of-another/service_bindings/its-account'
  const { status } = await fetch(`${running.url}${path}?${query}`, {
    method: 'DELETE',
    headers: { Authorization: basic('platform'), 'X-Broker-API-Version': '2.17' },
  })

  expect(status).toBe(410)
  await vi.waitFor(
    async () =>
      expect(await auditRecords()).toContainEqual(
        expect.objectContaining({
          object: { kind: 'binding', id: 'its-account', platform: 'platform', instance: 'of-another' },
          decision: 'allowed',
          result: 'failed',
          code: 'binding.gone',
        }),
      ),
    { timeout: 50_000, interval: 100 },
  )
})

test.each(mutating.map((route) => [`${route.method} ${route.url}`, route] as const))(
  'a viewer may not %s, and the attempt is audited',
  async (_name, route) => {
    const path = route.url.replaceAll(/:\w+/g, 'x')
    const { status, body } = await call('watcher', route.method, path, { body: {} })
    const record = (await auditRecords()).findLast((one) => one.actor.id === 'watcher')

    expect([status, body]).toMatchObject([403, { code: 'request.forbidden' }])
    expect(record).toMatchObject({
      action: route.audit.kind === 'deed' ? route.audit.action : '',
      decision: 'denied',
      result: 'failed',
      code: 'request.forbidden',
    })
  },
)

test.each(operatorRoutes.map((route) => [`${route.method} ${route.url}`, route] as const))(
  'a platform may not %s',
  async (_name, route) => {
    const { status } = await call('platform', route.method, route.url.replaceAll(/:\w+/g, 'x'), { body: {} })

    expect(status).toBe(403)
  },
)

test('an instance is ordered by names, bound, looked at and deleted', async () => {
  const ordered = await call('admin', 'POST', '/instances', {
    body: {
      service: 'alpha-db',
      plan: 'small',
      name: 'shop',
      parameters: { size: 2, secret: 'hush-hush-hush' },
    },
  })
  const at = `/instances/chandler/${ordered.body['instance']}`
  await ended(ordered.body['operation'])
  const shown = await call('watcher', 'GET', at)
  const bound = await call('admin', 'POST', `${at}/bindings`, { body: {} })
  await ended(bound.body['operation'])
  const deleted = await call('admin', 'DELETE', at)
  await ended(deleted.body['operation'])

  expect([ordered.status, bound.status, deleted.status]).toEqual([202, 202, 202])
  expect(shown.body).toMatchObject({
    name: 'shop',
    state: 'ready',
    service: { name: 'alpha-db' },
    parameters: { size: 2 },
  })
  expect(JSON.stringify(shown.body)).not.toContain('hush')
  expect((await call('watcher', 'GET', at)).body).toMatchObject({ state: 'gone' })
})

test('an action of the package holds the instance, answers under its operation, and goes with the instance', async () => {
  const { at } = await orderedInstance()
  const slow = await call('admin', 'POST', `${at}/invoke`, {
    body: { action: 'echo', parameters: { label: 'blue', sim: { create: { ms: 300 } } } },
  })
  const meanwhile = await call('admin', 'PATCH', at, { body: { parameters: { size: 5 } } })
  await ended(slow.body['operation'])
  const quick = await call('admin', 'POST', `${at}/invoke`, { body: { action: 'echo' } })
  await ended(quick.body['operation'])
  const unknown = await call('admin', 'POST', `${at}/invoke`, { body: { action: 'backup' } })
  const outputs = (id: unknown) => call('watcher', 'GET', `/operations/${id}/outputs`)
  const content = await call('admin', 'GET', `/operations/${quick.body['operation']}/outputs/parameters.json`)
  const secret = await call(
    'watcher',
    'GET',
    `/operations/${quick.body['operation']}/outputs/parameters.json`,
  )

  expect([slow.status, meanwhile.status, quick.status]).toEqual([202, 422, 202])
  expect(meanwhile.body).toMatchObject({ code: 'instance.busy' })
  expect([unknown.status, unknown.body]).toMatchObject([404, { code: 'action.unknown' }])
  expect((await call('watcher', 'GET', at)).body).toMatchObject({ state: 'ready' })
  expect((await outputs(slow.body['operation'])).body).toEqual({ items: [] })
  expect((await outputs(quick.body['operation'])).body).toMatchObject({
    items: [{ name: 'parameters.json' }],
  })
  expect([content.body, secret.status]).toEqual([{}, 403])
})

test('an instance is deleted while its second attempt still waits for the first one to be cleared away', async () => {
  const wish = (sim: object) => ({
    body: { service: 'alpha-db', plan: 'small', id: 'twice', parameters: { sim } },
  })
  const failed = await call(
    'admin',
    'POST',
    '/instances',
    wish({ create: { outcome: 'fail' }, delete: { ms: 400 } }),
  )
  await ended(failed.body['operation'])
  const again = await call('admin', 'POST', '/instances', wish({}))
  const deleted = await call('admin', 'DELETE', '/instances/chandler/twice')
  await ended(deleted.body['operation'])
  const second = await call('watcher', 'GET', `/operations/${again.body['operation']}`)

  expect([failed.status, again.status, deleted.status]).toEqual([202, 202, 202])
  expect(second.body).toMatchObject({ state: 'cancelled', problem: { code: 'operation.cancelled' } })
  expect((await call('watcher', 'GET', '/instances/chandler/twice')).body).toMatchObject({ state: 'gone' })
})

test('credentials are shown to operators who ask, kept by no cache as no other answer is, and every look is audited', async () => {
  const { at } = await orderedInstance()
  const { body } = await call('admin', 'POST', `${at}/bindings`, { body: { id: 'b1' } })
  await ended(body['operation'])
  const plain = await call('admin', 'GET', `${at}/bindings/b1`)
  const secret = await call('admin', 'GET', `${at}/bindings/b1/credentials`)
  const refused = await call('watcher', 'GET', `${at}/bindings/b1/credentials`)
  const actions = (await auditRecords()).filter((one) => one.action === 'binding.read-credentials')

  expect(JSON.stringify(plain.body)).not.toContain('password')
  expect(secret.body).toMatchObject({ credentials: { password: expect.any(String) } })
  expect([plain, secret, refused].map(({ headers }) => headers.get('Cache-Control'))).toEqual([
    'no-store',
    'no-store',
    'no-store',
  ])
  expect(refused.status).toBe(403)
  expect(actions.slice(-2)).toMatchObject([
    {
      actor: { id: 'admin' },
      decision: 'allowed',
      result: 'succeeded',
      object: { kind: 'binding', id: 'b1', platform: 'chandler', instance: at.split('/').at(-1) },
    },
    { actor: { id: 'watcher' }, decision: 'denied' },
  ])
})

test('a platform that reads credentials is audited with the person behind it', async () => {
  const { body } = await call('admin', 'POST', '/instances', {
    body: { service: 'alpha-db', plan: 'small', platform: 'platform', id: 'of-platform' },
  })
  await ended(body['operation'])
  const bound = await call('admin', 'POST', '/instances/platform/of-platform/bindings', {
    body: { id: 'b2' },
  })
  await ended(bound.body['operation'])
  const identity = Buffer.from('{"user_id":"u-1"}').toString('base64')
  const response = await fetch(`${running.url}/v2/service_instances/of-platform/service_bindings/b2`, {
    headers: {
      Authorization: basic('platform'),
      'X-Broker-API-Version': '2.17',
      'X-Broker-API-Originating-Identity': `cloudfoundry ${identity}`,
    },
  })

  expect(await response.json()).toMatchObject({ credentials: { username: expect.any(String) } })
  expect((await auditRecords()).findLast((one) => one.actor.id === 'platform')).toMatchObject({
    action: 'binding.read-credentials',
    actor: { kind: 'platform', identity: { user_id: 'u-1' } },
    object: { kind: 'binding', id: 'b2', platform: 'platform', instance: 'of-platform' },
  })
})

test('the same idempotency key is the same order', async () => {
  const wish = { service: 'beta-queue' }
  const first = await call('admin', 'POST', '/instances', {
    body: wish,
    headers: { 'Idempotency-Key': 'order-1' },
  })
  const second = await call('admin', 'POST', '/instances', {
    body: wish,
    headers: { 'Idempotency-Key': 'order-1' },
  })
  const third = await call('admin', 'POST', '/instances', {
    body: wish,
    headers: { 'Idempotency-Key': 'order-2' },
  })
  const other = await call('admin', 'POST', '/instances', {
    body: { service: 'alpha-db', plan: 'small' },
    headers: { 'Idempotency-Key': 'order-1' },
  })

  expect(second.body).toEqual(first.body)
  expect(third.body['instance']).not.toBe(first.body['instance'])
  expect([other.status, other.body]).toMatchObject([422, { code: 'idempotency.mismatch' }])
})

test.each<[string, unknown, number, object]>([
  ['no service', {}, 400, { code: 'request.malformed', where: { pointer: '/service' } }],
  [
    'an unknown field',
    { service: 'alpha-db', plam: 'small' },
    400,
    { code: 'request.malformed', where: { pointer: '/plam' } },
  ],
  [
    'a misspelt service',
    { service: 'alpha-bd' },
    400,
    { code: 'catalog.service-unknown', detail: 'alpha-bd; did you mean alpha-db?' },
  ],
  ['no plan where there are two', { service: 'alpha-db' }, 400, { detail: 'name one of small, large' }],
  [
    'a parameter of the wrong type',
    { service: 'alpha-db', plan: 'small', parameters: { size: 'big' } },
    400,
    { code: 'parameters.invalid', where: { pointer: '/size' } },
  ],
  ['a list', [], 400, { code: 'request.malformed' }],
  ['a text', 'x', 400, { code: 'request.malformed' }],
])('an order with %s is refused', async (_name, wish, status, expected) => {
  const answer = await call('admin', 'POST', '/instances', { body: wish })

  expect([answer.status, answer.body]).toMatchObject([status, expected])
})

test('a body that is no JSON, too deep or too large is refused', async () => {
  const send = (body: string) =>
    fetch(`${running.url}/api/v1/instances`, {
      method: 'POST',
      headers: { Authorization: basic('admin'), 'Content-Type': 'application/json' },
      body,
    })
  const deep = `{"service":"alpha-db","parameters":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`

  expect((await send('{')).status).toBe(400)
  expect((await send(deep)).status).toBe(400)
  expect((await send(`{"service":"${'x'.repeat(2_000_000)}"}`)).status).toBe(413)
})

const tooMuch = [
  ['too deep', deep(100), /^\/parameters(\/a){63}$/, 'nested deeper than 64'],
  ['with too many keys', keys(10_001), /^\/parameters$/, 'more than 10000 keys in all'],
  [
    'with a text too long',
    { a: ['', 'é'.repeat(131_073)] },
    /^\/parameters\/a\/1$/,
    'more than 262144 bytes',
  ],
  ['with a key too long', { ['k'.repeat(262_145)]: 1 }, /^\/parameters$/, 'more than 262144 bytes'],
] as const

test.each(tooMuch)('a body %s is refused alike on both sides', async (_name, parameters, place, what) => {
  const body = { service: 'alpha-db', plan: 'small', parameters }
  const mine = await call('admin', 'POST', '/instances', { body })
  const platforms = await ask(running, '/v2/service_instances/too-much', {
    as: basic('platform'),
    method: 'PUT',
    body: { service_id: 'x', plan_id: 'x', organization_guid: 'o', space_guid: 's', parameters },
  })

  expect([mine.status, mine.body]).toMatchObject([
    400,
    {
      code: 'request.malformed',
      detail: expect.stringContaining(what),
      where: { pointer: expect.stringMatching(place) },
    },
  ])
  expect([platforms.status, await platforms.json()]).toEqual([
    400,
    { description: expect.stringContaining(what), hint: expect.stringContaining('raise limits.json') },
  ])
})

function deep(levels: number): object {
  return levels === 0 ? {} : { a: deep(levels - 1) }
}

function keys(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
}

test('all faults of a request are told at once', async () => {
  const { body } = await call('admin', 'POST', '/instances', { body: { plan: 3, nmae: 'x' } })

  expect(body).toMatchObject({ code: 'request.malformed', others: [{}, {}] })
})

test.each([
  ['a wrong value', { parameters: { size: 'big', secret: 3 } }],
  ['a wrong name', { parameters: { sise: 3 } }],
  ['what the contract refuses', { parameters: { sim: { create: { ms: -7 } } } }],
  ['an id that is taken', { id: 'taken', parameters: { size: 4 } }],
  ['a plan that there is not', { plan: 'smal' }],
])('%s is refused by the dry run as by the order', async (_what, wish) => {
  const body = { service: 'alpha-db', plan: 'small', ...wish }
  await call('admin', 'POST', '/instances', {
    body: { service: 'alpha-db', plan: 'small', id: 'taken', parameters: { size: 3 } },
  })
  const order = await call('admin', 'POST', '/instances', { body })
  const dry = await call('admin', 'POST', '/instances/dry-run', { body })
  const { requestId: _id, ...problem } = order.body as { requestId: string }

  expect(order.status).toBeGreaterThanOrEqual(400)
  expect([dry.status, dry.body]).toEqual([200, { accepted: false, problem }])
})

test('a dry run of an order, a change, a binding or a take-over leaves nothing behind', async () => {
  const { at } = await orderedInstance()
  const before = [(await call('admin', 'GET', at)).body, (await auditRecords()).length]
  const wish = { service: 'alpha-db', plan: 'small', id: 'never-made', parameters: { size: 4 } }
  const bare = { parameters: {}, context: {}, memory: {}, bindings: [] }
  const { service } = (await call('admin', 'GET', at)).body as { service: { id: string } }
  const adopted = { service: service.id, plan: 'small', state: 'ready', ...bare }
  const dry = [
    await call('admin', 'POST', '/instances/dry-run', { body: wish }),
    await call('admin', 'POST', `${at}/dry-run`, { body: { parameters: { size: 4 } } }),
    await call('admin', 'POST', `${at}/bindings/dry-run`, { body: { id: 'never-made' } }),
    await call('admin', 'POST', '/instances/chandler/never-made/adopt/dry-run', { body: adopted }),
    await call('admin', 'POST', `${at}/dry-run`, { body: { parameters: { size: 0 } } }),
    await call('admin', 'POST', `${at}/adopt/dry-run`, { body: adopted }),
  ]
  const made = await call('admin', 'GET', '/instances/chandler/never-made')

  expect(dry.map(({ body }) => (body as { accepted: boolean }).accepted)).toEqual([
    ...[true, true, true, true],
    ...[false, false],
  ])
  expect(made.status).toBe(404)
  expect([(await call('admin', 'GET', at)).body, (await auditRecords()).length]).toEqual(before)
})

test.each(dryRuns.map((route) => [route.url]))('a viewer may not try %s', async (url) => {
  const { status } = await call('watcher', 'POST', url.replaceAll(/:\w+/g, 'x'), { body: {} })

  expect(status).toBe(403)
})

test('a limited plan refuses one too many with the limit named', async () => {
  const wish = { service: 'alpha-db', plan: 'large' }
  await call('admin', 'POST', '/instances', { body: wish })
  await call('admin', 'POST', '/instances', { body: wish })
  const { status, body } = await call('admin', 'POST', '/instances', { body: wish })

  expect([status, body]).toMatchObject([403, { code: 'broker.quota' }])
})

test('an instance has so many bindings at most, and room again when one is gone', async () => {
  const { at } = await orderedInstance()
  for (const id of ['q1', 'q2', 'q3']) {
    const { body } = await call('admin', 'POST', `${at}/bindings`, { body: { id } })
    await ended(body['operation'])
  }
  const fourth = await call('admin', 'POST', `${at}/bindings`, { body: { id: 'q4' } })
  const gone = await call('admin', 'DELETE', `${at}/bindings/q1`)
  await ended(gone.body['operation'])
  const again = await call('admin', 'POST', `${at}/bindings`, { body: { id: 'q4' } })

  expect([fourth.status, fourth.body]).toMatchObject([403, { code: 'broker.quota' }])
  expect(again.status).toBe(202)
})

test('a failed operation is explained and can be ordered again', async () => {
  const { at, operation } = await orderedInstance({ sim: { create: { outcome: 'fail' } } })
  const why = await call('watcher', 'GET', `${at}/why`)
  const again = await call('admin', 'POST', `/operations/${operation}/retry`)
  await ended(again.body['operation'])
  const history = await call('watcher', 'GET', `/operations/${operation}/history`)

  expect(why.body).toMatchObject({ state: 'failed', reason: expect.stringContaining('told to fail') })
  expect(again.status).toBe(202)
  expect((history.body['items'] as object[]).at(-1)).toMatchObject({ state: 'failed' })
  expect((await call('admin', 'POST', `/operations/${operation}/release`)).status).toBe(409)
})

test('a failed operation says what it was ordered with, and succeeds with other parameters', async () => {
  const failing = { size: 3, secret: 'not-to-be-seen', sim: { create: { outcome: 'fail' } } }
  const { at, operation } = await orderedInstance(failing)
  const had = await call('watcher', 'GET', `/operations/${operation}`)
  const again = await call('admin', 'POST', `/operations/${operation}/retry`, {
    body: { parameters: { size: 5 } },
  })
  const end = await ended(again.body['operation'])
  const refused = await call('admin', 'POST', `/operations/${operation}/retry`, { body: { size: 5 } })

  expect(had.body['parameters']).toEqual({ size: 3, sim: { create: { outcome: 'fail' } } })
  expect([again.status, end]).toMatchObject([202, { state: 'succeeded' }])
  expect((await call('watcher', 'GET', at)).body).toMatchObject({ state: 'ready', parameters: { size: 5 } })
  expect(refused.status).toBe(400)
})

test('a running operation is cancelled, and one that has ended cannot be', async () => {
  const { operation } = await orderedInstance({ sim: { create: { ms: -1 } } }, 'started')
  const cancelled = await call('admin', 'POST', `/operations/${operation}/cancel`)
  const end = await ended(operation)
  const late = await call('admin', 'POST', `/operations/${operation}/cancel`)

  expect(cancelled.status).toBe(202)
  expect(end).toMatchObject({ state: 'cancelled' })
  expect([late.status, late.body]).toMatchObject([409, { code: 'operation.ended' }])
})

test('a log is followed to the end and resumed after the last line seen', async () => {
  const { operation } = await orderedInstance({ sim: { create: { ms: 300 } } }, 'started')
  const whole = await events(`/operations/${operation}/log`)
  const logs = whole.filter((one) => one.event === 'log')
  const resumed = await events(`/operations/${operation}/log`, { 'Last-Event-ID': String(logs[0]?.id) })
  const plain = await call('watcher', 'GET', `/operations/${operation}/log`)

  expect(whole.at(-1)).toMatchObject({ event: 'end', data: { state: 'succeeded' } })
  expect(logs.map((one) => one.data['text']).join('')).toContain('pretending')
  expect(resumed.filter((one) => one.event === 'log').length).toBe(logs.length - 1)
  expect((plain.body['items'] as object[]).length).toBe(logs.length)
})

test('a purge forgets an instance without running its package', async () => {
  const { at } = await orderedInstance({ sim: { delete: { outcome: 'fail' } } })
  const purged = await call('admin', 'POST', `${at}/purge`)

  expect(purged.status).toBe(204)
  expect((await call('admin', 'GET', at)).body).toMatchObject({ state: 'gone' })
  expect((await call('admin', 'POST', `${at}/purge`)).status).toBe(404)
})

test('a frozen broker refuses new orders, takes deletes, and thaws', async () => {
  const { at } = await orderedInstance()
  await call('admin', 'POST', '/freeze', { body: { reason: 'maintenance' } })
  const refused = await call('admin', 'POST', '/instances', { body: { service: 'beta-queue' } })
  const deleted = await call('admin', 'DELETE', at)
  await call('admin', 'DELETE', '/freeze')
  const taken = await call('admin', 'POST', '/instances', { body: { service: 'beta-queue' } })

  expect([refused.status, refused.body]).toMatchObject([
    429,
    { code: 'broker.frozen', detail: 'maintenance' },
  ])
  expect([deleted.status, taken.status]).toEqual([202, 202])
})

test('lists come in pages', async () => {
  const first = await call('watcher', 'GET', '/operations?limit=2')
  const second = await call('watcher', 'GET', `/operations?limit=2&cursor=${first.body['next']}`)
  const ids = [first, second].flatMap(({ body }) => (body['items'] as { id: string }[]).map((one) => one.id))

  expect(new Set(ids).size).toBe(4)
  expect((await call('watcher', 'GET', '/operations?limit=0')).status).toBe(400)
  expect((await call('watcher', 'GET', '/operations?limit=many')).status).toBe(400)
})

test('an operation names its instance as people do, alone and in the list', async () => {
  const body = { service: 'beta-queue', name: 'mail-of-sales' }
  const { operation } = (await call('admin', 'POST', '/instances', { body })).body as { operation: string }
  const list = await call('watcher', 'GET', '/operations?limit=5')
  const one = await call('watcher', 'GET', `/operations/${operation}`)

  expect(list.body['items']).toContainEqual(
    expect.objectContaining({ id: operation, instanceName: 'mail-of-sales' }),
  )
  expect(one.body).toMatchObject({ instanceName: 'mail-of-sales' })
})

test('operations are filtered by state', async () => {
  const failed = await call('watcher', 'GET', '/operations?state=failed,cancelled')

  expect(
    (failed.body['items'] as { state: string }[]).every((one) => /failed|cancelled/.test(one.state)),
  ).toBe(true)
  expect((await call('watcher', 'GET', '/operations?state=odd')).status).toBe(400)
})

test('a key is rotated while the broker runs, and what was sealed stays readable', async () => {
  const { at } = await orderedInstance({ size: 7 })
  const before = await call('admin', 'GET', '/keys')
  const rotated = await call('admin', 'POST', '/keys/rotate')
  const shown = await call('admin', 'GET', at)

  expect(rotated.body['active']).not.toBe(before.body['active'])
  expect(shown.body).toMatchObject({ parameters: { size: 7 } })
  await until(async () => {
    const { body } = await call('admin', 'GET', '/keys')
    return (body['keys'] as { active: boolean; records: number }[]).every(
      (key) => key.active || key.records === 0,
    )
  })
})

test('the audit trail is unbroken', async () => {
  const { body } = await call('admin', 'GET', '/audit/verify')

  expect(body).toMatchObject({ intact: true, records: expect.any(Number) })
})

test('every other document answers by its schema', async () => {
  for (const path of [
    '/about',
    '/catalog',
    '/packages',
    '/packages/alpha-db',
    '/cluster',
    '/health',
    '/problems',
    '/instances',
  ]) {
    expect((await call('watcher', 'GET', path)).status).toBe(200)
  }
  expect((await call('admin', 'POST', '/backups')).status).toBe(201)
})

test('operators learn what doctor finds of the process that answers; a second question is answered by the same look', async () => {
  const first = await call('admin', 'GET', '/examination')
  const second = await call('admin', 'GET', '/examination')
  const refused = await call('watcher', 'GET', '/examination')

  const { findings } = first.body as { readonly findings: readonly { readonly id: string }[] }
  expect(findings.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'runtime',
      'data folder',
      'disk',
      'store',
      'keys',
      'audit',
      'nodes',
      'operations',
    ]),
  )
  expect(findings.some(({ id }) => id.startsWith('engine '))).toBe(true)
  expect(second.body).toEqual(first.body)
  expect(refused.status).toBe(403)
})

test('an unknown address is a problem, too, and echoes the id of the request', async () => {
  const { status, body, headers } = await call('admin', 'GET', '/nothing', {
    headers: { 'X-Request-ID': 'mine-1' },
  })

  expect([status, body]).toMatchObject([404, { code: 'request.unknown-path', requestId: 'mine-1' }])
  expect(headers.get('X-Request-ID')).toBe('mine-1')
})

test('an instance whose id is as long as ids may be is looked for under it', async () => {
  const id = '🛶'.repeat(200)
  const response = await fetch(`${running.url}/v2/service_instances/${encodeURIComponent(id)}`, {
    headers: { Authorization: basic('admin'), 'X-Broker-API-Version': '2.17' },
  })
  const { status, body } = await call('admin', 'GET', `/instances/admin/${encodeURIComponent(id)}`)

  expect(response.status).toBe(404)
  expect([status, body]).toMatchObject([404, { code: 'instance.unknown' }])
})

test('an address that is no address is refused in the words of the API', async () => {
  const { status, body, headers } = await call('admin', 'GET', '/instances/%', {
    headers: { 'X-Request-ID': 'mine-3' },
  })

  expect([status, body]).toMatchObject([400, { code: 'request.malformed', requestId: 'mine-3' }])
  expect(headers.get('X-Request-ID')).toBe('mine-3')
})

test('who changed something, and from where, is a line of the log', async () => {
  await call('admin', 'DELETE', '/freeze', { headers: { 'X-Request-ID': 'mine-4' } })
  const line = () => running.logLines.map((one) => JSON.parse(one)).find((one) => one.request_id === 'mine-4')

  await expect.poll(line).toMatchObject({
    ...{ level: 'info', event: 'http.request', actor: 'admin', client_ip: '127.0.0.1' },
    ...{ 'http.method': 'DELETE', 'http.route': '/api/v1/freeze', 'http.status': 204 },
    ...{ node: expect.any(String), cluster: expect.any(String) },
  })
})

test('no secret of an account is in the log', () => {
  expect(running.logLines.length).toBeGreaterThan(0)
  expect(running.logLines.join('')).not.toContain('password-of-')
})

interface Called {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

interface Sent {
  readonly body?: unknown
  readonly version?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One call; a success is checked against the schema of its route. */
async function call(
  user: User,
  method: string,
  path: string,
  { body, version = '/v1', headers = {} }: Sent = {},
): Promise<Called> {
  const response = await fetch(`${running.url}/api${version}${path}`, {
    method,
    headers: {
      Authorization: basic(user),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined || method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const document = text === '' ? {} : JSON.parse(text)
  if (response.ok) checkAnswer(method, path, document)
  return { status: response.status, body: document, headers: response.headers }
}

function checkAnswer(method: string, path: string, document: unknown): void {
  const bare = path.split('?')[0] ?? path
  const route = operatorRoutes.find(
    (one) => one.method === method && new RegExp(`^${one.url.replaceAll(/:\w+/g, '[^/]+')}$`).test(bare),
  )
  if (route?.answers === undefined) return
  const compiled = compileSchema(route.answers as unknown as Json)
  expect(compiled.kind === 'check' ? compiled.check(document) : compiled).toEqual([])
}

async function orderedInstance(parameters: object = {}, until: 'ended' | 'started' = 'ended') {
  const { body } = await call('admin', 'POST', '/instances', {
    body: { service: 'alpha-db', plan: 'small', parameters },
  })
  const operation = String(body['operation'])
  if (until === 'ended') await ended(operation)
  return { at: `/instances/chandler/${body['instance']}`, operation }
}

/** Follows an operation to its end, as a client would. */
async function ended(operation: unknown): Promise<Readonly<Record<string, unknown>>> {
  const all = await events(`/operations/${operation}/log`)
  return all.at(-1)?.data ?? {}
}

interface Event {
  readonly event: string
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

async function events(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Event[]> {
  const response = await fetch(`${running.url}/api/v1${path}`, {
    headers: { Authorization: basic('watcher'), Accept: 'text/event-stream', ...headers },
  })
  expect(response.headers.get('Content-Type')).toContain('text/event-stream')
  return (await response.text()).split('\n\n').flatMap((part) => {
    const fields = new Map(
      part.split('\n').map((line) => [line.split(': ')[0], line.split(': ').slice(1).join(': ')]),
    )
    const data = fields.get('data')
    return data === undefined
      ? []
      : [{ event: fields.get('event') ?? '', id: Number(fields.get('id')), data: JSON.parse(data) }]
  })
}

interface Recorded {
  readonly action: string
  readonly actor: { readonly id: string }
}

async function auditRecords(): Promise<readonly Recorded[]> {
  const records: Recorded[] = []
  for (let after = 0; ; after = records.length) {
    const { body } = await call('admin', 'GET', `/audit?after=${after}&limit=500`)
    records.push(...(body['items'] as readonly Recorded[]))
    if (body['next'] === undefined) return records
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
