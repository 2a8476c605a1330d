/** The OSB client against a broker that answers what it is told. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Clock } from '../kit/clock.ts'
import { Secret } from '../kit/secret.ts'
import { connectToBroker } from './broker-connection.ts'
import { findPlan, makeOsbClient } from './osb.ts'

type Reply = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]

let server: Server | undefined
afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

interface Bench {
  readonly client: ReturnType<typeof makeOsbClient>
  readonly lines: string[]
  readonly slept: number[]
}

async function benchOf(...replies: readonly Reply[]): Promise<Bench> {
  const lines: string[] = []
  const slept: number[] = []
  const waiting = [...replies]
  const listening = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const version = request.headers['x-broker-api-version']
    const known = request.headers.authorization === `Basic ${Buffer.from('u:p').toString('base64')}`
    lines.push(`${request.method} ${request.url} ${version} ${known ? 'u' : '-'} ${body}`.trim())
    const [status, answer, headers] = waiting.shift() ?? [500, {}]
    response.writeHead(status, headers)
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const connection = connectToBroker({
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/broker/`,
    credentials: { user: 'u', password: new Secret('p') },
  })
  let now = 0
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms) => {
      slept.push(ms)
      now += ms
    },
  }
  return { client: makeOsbClient({ connection, clock, apiVersion: '2.17' }), lines, slept }
}

const target = { instance: 'a/b' }

test('orders go to the right address with version, account and body', async () => {
  const { client, lines } = await benchOf(
    [202, { operation: 'o1' }],
    [200, {}],
    [200, {}],
    [201, { credentials: {} }],
  )

  const provisioned = await client.provision(target, { service_id: 's' })
  await client.update(target, { service_id: 's' })
  await client.remove(target, { service: 's&', plan: 'p' })
  await client.bind({ ...target, binding: 'ü' }, {})

  expect(provisioned).toEqual({ accepted: true, operation: 'o1', body: { operation: 'o1' } })
  expect(lines).toEqual([
    'PUT /broker/v2/service_instances/a%2Fb?accepts_incomplete=true 2.17 u {"service_id":"s"}',
    'PATCH /broker/v2/service_instances/a%2Fb?accepts_incomplete=true 2.17 u {"service_id":"s"}',
    'DELETE /broker/v2/service_instances/a%2Fb?service_id=s%26&plan_id=p&accepts_incomplete=true 2.17 u',
    'PUT /broker/v2/service_instances/a%2Fb/service_bindings/%C3%BC?accepts_incomplete=true 2.17 u {}',
  ])
})

test('waiting polls as often as the broker asks for, until the work has ended', async () => {
  const progress = { state: 'in progress' }
  const { client, lines, slept } = await benchOf(
    [200, progress, { 'Retry-After': '7' }],
    [200, progress],
    [200, progress, { 'Retry-After': '9999' }],
    [200, { state: 'failed', description: 'no room' }],
  )

  const last = await client.wait(target, 'o 1', 1_000_000)

  expect(last).toMatchObject({ state: 'failed', description: 'no room', gone: false })
  expect(slept).toEqual([7000, 1000, 60_000])
  expect(lines[0]).toBe('GET /broker/v2/service_instances/a%2Fb/last_operation?operation=o%201 2.17 u')
})

test('410 is the end of a delete, for the delete itself and for its poll', async () => {
  const { client } = await benchOf([410, {}], [410, {}])

  expect(await client.remove(target, { service: 's', plan: 'p' })).toEqual({ accepted: false, body: {} })
  expect(await client.poll(target)).toMatchObject({ state: 'succeeded', gone: true })
})

test('waiting gives up in time and says how to ask again', async () => {
  const { client } = await benchOf([200, { state: 'in progress' }], [200, { state: 'in progress' }])

  await expect(client.wait(target, 'o1', 1500)).rejects.toMatchObject({
    problem: { code: 'wait.gave-up', hint: 'Ask again: chandler osb last-operation a/b o1' },
  })
})

test.each<readonly [Reply, string, string]>([
  [[400, { description: 'size is too large' }], 'osb.refused', '400 size is too large'],
  [[401, {}], 'request.unauthenticated', '401'],
  [[403, {}], 'request.forbidden', '403'],
  [[404, {}], 'osb.unknown', '404'],
  [[409, {}], 'osb.conflict', '409'],
  [[422, { error: 'AsyncRequired', description: 'Send it.' }], 'osb.conflict', '422 AsyncRequired: Send it.'],
  [[429, {}], 'request.too-many', '429'],
  [[500, 'a page'], 'osb.broken', '500 a page'],
  [[200, 'no JSON'], 'osb.broken', 'no JSON object: no JSON'],
  [[204, ''], 'osb.broken', 'no JSON object: '],
  [[302, ''], 'osb.broken', 'it answered 302'],
])('an answer %j becomes %s', async (reply, code, detail) => {
  const { client } = await benchOf(reply)

  await expect(client.fetch(target)).rejects.toMatchObject({ problem: { code, detail } })
})

test('a state that does not exist is a fault of the broker', async () => {
  const { client } = await benchOf([200, { state: 'soon' }])

  await expect(client.poll(target)).rejects.toMatchObject({ problem: { code: 'osb.broken' } })
})

test('an address that is none is refused before anything is sent', () => {
  expect(() => connectToBroker({ url: 'broker.example' })).toThrow('begins with http:// or https://')
})

const catalog = {
  services: [
    { id: 's1', name: 'alpha', plans: [{ id: 'p1', name: 'small' }] },
    { id: 's2', name: 's1', plans: [{ id: 'p2', name: 'small' }] },
  ],
}

test.each([
  ['alpha', 'small', 's1', 'p1'],
  ['s1', 'p1', 's1', 'p1'],
  ['s2', 'small', 's2', 'p2'],
])('service %s and plan %s are found by id or name', (...[service, plan, serviceId, planId]) => {
  expect(findPlan(catalog, service, plan)).toMatchObject({ service: { id: serviceId }, plan: { id: planId } })
})

test('a service or plan that is not offered is named', () => {
  expect(() => findPlan(catalog, 'gamma', 'small')).toThrow('There is no such service: gamma')
  expect(() => findPlan(catalog, 'alpha', 'huge')).toThrow('The service has no such plan: huge')
})
