/** PostgreSQL dies under a running broker and comes back: refusals in the meantime, nothing lost, nothing done twice. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts, type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'

const place = findPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'chandler-away-'))
const starts = join(dataDir, 'sim', 'starts.log')
let server: PostgresServer
let broker: BrokerProcess
let admin: string

beforeAll(async () => {
  if ('missing' in place) return
  mkdirSync(join(dataDir, 'sim'), { mode: 0o700 })
  writeFileSync(starts, '')
  server = await startPostgres()
  const environment = {
    CHANDLER_HTTP_ADMIN_LISTEN: '127.0.0.1:0',
    CHANDLER_OPERATIONS_LEASE: '2s',
    CHANDLER_OPERATIONS_HEARTBEAT: '500ms',
  }
  broker = await startBrokerProcess({ dataDir, store: await server.database(), environment })
  admin = /"admin":"([^"]+)"/.exec(broker.said())?.[1] ?? ''
}, 120_000)

afterAll(async () => {
  await broker?.end('SIGKILL')
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test.skipIf('missing' in place)(
  'while PostgreSQL is away everything is refused as the platform understands it, and afterwards all that was accepted ends',
  async () => {
    const accepted = [await order('soon', 1000), await order('later', 6000), await order('last', 12_000)]
    await expect.poll(() => startsOf('soon') + startsOf('later'), { timeout: 20_000 }).toBe(2)

    await server.crash()
    const [made, polled, fetched, removed, ready, alive, catalog] = await Promise.all([
      ask('PUT', '/v2/service_instances/refused?accepts_incomplete=true', orderOf(0)),
      ask('GET', '/v2/service_instances/later/last_operation'),
      ask('GET', '/v2/service_instances/later'),
      ask(
        'DELETE',
        `/v2/service_instances/later?accepts_incomplete=true&service_id=${service}&plan_id=${plan}`,
      ),
      fetch(`${admin}/readyz?verbose`),
      fetch(`${admin}/livez`),
      ask('GET', '/v2/catalog'),
    ])
    await server.start()

    for (const refused of [made, polled, fetched, removed]) {
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await refused.json()).toMatchObject({ description: expect.stringContaining('store') })
    }
    expect([ready.status, alive.status, catalog.status]).toEqual([503, 200, 200])
    expect(await ready.text()).toContain('[-]store')
    await expect.poll(async () => (await fetch(`${admin}/readyz`)).status, { timeout: 30_000 }).toBe(200)
    for (const [i, name] of ['soon', 'later', 'last'].entries()) {
      await expect.poll(() => stateOf(name, accepted[i] ?? ''), { timeout: 90_000 }).toBe('succeeded')
      expect(startsOf(name)).toBe(1)
    }
    expect((await ask('GET', '/v2/service_instances/refused')).status).toBe(404)
    await order('fresh', 0)
    await expect.poll(async () => stateOf('fresh', ''), { timeout: 30_000 }).toBe('succeeded')
  },
  180_000,
)

const service = '27972921-2b8d-494d-ba32-f8c688ccafc9'
const plan = '1d843d93-86d2-41b8-86c1-4e0349a3e670'

/** Operations by instance, as they were accepted. */
const operations = new Map<string, string>()

function orderOf(ms: number) {
  return {
    ...{ service_id: service, plan_id: plan, organization_guid: 'o', space_guid: 's' },
    parameters: { sim: { create: { ms } } },
  }
}

async function order(instance: string, ms: number): Promise<string> {
  const answer = await ask('PUT', `/v2/service_instances/${instance}?accepts_incomplete=true`, orderOf(ms))
  expect(answer.status).toBe(202)
  const { operation } = (await answer.json()) as { readonly operation: string }
  operations.set(instance, operation)
  return operation
}

async function stateOf(instance: string, operation: string): Promise<unknown> {
  const query = operation === '' ? '' : `?operation=${operation}`
  const answer = await ask('GET', `/v2/service_instances/${instance}/last_operation${query}`)
  return ((await answer.json()) as { readonly state?: unknown }).state
}

/** How often the engine noted the start of its run. */
function startsOf(instance: string): number {
  const operation = operations.get(instance) ?? ''
  return readFileSync(starts, 'utf8')
    .split('\n')
    .filter((line) => line.includes(operation)).length
}

function ask(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${broker.url}${path}`, {
    method,
    headers: {
      Authorization: accounts.platform,
      'X-Broker-API-Version': '2.17',
      'Content-Type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
