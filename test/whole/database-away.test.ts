/** PostgreSQL dies under a running broker and comes back: refusals in the meantime, nothing lost, nothing done twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  pretendedOrder,
  slowOffer,
  startBrokerProcess,
} from '../support/broker-process.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { noteStarts } from '../support/sim-starts.ts'

const place = findPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'chandler-away-'))
const starts = noteStarts(dataDir)
let server: PostgresServer
let broker: BrokerProcess

beforeAll(async () => {
  if ('missing' in place) return
  server = await startPostgres()
  const environment = {
    CHANDLER_HTTP_ADMIN_LISTEN: '127.0.0.1:0',
    CHANDLER_OPERATIONS_LEASE: '2s',
    CHANDLER_OPERATIONS_HEARTBEAT: '500ms',
  }
  broker = await startBrokerProcess({ dataDir, store: await server.database(), environment })
})

afterAll(async () => {
  await broker?.end('SIGKILL')
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test.skipIf('missing' in place)(
  'while PostgreSQL is away everything is refused as the platform understands it, and afterwards all that was accepted ends',
  async () => {
    const accepted = [await order('soon', 1000), await order('later', 6000), await order('last', 12_000)]
    await expect.poll(() => startsOf('soon') + startsOf('later')).toBe(2)

    // What a platform was told a moment ago is what it is told again.
    expect(await stateOf('last', '')).toBe('in progress')
    await server.crash()
    const [made, polled, seen, fetched, removed, ready, alive, catalog] = await Promise.all([
      platform('PUT', '/v2/service_instances/refused?accepts_incomplete=true', pretendedOrder({ ms: 0 })),
      platform('GET', '/v2/service_instances/later/last_operation'),
      platform('GET', '/v2/service_instances/last/last_operation'),
      platform('GET', '/v2/service_instances/later'),
      platform(
        'DELETE',
        `/v2/service_instances/later?accepts_incomplete=true&${new URLSearchParams(slowOffer)}`,
      ),
      fetch(`${broker.adminUrl}/readyz?verbose`),
      fetch(`${broker.adminUrl}/livez`),
      platform('GET', '/v2/catalog'),
    ])
    await server.start()

    for (const refused of [made, polled, fetched, removed]) {
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await refused.json()).toEqual({
        description: 'The store cannot be reached; try again later',
        hint: 'Send it again later.',
      })
    }
    expect([seen.status, await seen.json()]).toMatchObject([200, { state: 'in progress' }])
    expect(seen.headers.get('retry-after')).toMatch(/^\d+$/)
    expect([ready.status, alive.status, catalog.status]).toEqual([503, 200, 200])
    expect(await ready.text()).toContain('[-]store')
    await expect.poll(async () => (await fetch(`${broker.adminUrl}/readyz`)).status).toBe(200)
    for (const [i, name] of ['soon', 'later', 'last'].entries()) {
      await expect.poll(() => stateOf(name, accepted[i] ?? '')).toBe('succeeded')
      expect(startsOf(name)).toBe(1)
    }
    expect((await platform('GET', '/v2/service_instances/refused')).status).toBe(404)
    await order('fresh', 0)
    await expect.poll(async () => stateOf('fresh', '')).toBe('succeeded')
  },
  180_000,
)

/** Operations by instance, as they were accepted. */
const operations = new Map<string, string>()

async function order(instance: string, ms: number): Promise<string> {
  const operation = await orderPretended(broker, instance, { ms })
  operations.set(instance, operation)
  return operation
}

async function stateOf(instance: string, operation: string): Promise<unknown> {
  const query = operation === '' ? '' : `?operation=${operation}`
  const answer = await platform('GET', `/v2/service_instances/${instance}/last_operation${query}`)
  return ((await answer.json()) as { readonly state?: unknown }).state
}

/** How often the engine noted the start of its run. */
function startsOf(instance: string): number {
  return starts(operations.get(instance)).length
}

function platform(method: string, path: string, body?: object): Promise<Response> {
  return ask(broker, path, { as: accounts.platform, method, ...(body === undefined ? {} : { body }) })
}
