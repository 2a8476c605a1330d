/** Every POST that the operator API has: the same key at another broker, after the first one was killed, is answered as then. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { operatorRoutes } from '../../src/http/operator/routes.ts'
import { accounts, type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'

/** A request for a route; what it needs is made when its path is asked for. */
interface Example {
  readonly path: (at: Api) => Promise<string>
  readonly body?: object
  readonly other?: object
  /** It cannot succeed here, and why; then its refusal must not be remembered. */
  readonly refused?: string
  /** Its answer is secret and made anew: what of it is the same. */
  readonly same?: string
}

const mine = '/instances/chandler'
const never = { sim: { create: { ms: -1 } } }
const fails = { sim: { create: { ms: 1, outcome: 'fail' } } }

function adopted(parameters: object): object {
  const service = '27972921-2b8d-494d-ba32-f8c688ccafc9'
  return { service, plan: 'small', state: 'ready', parameters, context: {}, memory: {}, bindings: [] }
}

const examples: Readonly<Record<string, Example>> = {
  '/instances': {
    path: async () => '/instances',
    body: { service: 'alpha-db', plan: 'small', id: 'fresh' },
    other: { service: 'alpha-db', plan: 'large', id: 'fresh' },
  },
  '/instances/dry-run': {
    path: async () => '/instances/dry-run',
    body: { service: 'alpha-db', plan: 'small', id: 'tried' },
    other: { service: 'alpha-db', plan: 'large', id: 'tried' },
  },
  '/instances/:platform/:instance/dry-run': {
    path: async (at) => `${await at.instance('tried', 'small')}/dry-run`,
    body: { parameters: {} },
    other: { plan: 'large' },
  },
  '/instances/:platform/:instance/bindings/dry-run': {
    path: async (at) => `${await at.instance('nearly-bound', 'small')}/bindings/dry-run`,
    other: { id: 'z' },
  },
  '/instances/:platform/:instance/bindings': {
    path: async (at) => `${await at.instance('bound', 'small')}/bindings`,
    other: { id: 'z' },
  },
  '/instances/:platform/:instance/bindings/:binding/rotate': {
    path: async (at) => {
      const instance = await at.instance('rotated', 'rotating')
      await at.done(await at.post(`${instance}/bindings`, 'bind-rotated', { id: 'b0' }))
      return `${instance}/bindings/b0/rotate`
    },
    other: { id: 'z' },
  },
  '/instances/:platform/:instance/invoke': {
    path: async (at) => `${await at.instance('invoked', 'small')}/invoke`,
    body: { action: 'echo', parameters: {} },
    other: { action: 'echo', parameters: { x: 1 } },
  },
  '/instances/:platform/:instance/purge': {
    path: async (at) => `${await at.instance('purged', 'small')}/purge`,
  },
  '/instances/:platform/:instance/repin': {
    path: async (at) => `${await at.instance('pinned', 'small')}/repin`,
  },
  '/instances/:platform/:instance/rename': {
    path: async (at) => `${await at.instance('named', 'small')}/rename`,
    body: { name: 'first' },
    other: { name: 'second' },
  },
  '/instances/:platform/:instance/adopt/dry-run': {
    path: async () => `${mine}/nearly-adopted/adopt/dry-run`,
    body: adopted({}),
    other: adopted({ size: 2 }),
  },
  '/instances/:platform/:instance/adopt': {
    path: async () => `${mine}/adopted/adopt`,
    body: adopted({}),
    other: adopted({ size: 2 }),
  },
  '/operations/:operation/cancel': {
    path: async (at) => `/operations/${await at.order('cancelled', 'slow', never)}/cancel`,
  },
  '/operations/:operation/retry': {
    path: async (at) => {
      const operation = await at.order('retried', 'slow', fails)
      await at.ended(operation)
      return `/operations/${operation}/retry`
    },
    other: { parameters: { size: 2 } },
  },
  '/operations/:operation/release': {
    path: async (at) => `/operations/${await at.order('released', 'slow', never)}/release`,
    refused: 'no operation is quarantined',
  },
  '/session': { path: async () => '/session', same: 'user' },
  '/accounts': {
    path: async () => '/accounts',
    body: { name: 'ada', password: 'password-of-ada', grants: [] },
    other: { name: 'eve', password: 'password-of-ada', grants: [] },
  },
  '/packages': {
    path: async () => '/packages',
    body: { name: 'redis', reference: 'docker://registry.example/redis', tenant: 'acme' },
    refused: 'sandboxes are closed',
  },
  '/tenants': {
    path: async () => '/tenants',
    body: { name: 'acme', instances: 1 },
    other: { name: 'web', instances: 1 },
  },
  '/password': {
    path: async () => '/password',
    body: { current: 'conformance-of-operators', password: 'another-password' },
    refused: 'the account is one of the configuration',
  },
  '/tokens': { path: async () => '/tokens', body: { name: 'ci' }, other: { name: 'cd' }, same: 'id' },
  '/keys': { path: async () => '/keys' },
  '/keys/rotate': { path: async () => '/keys/rotate' },
  '/keys/:key/activate': {
    path: async (at) => {
      const { keys } = (await at.get('/keys')) as { readonly keys: readonly { readonly id: string }[] }
      return `/keys/${keys[0]?.id}/activate`
    },
  },
  '/backups': { path: async () => '/backups', refused: 'copies of PostgreSQL are made by its own tools' },
  '/freeze': { path: async () => '/freeze', body: { reason: 'one' }, other: { reason: 'another' } },
}

/** Nothing can be ordered once it is frozen. */
const posts = operatorRoutes
  .filter(({ method }) => method === 'POST')
  .map(({ url }) => url)
  .toSorted((a, b) => Number(a === '/freeze') - Number(b === '/freeze'))

test('every POST has an example here', () => {
  expect(Object.keys(examples).toSorted()).toEqual(posts.toSorted())
})

class Api {
  readonly broker: BrokerProcess
  constructor(broker: BrokerProcess) {
    this.broker = broker
  }

  async post(path: string, key: string, body: object = {}) {
    const response = await fetch(`${this.broker.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        Authorization: accounts.operator,
        'Idempotency-Key': key,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }

  async get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.broker.url}/api/v1${path}`, {
      headers: { Authorization: accounts.operator },
    })
    return (await response.json()) as Record<string, unknown>
  }

  async order(id: string, plan: string, parameters: object = {}): Promise<string> {
    const { body } = await this.post('/instances', `make-${id}`, {
      service: 'alpha-db',
      plan,
      id,
      parameters,
    })
    return String(body['operation'])
  }

  async instance(id: string, plan: string): Promise<string> {
    await this.ended(await this.order(id, plan))
    return `${mine}/${id}`
  }

  async done({ body }: { readonly body: Record<string, unknown> }): Promise<void> {
    await this.ended(String(body['operation']))
  }

  async ended(operation: string): Promise<void> {
    await vi.waitFor(
      async () => expect((await this.get(`/operations/${operation}`))['state']).toMatch(/succeeded|failed/),
      { timeout: 300_000, interval: 50 },
    )
  }
}

describe.skipIf('missing' in findPostgres())('two brokers on one PostgreSQL', () => {
  const undo: (() => unknown)[] = []
  const asked = new Map<
    string,
    { readonly path: string; readonly answer: Awaited<ReturnType<Api['post']>> }
  >()
  let second: Api

  beforeAll(async () => {
    const server = await startPostgres()
    undo.push(() => server.stop())
    const dataDir = mkdtempSync(join(tmpdir(), 'chandler-once-'))
    undo.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const place = { dataDir, store: await server.database() }
    const first = new Api(
      await startBrokerProcess({ ...place, environment: { CHANDLER_NODE_NAME: 'first' } }),
    )
    undo.push(() => first.broker.end('SIGKILL'))
    second = new Api(await startBrokerProcess({ ...place, environment: { CHANDLER_NODE_NAME: 'second' } }))
    undo.push(() => second.broker.end('SIGTERM'))
    for (const url of posts) {
      const { path, body } = examples[url] ?? { path: async () => url }
      const at = await path(first)
      asked.set(url, { path: at, answer: await first.post(at, keyOf(url), body) })
    }
    await first.broker.end('SIGKILL')
  })
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  })

  test.each(posts)('POST %s is answered by the other one as it was by the first', async (url) => {
    const { path = url, answer } = asked.get(url) ?? {}
    const { body, other = { x: 1 }, refused, same } = examples[url] ?? {}
    const again = await second.post(path, keyOf(url), body)
    const different = await second.post(path, keyOf(url), other)

    expect([refused, again.status]).toEqual([refused, answer?.status])
    if (refused !== undefined) expect(again.status).toBeGreaterThanOrEqual(400)
    else {
      expect(answer?.status).toBeLessThan(300)
      if (same === undefined) expect(again).toEqual(answer)
      else {
        expect(again.body[same]).toEqual(answer?.body[same])
        expect(again.body).not.toEqual(answer?.body)
      }
      expect([different.status, different.body['code']]).toEqual([422, 'idempotency.mismatch'])
    }
  })
})

function keyOf(url: string): string {
  return `once-${url.replaceAll(/[^a-z]+/g, '-')}`
}
