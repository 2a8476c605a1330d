/** The runner against tiny brokers that answer what they are told. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemChance, systemClock } from '../../kit/clock.ts'
import type { Json } from '../../kit/json.ts'
import { connectToBroker } from '../broker-connection.ts'
import { ownCases, readCases } from './read-cases.ts'
import type { CaseVerdict } from './run-case.ts'
import { runCases, symbolsByName } from './run-cases.ts'

interface Seen {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
type Reply = readonly [status: number, body?: unknown]

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function brokerOf(reply: (seen: Seen, count: number) => Reply): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = {
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    seen.push(one)
    const [status, body] = reply(one, seen.length)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`, seen }
}

const fixture = `
api_version: "2.17"
services:
  alpha: {name: alpha-db, plans: {small: {}, slow_large: {}}}
templates:
  provision: {service_id: "\${svc.alpha}", plan_id: "\${plan.small}", space_guid: s}
  bind: {service_id: "\${svc.alpha}", plan_id: "\${plan.small}", bind_resource: {app_guid: a}}
  delete_query: {service_id: "\${svc.alpha}", plan_id: "\${plan.small}"}
`

const symbols = new Map<string, Json>([
  ['user', 'u'],
  ['password', 'p:w'],
  ['svc.alpha', 'S'],
  ['plan.small', 'P'],
])

async function run(cases: string, url: string): Promise<readonly CaseVerdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-cases-'))
  writeFileSync(join(folder, 'fixture.yaml'), fixture)
  writeFileSync(join(folder, 'a.yaml'), `area: a\ncases:\n${cases}`)
  const set = readCases([folder])
  const connection = connectToBroker({ url })
  const bench = {
    connection,
    fixture: set.fixture,
    symbols,
    clock: systemClock,
    chance: systemChance,
    waitMs: 2000,
  }
  const verdicts: CaseVerdict[] = []
  for await (const verdict of runCases(set.cases, bench, 2)) verdicts.push(verdict)
  await connection.close()
  return verdicts
}

test('a request carries the defaults, and what the case sets or takes away', async () => {
  const { url, seen } = await brokerOf(() => [404, {}])

  await run(
    `- {id: A, title: t, level: MUST, steps: [
        {do: {PUT: "/v2/x", query: {use: delete_query, a: "b c"}, headers: {X-Broker-API-Version: null, x-broker-api-version: "2.13"}, body: {use: provision, with: {plan_id: Q}, without: [space_guid]}}},
        {do: {GET: "/v2/..%2F\${svc.alpha|percent}", rawquery: "o=%41", auth: none}}]}`,
    url,
  )

  expect(seen.map(({ line }) => line)).toEqual([
    'PUT /prefix/v2/x?service_id=S&plan_id=P&a=b%20c',
    'GET /prefix/v2/..%2F%53?o=%41',
  ])
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ service_id: 'S', plan_id: 'Q' })
  expect(seen[0]?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('u:p:w').toString('base64')}`,
    'x-broker-api-version': '2.13',
    'content-type': 'application/json',
  })
  expect(seen[1]?.headers.authorization).toBeUndefined()
  expect(seen[1]?.headers['content-type']).toBeUndefined()
})

test('what is given is provisioned and waited for, what was made is deleted, bindings first', async () => {
  const { url, seen } = await brokerOf(({ line }, count) => {
    if (line.startsWith('PUT')) return [202, { operation: `op${count}` }]
    if (line.includes('last_operation'))
      return [200, { state: count % 2 === 0 ? 'in progress' : 'succeeded' }]
    return [200, {}]
  })

  const [verdict] = await run(
    `- {id: A, title: t, level: MUST, given: [{instance: {as: i, plan: small, save: op}}, {binding: {as: b, of: i, plan: small}}], steps: [
        {do: {GET: "/v2/service_instances/\${i}", query: {operation: "\${op}"}}, want: {status: 200}}]}`,
    url,
  )

  expect(verdict).toMatchObject({ outcome: 'passed', faults: [] })
  const methods = seen.map(({ line }) => line.replace(/chk-\w+/g, 'ID').replace(/\?.*/, ''))
  expect(methods.filter((line) => !line.endsWith('last_operation'))).toEqual([
    'PUT /prefix/v2/service_instances/ID',
    'PUT /prefix/v2/service_instances/ID/service_bindings/ID',
    'GET /prefix/v2/service_instances/ID',
    'DELETE /prefix/v2/service_instances/ID/service_bindings/ID',
    'DELETE /prefix/v2/service_instances/ID',
  ])
})

test('a binding that names no instance is one of the instance i', async () => {
  const { url, seen } = await brokerOf(({ line }) => (line.startsWith('PUT') ? [201, {}] : [200, {}]))

  await run(
    `- {id: A, title: t, level: MUST, given: [{instance: {as: i, plan: small}}, {binding: {as: b, plan: small}}], steps: [
        {delete_binding: {as: b, plan: small}}, {delete_instance: {as: i, plan: small}}]}`,
    url,
  )

  const paths = seen.slice(0, 4).map(({ line }) => line.replace(/chk-\w+/g, 'ID').replace(/\?.*/, ''))
  expect(paths).toEqual([
    'PUT /prefix/v2/service_instances/ID',
    'PUT /prefix/v2/service_instances/ID/service_bindings/ID',
    'DELETE /prefix/v2/service_instances/ID/service_bindings/ID',
    'DELETE /prefix/v2/service_instances/ID',
  ])
})

test('a preparation that fails fails the case, and so does the first wrong answer', async () => {
  const { url, seen } = await brokerOf(({ line }) => (line.startsWith('PUT') ? [400, {}] : [500, {}]))

  const verdicts = await run(
    `- {id: A, title: t, level: MUST, given: [{instance: {as: i, plan: small}}], steps: [{do: {GET: /never}}]}
- {id: B, title: t, level: MUST, steps: [{do: {GET: /first}, want: {status: 200}}, {do: {GET: /second}}]}`,
    url,
  )

  expect(verdicts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
  expect(seen.map(({ line }) => line).filter((line) => /never|second/.test(line))).toEqual([])
})

test('a poll that wants gone takes 410, one that wants failed does not take succeeded', async () => {
  const { url } = await brokerOf(({ line }) =>
    line.includes('gone') ? [410, {}] : [200, { state: 'succeeded' }],
  )

  const verdicts = await run(
    `- {id: A, title: t, level: MUST, steps: [{poll: {instance: gone, want: gone}}, {poll: {instance: other, want: gone}}]}
- {id: B, title: t, level: MUST, steps: [{poll: {instance: other, want: failed}}]}`,
    url,
  )

  expect(verdicts.map(({ case: { id }, outcome }) => `${id} ${outcome}`).toSorted()).toEqual([
    'A passed',
    'B failed',
  ])
})

test('a failed instance must have failed, by poll or at once', async () => {
  const { url } = await brokerOf(({ line }, count) => {
    if (line.startsWith('PUT')) return count === 1 ? [500, { description: 'no' }] : [202, {}]
    return [200, { state: 'succeeded' }]
  })

  const given = (id: string) =>
    `- {id: ${id}, title: t, level: MUST, given: [{failed_instance: {as: i, plan: small}}], steps: [{do: {GET: /v2}}]}`
  const [atOnce] = await run(given('A'), url)
  const [byPoll] = await run(given('B'), url)

  expect([atOnce?.outcome, byPoll?.outcome]).toEqual(['passed', 'failed'])
})

test('a case whose plan the broker does not offer is skipped and says so', async () => {
  const { url } = await brokerOf(() => [200, {}])

  const [verdict] = await run(
    `- {id: A, title: t, level: MUST, steps: [{delete_instance: {as: i, plan: slow_large}}]}`,
    url,
  )

  expect(verdict).toMatchObject({ outcome: 'skipped', faults: [expect.stringContaining('plan.slow_large')] })
})

test('symbols are found in a catalog by the names of the fixture', async () => {
  const plans = [
    { name: 'small', id: '1' },
    { name: 'slow-large', id: '2' },
  ]
  const { url } = await brokerOf(() => [200, { services: [{ name: 'alpha-db', id: 'A', plans }] }])
  const connection = connectToBroker({ url })

  const found = await symbolsByName(connection, readCases([ownCases()]).fixture, new Map())
  await connection.close()

  expect(Object.fromEntries(found)).toEqual({ 'svc.alpha': 'A', 'plan.small': '1', 'plan.slow_large': '2' })
})

test('a broker that cannot be reached fails the case, it does not stop the check', async () => {
  const [verdict] = await run(
    `- {id: A, title: t, level: MUST, steps: [{do: {GET: /v2/catalog}, want: {status: 200}}]}`,
    'http://127.0.0.1:1',
  )

  expect(verdict).toMatchObject({ outcome: 'failed', faults: [expect.stringContaining('cannot be reached')] })
})

test('a case file that says something unknown is refused with its place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-cases-'))
  writeFileSync(join(folder, 'fixture.yaml'), fixture)
  writeFileSync(join(folder, 'a.yaml'), 'area: a\ncases:\n- {id: A, title: t, level: MUST, stpes: []}\n')

  expect(() => readCases([folder])).toThrow(/a\.yaml line 3/)
})

test('our own cases are 211, each with its own id', () => {
  const { cases } = readCases([ownCases()])

  expect(new Set(cases.map(({ id }) => id)).size).toBe(211)
})
