/** Under attack: what an innocent platform and an operator are told while others crowd, stall, hoard and guess. */
import { afterEach, expect, test, vi } from 'vitest'
import { ask } from '../support/ask.ts'
import { type Attacker, attack, head, open } from '../support/attacks.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'

let running: TestBroker
afterEach(() => running.stop())

const patience = { timeout: 300_000, interval: 50 }

/** Everything that a platform and an operator do; each must be as if no other client were there. */
async function innocents(round: string): Promise<void> {
  const platform = { as: basic('platform') }
  const catalog = await ask(running, '/v2/catalog', platform)
  const { services } = (await catalog.json()) as {
    services: { id: string; name: string; plans: { id: string }[] }[]
  }
  const service = services.find(({ name }) => name === 'alpha-db')
  const ids = { service_id: service?.id, plan_id: service?.plans[0]?.id }
  const path = `/v2/service_instances/innocent-${round}`
  const statuses = [
    catalog.status,
    (
      await ask(running, `${path}?accepts_incomplete=true`, {
        ...platform,
        method: 'PUT',
        body: { ...ids, organization_guid: 'o', space_guid: 's' },
      })
    ).status,
    (await ask(running, `${path}/last_operation`, platform)).status,
    (
      await ask(
        running,
        `${path}?service_id=${ids.service_id}&plan_id=${ids.plan_id}&accepts_incomplete=true`,
        {
          ...platform,
          method: 'DELETE',
        },
      )
    ).status,
    (await ask(running, '/api/v1/instances', { as: basic('admin') })).status,
    (await fetch(`${running.url}/readyz`)).status,
  ]

  expect(statuses).toEqual([200, 202, 200, 202, 200, 200])
}

/** A body is announced, and one byte of it comes. */
const halfABody = (first: string, headers: Readonly<Record<string, string>> = {}) =>
  `${head(first, { 'Content-Length': '1000', 'Content-Type': 'application/json', ...headers })}{`

const put = 'PUT /v2/service_instances/x?accepts_incomplete=true'

test.each([
  ['the operator API', 'POST /api/v1/instances'],
  ['the Open Service Broker API', put],
])(
  'strangers with bodies that never come are refused by %s, and hold no place',
  async (_side, first) => {
    running = await startTestBroker('limits: {concurrentRequests: 8, concurrentPerSource: 4}\n')
    await using strangers = await attack(running.url, 520, halfABody(first))
    await innocents('strangers')

    await vi.waitFor(() => expect(strangers.tally()).toEqual({ 401: 520 }), patience)
  },
  120_000,
)

test.each([
  ['the operator API', 'POST /api/v1/instances', 'platform', 403],
  ['the operator API', 'DELETE /api/v1/freeze', 'watcher', 403],
  ['the operator API', 'DELETE /api/v1/instances/x/y', 'admin', 404],
  ['the Open Service Broker API', 'DELETE /v2/service_instances/x', 'platform', 400],
  ['the Open Service Broker API', 'PUT /v2/service_instances/x', 'watcher', 403],
] as const)('%s answers %s of %s before a body has come', async (_side, first, user, status) => {
  running = await startTestBroker()
  const headers = { Authorization: basic(user), 'X-Broker-API-Version': '2.17' }
  const { statuses } = await open(running.url, halfABody(first, headers))

  await vi.waitFor(() => expect(statuses()).toEqual([status]), patience)
})

test('an account whose bodies never come has its share and no more; its polls and deletes pass', async () => {
  running = await startTestBroker(
    'limits: {concurrentRequests: 24, concurrentPerAccount: 10, concurrentPerSource: 20}\n',
  )
  const other = { as: basic('other') }
  const headers = { Authorization: other.as, 'X-Broker-API-Version': '2.17' }
  await using hoarders = await attack(running.url, 40, halfABody(put, headers))
  await vi.waitFor(() => expect(hoarders.tally()).toEqual({ 429: 30 }), patience)
  const [catalog, poll, gone] = [
    await ask(running, '/v2/catalog', other),
    await ask(running, '/v2/service_instances/i/last_operation', other),
    await ask(running, '/v2/service_instances/i?service_id=s&plan_id=p', { ...other, method: 'DELETE' }),
  ]
  await innocents('hoarders')

  expect([catalog.status, poll.status, gone.status]).toEqual([429, 404, 410])
  expect(catalog.headers.get('Retry-After')).toMatch(/^\d+$/)
})

test('logs that are followed have a bound of their own for each account', async () => {
  running = await startTestBroker('limits: {concurrentRequests: 8, followersPerAccount: 5}\n')
  const order = { service: 'alpha-db', plan: 'small', id: 'i1', parameters: { sim: { create: { ms: -1 } } } }
  const made = await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body: order })
  const { operation } = (await made.json()) as { readonly operation: string }
  const follow = head(`GET /api/v1/operations/${operation}/log`, {
    Authorization: basic('watcher'),
    Accept: 'text/event-stream',
  })
  await using followers = await attack(running.url, 20, follow)
  await vi.waitFor(() => expect(followers.tally()).toEqual({ 200: 5, 429: 15 }), patience)

  expect((await ask(running, '/api/v1/operations', { as: basic('watcher') })).status).toBe(200)
  await innocents('followers')
})

test('guesses are judged no more often than is promised, however they are sent', async () => {
  running = await startTestBroker('limits: {failedLoginsPerSecond: 5}\n')
  await ask(running, '/v2/catalog', { as: basic('platform') })
  const guess = (i: number) =>
    head('GET /v2/catalog', {
      Authorization: `Basic ${Buffer.from(`platform:guess-${i}`).toString('base64')}`,
    })
  const before = performance.now()
  const guesses = Array.from({ length: 800 }, (_, i) => guess(i)).join('')
  const guesser = await open(running.url, guesses)
  await vi.waitFor(() => expect(guesser.statuses().length).toBe(800), patience)
  const judged = guesser.statuses().filter((status) => status === 401).length

  // What was promised for the time it took, whatever that was.
  expect(judged).toBeLessThanOrEqual(5 + ((performance.now() - before) / 1000) * 5)
  expect(guesser.statuses().every((status) => status === 401 || status === 429)).toBe(true)
  await innocents('known-there')
})

test('neither strangers without credentials nor guesses at another account keep out who was never seen', async () => {
  running = await startTestBroker('limits: {failedLoginsPerSecond: 2}\n')
  const wrong = `Basic ${Buffer.from('admin:guess').toString('base64')}`
  const stranger = await open(running.url, head('GET /v2/catalog').repeat(300))
  const guesser = await open(running.url, head('GET /v2/catalog', { Authorization: wrong }).repeat(300))
  await vi.waitFor(() => expect(stranger.statuses().length + guesser.statuses().length).toBe(600), patience)

  expect(new Set(stranger.statuses())).toEqual(new Set([401]))
  expect(guesser.statuses()).toContain(429)
  expect((await ask(running, '/v2/catalog', { as: basic('platform') })).status).toBe(200)
})

test.each([
  ['a head that does not end', 'GET /v2/catalog HTTP/1.1\r\nHost: broker\r\nX-Slow: '],
  [
    'a body that does not end',
    halfABody(put, { Authorization: basic('other'), 'X-Broker-API-Version': '2.17' }),
  ],
])(
  '%s costs its connection, also when its sender closes nothing',
  async (_what, text) => {
    running = await startTestBroker('', undefined, (file) =>
      file.replace('http: {', 'http: {headersTimeout: 1s, requestTimeout: 2s, '),
    )
    const slow = await open(running.url, text)
    await vi.waitFor(() => expect(slow.statuses()).toEqual([408]), patience)
    await untilCutOff(slow)
  },
  120_000,
)

test('a body that comes too slowly is given up, though it never stops', async () => {
  running = await startTestBroker('limits: {bodyBytesPerSecond: 1MiB}\n')
  const slow = await open(
    running.url,
    halfABody(put, { Authorization: basic('other'), 'X-Broker-API-Version': '2.17' }),
  )
  const drip = setInterval(() => slow.socket.writable && slow.socket.write(' '), 100)
  await vi.waitFor(() => expect(slow.statuses()).toEqual([408]), patience)
  clearInterval(drip)
  await untilCutOff(slow)
})

test('a refusal is read to its end by a client that sends its whole body first', async () => {
  running = await startTestBroker()
  const body = 'x'.repeat(900_000)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => fetch(`${running.url}/v2/service_instances/x`, { method: 'PUT', body })),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
})

test('connections on which nobody was admitted give way to newer ones, those of accounts stay', async () => {
  running = await startTestBroker('limits: {connectionsPerSource: 20}\n')
  const request = head('GET /v2/catalog', {
    Authorization: basic('platform'),
    'X-Broker-API-Version': '2.17',
  })
  const platform = await open(running.url, request)
  await vi.waitFor(() => expect(platform.statuses()).toEqual([200]), patience)
  await using crowd = await attack(running.url, 300, '')
  // Each newcomer sends one of the old ones away, as soon as these had their time.
  await vi.waitFor(async () => {
    const newcomer = await open(running.url, '')
    newcomer.socket.destroy()
    expect(
      crowd.attackers.filter(({ socket }) => socket.readableEnded || socket.closed).length,
    ).toBeGreaterThan(200)
  }, patience)
  platform.socket.write(request)
  await vi.waitFor(() => expect(platform.statuses()).toEqual([200, 200]), patience)
  await innocents('newcomers')
})

test('whether a body is wanted is told when its sender is known', async () => {
  running = await startTestBroker()
  const expecting = { Expect: '100-continue', 'Content-Length': '2', 'Content-Type': 'application/json' }
  const known = { ...expecting, Authorization: basic('admin'), 'X-Broker-API-Version': '2.17' }
  for (const first of ['POST /api/v1/instances', put]) {
    const stranger = await open(running.url, head(first, expecting))
    const admin = await open(running.url, head(first, known))
    await vi.waitFor(() => expect([stranger.statuses(), admin.heard()]).toEqual([[401], goOn]), patience)
    admin.socket.write('{}')

    await vi.waitFor(() => expect(admin.statuses()).toEqual([400]), patience)
    expect(stranger.heard()).not.toContain('100 Continue')
  }
})

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'

/** The sender learns it by what it goes on to send. */
async function untilCutOff({ socket, cutOff }: Attacker): Promise<void> {
  const drip = setInterval(() => socket.writable && socket.write(' '), 100)
  await cutOff
  clearInterval(drip)
}
