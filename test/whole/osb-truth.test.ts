/** What a platform is told is true of what becomes of it: polls, repetitions, waits, versions, addresses. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { systemChance } from '../../src/kit/clock.ts'
import { ulid } from '../../src/kit/id.ts'
import { ask } from '../support/ask.ts'
import { attack, head } from '../support/attacks.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'

const plan = (id: string, mode: string, more: object = {}) => ({
  id,
  name: id,
  from: 'default',
  description: `The plan ${id}.`,
  mode,
  bindingMode: mode === 'async' ? 'auto' : mode,
  ...more,
})
const entry = {
  package: 'sim:truth',
  service: { id: 'truth', name: 'truth', description: 'A pretended one.', planUpdatable: true },
  plans: [
    plan('async', 'async', { bindingRotatable: true }),
    plan('sync', 'sync'),
    plan('far', 'async', { bindingMode: 'async' }),
    plan('versioned', 'async', { maintenance: { version: '2.0.0' } }),
    plan('few', 'async', { limit: 0 }),
  ],
}

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('', undefined, (text) =>
    catalogOf([entry])(
      text
        .replace(
          'http: {',
          'operations: {syncWait: 30s, concurrency: 32, perPlatform: 32}\nhttp: {pathPrefix: /some/where, ',
        )
        .replace('name: other, password: password-of-other', '$&, token: token-of-other'),
    ),
  )
})
afterAll(() => running.stop())

const patience = { timeout: 300_000, interval: 50 }
const platform = { as: basic('platform') }
const at = (instance: string, binding?: string) =>
  `/v2/service_instances/${instance}${binding === undefined ? '' : `/service_bindings/${binding}`}`
const of = (planId: string) => ({ service_id: 'truth', plan_id: planId })
const order = (planId: string, sim: object = {}) => ({
  ...of(planId),
  organization_guid: 'o',
  space_guid: 's',
  parameters: { sim },
})

async function tell(method: string, path: string, body?: object) {
  const response = await ask(running, path, { ...platform, method, ...(body ? { body } : {}) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function made(instance: string, planId: string): Promise<string> {
  const { body } = await tell('PUT', `${at(instance)}?accepts_incomplete=true`, order(planId))
  await ended(instance)
  return String(body['operation'])
}

async function ended(instance: string): Promise<void> {
  await vi.waitFor(
    async () => expect((await polled(instance)).body['state']).not.toBe('in progress'),
    patience,
  )
}

function polled(instance: string, operation?: string) {
  return tell(
    'GET',
    `${at(instance)}/last_operation${operation === undefined ? '' : `?operation=${operation}`}`,
  )
}

test('a poll with a word that is no operation is told of the latest one, whatever became of it', async () => {
  const fails = { create: { ms: 1, outcome: 'fail' } }
  await made('elsewhere', 'async')
  const foreign = await made('elsewhere-2', 'async')
  await tell('PUT', `${at('failing')}?accepts_incomplete=true`, order('async', fails))
  await ended('failing')
  await tell('PUT', `${at('working')}?accepts_incomplete=true`, order('async', { create: { ms: -1 } }))
  const own = (
    await tell('PUT', `${at('working')}?accepts_incomplete=true`, order('async', { create: { ms: -1 } }))
  ).body
  for (const word of ['provision', foreign, String(own['operation']).toUpperCase(), '%20']) {
    expect([word, (await polled('failing', word)).body['state']]).toEqual([word, 'failed'])
    expect([word, (await polled('working', word)).body['state']]).toEqual([word, 'in progress'])
  }
  expect((await polled('never-there', 'provision')).status).toBe(404)
})

test('an operation younger than all that the store knows, which a restored copy forgot, has failed', async () => {
  const operation = await made('restored', 'async')
  let lost = ''
  // A quick host comes to here in the millisecond in which the operation ended: an id of that time is not younger.
  await vi.waitFor(async () => {
    lost = ulid(Date.now(), systemChance)
    expect((await polled('restored', lost)).body['state']).toBe('failed')
  }, patience)
  const states = [
    (await polled('restored', lost)).body['state'],
    (await polled('never-there', lost)).body['state'],
    (await polled('restored', operation)).body['state'],
    // Long before anything that is known of it: that was forgotten in time.
    (await polled('restored', ulid(Date.now() - 3_600_000, systemChance))).body['state'],
  ]

  expect(states).toEqual(['failed', 'failed', 'succeeded', 'succeeded'])
})

test('what runs and is asked for again by a platform that cannot wait is refused, for provision, update and bind', async () => {
  const slow = { create: { ms: -1 }, update: { ms: -1 } }
  const provision = order('async', slow)
  const first = await tell('PUT', `${at('again')}?accepts_incomplete=true`, provision)
  const again = await tell('PUT', at('again'), provision)
  await made('changed', 'async')
  const update = { ...of('async'), parameters: { sim: slow } }
  const changed = await tell('PATCH', `${at('changed')}?accepts_incomplete=true`, update)
  const changedAgain = await tell('PATCH', at('changed'), update)

  await made('bound', 'far')
  const bind = { ...of('far'), parameters: { sim: slow } }
  const bound = await tell('PUT', `${at('bound', 'b')}?accepts_incomplete=true`, bind)
  const boundAgain = await tell('PUT', at('bound', 'b'), bind)

  expect([first.status, changed.status, bound.status]).toEqual([202, 202, 202])
  expect([boundAgain.status, boundAgain.body['error']]).toEqual([422, 'AsyncRequired'])
  expect([again.status, again.body['error']]).toEqual([422, 'AsyncRequired'])
  expect([changedAgain.status, changedAgain.body['error']]).toEqual([422, 'AsyncRequired'])
})

test('an update that takes longer than a request may wait is no 4xx, for it is carried out', async () => {
  const busy = await startTestBroker('', undefined, (text) =>
    catalogOf([entry])(text.replace('http: {', 'operations: {syncWait: 1s, concurrency: 1}\nhttp: {')),
  )
  const say = async (method: string, path: string, body?: object) => {
    const response = await ask(busy, path, { ...platform, method, ...(body ? { body } : {}) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  await say('PUT', at('long'), order('sync'))
  // The one worker is kept busy, so that the update waits.
  await say('PUT', `${at('busy')}?accepts_incomplete=true`, order('async', { create: { ms: -1 } }))
  await vi.waitFor(async () => {
    const { body } = await operations(busy)
    expect(body).toContain('running')
  }, patience)
  const answer = await say('PATCH', at('long'), {
    ...of('sync'),
    parameters: { sim: {} },
    context: {},
    plan_id: 'async',
  })
  const removal = await say('DELETE', `${at('long')}?service_id=truth&plan_id=sync&accepts_incomplete=true`)
  await say('DELETE', `${at('busy')}?service_id=truth&plan_id=async&accepts_incomplete=true`)
  await vi.waitFor(async () => {
    expect((await say('GET', `${at('long')}/last_operation`)).body['state']).toBe('succeeded')
  }, patience)
  await busy.stop()

  expect([answer.status, answer.body['update_repeatable'], answer.body['instance_usable']]).toEqual([
    500,
    true,
    true,
  ])
  expect(removal.status).toBe(422)
})

test('a bind that a platform polls for stays, when the same is asked for by one that cannot wait', async () => {
  const hasty = await startTestBroker('', undefined, (text) =>
    catalogOf([entry])(text.replace('http: {', 'operations: {syncWait: 1s}\nhttp: {')),
  )
  onTestFinished(() => hasty.stop())
  const say = async (method: string, path: string, body: object) => {
    const response = await ask(hasty, path, { ...platform, method, body })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  await say('PUT', at('polled'), order('sync'))
  await say('PATCH', `${at('polled')}?accepts_incomplete=true`, of('async'))
  const body = { ...of('async'), parameters: { sim: { create: { ms: -1 } } } }
  const first = await say('PUT', `${at('polled', 'b')}?accepts_incomplete=true`, body)
  const hurried = await say('PUT', at('polled', 'b'), body)
  const again = await say('PUT', `${at('polled', 'b')}?accepts_incomplete=true`, body)

  expect([first.status, hurried.status, hurried.body['error']]).toEqual([202, 422, 'AsyncRequired'])
  expect([again.status, again.body['operation']]).toEqual([202, first.body['operation']])
})

test('where a finished delete is told as gone, an earlier operation is told as what became of it', async () => {
  const strict = await startTestBroker('', undefined, (text) =>
    catalogOf([entry])(text.replace('http: {', 'osb: {deletedLastOperation: gone}\nhttp: {')),
  )
  onTestFinished(() => strict.stop())
  const say = async (method: string, path: string, body?: object) => {
    const response = await ask(strict, path, { ...platform, method, ...(body ? { body } : {}) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const polls = async (target: string, operation: string) => {
    const { status, body } = await say('GET', `${target}/last_operation?operation=${operation}`)
    return [status, body['state']]
  }
  const made = await say('PUT', `${at('gone')}?accepts_incomplete=true`, order('async'))
  await vi.waitFor(async () => expect((await polls(at('gone'), 'x'))[1]).toBe('succeeded'), patience)
  const remove = `${at('gone')}?service_id=truth&plan_id=async&accepts_incomplete=true`
  const deleted = await say('DELETE', remove)
  await vi.waitFor(async () => expect((await polls(at('gone'), 'x'))[0]).toBe(410), patience)

  // The specification lets 410 stand for the end of a delete only; to a platform that polls for a creation it says nothing.
  expect(await polls(at('gone'), String(deleted.body['operation']))).toEqual([410, undefined])
  expect(await polls(at('gone'), String(made.body['operation']))).toEqual([200, 'succeeded'])
})

async function operations(broker: TestBroker): Promise<{ readonly body: string }> {
  const response = await ask(broker, '/api/v1/operations', { as: basic('admin') })
  return { body: await response.text() }
}

test('the repetition of a bind whose client gave up takes the wait over', async () => {
  await made('patient', 'async')
  const body = { ...of('async'), parameters: { sim: { create: { ms: 3000 } } } }
  const text = JSON.stringify(body)
  const forgotten = head(`PUT ${at('patient', 'b')}`, {
    Authorization: platform.as,
    'X-Broker-API-Version': '2.17',
    'Content-Length': String(text.length),
  })
  const first = await attack(running.url, 1, forgotten + text)
  await vi.waitFor(async () => expect((await polledBinding('patient', 'b')).status).toBe(200), patience)
  await first[Symbol.asyncDispose]()
  const repeated = await tell('PUT', at('patient', 'b'), body)

  // On a slow machine it has ended before it is asked for again.
  expect([200, 201]).toContain(repeated.status)
  expect(typeof repeated.body['credentials']).toBe('object')
})

function polledBinding(instance: string, binding: string) {
  return tell('GET', `${at(instance, binding)}/last_operation`)
}

test('the version that is told is the one of the plan that the instance has now', async () => {
  const version = async () => (await tell('GET', at('moving'))).body['maintenance_info']
  const move = async (planId: string) => {
    await tell('PATCH', `${at('moving')}?accepts_incomplete=true`, of(planId))
    await ended('moving')
    return version()
  }
  await made('moving', 'versioned')
  const before = await version()

  expect([before, await move('async'), await move('versioned')]).toEqual([
    { version: '2.0.0' },
    undefined,
    { version: '2.0.0' },
  ])
})

test('a rotation that is sent again after its predecessor was deleted is the same rotation', async () => {
  await made('rotated', 'async')
  await tell('PUT', at('rotated', 'old'), of('async'))
  const rotation = { predecessor_binding_id: 'old' }
  const first = await tell('PUT', at('rotated', 'new'), rotation)
  await tell('DELETE', `${at('rotated', 'old')}?service_id=truth&plan_id=async`)
  const again = await tell('PUT', at('rotated', 'new'), rotation)

  expect([first.status, again.status]).toEqual([201, 200])
  expect(again.body['credentials']).toEqual(first.body['credentials'])
})

test('credentials are kept by nobody on the way', async () => {
  await made('kept', 'async')
  const bound = { ...platform, method: 'PUT', body: of('async') }
  const answers = [
    await ask(running, at('kept', 'b'), bound),
    await ask(running, at('kept', 'b'), bound),
    await ask(running, at('kept', 'b'), platform),
  ]

  expect(answers.map(({ status, headers }) => [status, headers.get('Cache-Control')])).toEqual([
    [201, 'no-store'],
    [200, 'no-store'],
    [200, 'no-store'],
  ])
})

test('what a quota refuses is a 403 with its own word', async () => {
  const answer = await tell('PUT', `${at('one-more')}?accepts_incomplete=true`, order('few'))

  expect([answer.status, answer.body['error']]).toEqual([403, 'QuotaExceeded'])
})

test.each([
  ['with two slashes', '//v2/catalog', 200],
  ['below the prefix', '/some/where/v2/catalog', 200],
  ['below the prefix, with two slashes', '/some/where//v2/catalog', 200],
  ['in absolute form', 'http://broker.test/v2/catalog', 200],
  ['in absolute form below the prefix', 'HTTPS://broker.test:1/some/where/v2/catalog?x=1', 200],
  ['in absolute form without a path', 'http://broker.test', 404],
  ['below what only begins like the prefix', '/some/wherever/v2/catalog', 404],
  ['with a slash at its end', '/v2/catalog/', 404],
])('the catalog is asked for %s', async (_how, target, status) => {
  const headers = { Authorization: platform.as, 'X-Broker-API-Version': '2.17' }
  await using asked = await attack(running.url, 1, head(`GET ${target}`, headers))

  await vi.waitFor(() => expect(asked.tally()).toEqual({ [status]: 1 }), patience)
})

test('a request with two hosts is refused', async () => {
  const text = head('GET /v2/catalog', { Authorization: platform.as, host: 'other' })
  await using asked = await attack(running.url, 1, text)

  await vi.waitFor(() => expect(asked.tally()).toEqual({ 400: 1 }), patience)
})

test.each([
  ['broker.test', 200],
  ['broker.test:8080', 200],
  ['127.0.0.1:', 200],
  ['[fe80::1%25eth0]:8080', 200],
  ['', 200],
  ['broker test', 400],
  ['user@broker.test', 400],
  ['broker.test:port', 400],
  ['broker.test/path', 400],
  ['[::1', 400],
])('a request for the host "%s" is answered with %i', async (host, status) => {
  const text = `GET /v2/catalog HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${platform.as}\r\nX-Broker-API-Version: 2.17\r\n\r\n`
  await using asked = await attack(running.url, 1, text)

  await vi.waitFor(() => expect(asked.tally()).toEqual({ [status]: 1 }), patience)
})

test('a platform may come with its token', async () => {
  const statuses = ['Bearer token-of-other', 'Bearer token-of-nobody', basic('other')].map(
    async (as) => (await ask(running, '/v2/catalog', { as })).status,
  )

  expect(await Promise.all(statuses)).toEqual([200, 401, 200])
})

test('HEAD is answered on both catalogs and polls like GET, without a body', async () => {
  await made('headed', 'async')
  for (const path of ['/v2/catalog', at('headed'), `${at('headed')}/last_operation`]) {
    const [get, asked] = [
      await ask(running, path, platform),
      await ask(running, path, { ...platform, method: 'HEAD' }),
    ]

    expect([path, asked.status, await asked.text()]).toEqual([path, 200, ''])
    expect(asked.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'))
  }
})

test('a parameter that the operator API does not know is refused, with the one that was meant', async () => {
  const admin = { as: basic('admin') }
  const answer = await ask(running, '/api/v1/instances?platfrom=x&nothing=1', admin)

  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([
    400,
    expect.stringMatching(/platfrom.*did you mean platform.*nothing/),
  ])
  expect((await ask(running, '/api/v1/instances?platform=x', admin)).status).toBe(200)
})
