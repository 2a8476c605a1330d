/** How fast a tenant may order, and how much of it may wait: beyond that it is told to come later, and no other tenant is. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/tenant.ts'
import { ask } from '../support/ask.ts'
import { passwords, startTestBroker, type TestBroker } from '../support/broker.ts'
import { runCommand } from '../support/run-command.ts'

function nameOf(tenant: string): string {
  return tenant.replace('/', '-')
}

const users = ['acme', 'web', 'calm', 'team/a', 'team/b'].map(
  (tenant) =>
    `    - ${JSON.stringify({ name: nameOf(tenant), role: 'developer', tenants: [tenant], password: 'password-of-one' })}\n`,
)

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(
    [
      'operations: {concurrency: 1}',
      'tenants: [{name: acme, ordersPerMinute: 2}, {name: team/*, ordersPerMinute: 3}]',
      '',
    ].join('\n'),
    undefined,
    (text) => text.replace('\nshutdown:', `\n${users.join('')}shutdown:`),
  )
})
afterAll(() => running.stop())

async function call(tenant: string, method: string, path: string, body?: object) {
  const as = `Basic ${Buffer.from(`${nameOf(tenant)}:password-of-one`).toString('base64')}`
  const sent = body === undefined ? {} : { body }
  const response = await ask(running, `/api/v1${path}`, { as, method, ...sent })
  return { status: response.status, text: await response.text(), after: response.headers.get('Retry-After') }
}

function order(tenant: string, id: string, sim?: object) {
  const parameters = sim === undefined ? {} : { sim: { create: sim } }
  return call(tenant, 'POST', '/instances', { service: 'alpha-db', plan: 'small', id, parameters })
}

test('orders of a tenant are counted over a minute; deletes are taken, others go on', async () => {
  expect((await order('acme', 'a-1')).status).toBe(202)
  expect((await order('acme', 'a-2')).status).toBe(202)
  const refused = await order('acme', 'a-3')
  expect([refused.status, refused.after]).toEqual([429, '5'])
  expect(refused.text).toContain('acme orders more than 2 times a minute')

  expect((await call('acme', 'DELETE', '/instances/chandler/a-1')).status).toBe(202)
  expect((await call('acme', 'GET', '/instances/chandler/a-3')).status).toBe(404)
  expect((await order('calm', 'o-1')).status).toBe(202)
})

test('tenants below a name share what is said for the name', async () => {
  const statuses: number[] = []
  for (const [i, tenant] of ['team/a', 'team/b', 'team/a', 'team/b'].entries())
    statuses.push((await order(tenant, `t-${i}`)).status)

  expect(statuses).toEqual([202, 202, 202, 429])
})

test('what may wait is decided by command as well', async () => {
  vi.stubEnv('CHANDLER_SERVER', running.url)
  vi.stubEnv('CHANDLER_USER', 'admin')
  vi.stubEnv('CHANDLER_PASSWORD', passwords.admin)
  const run = (...words: readonly string[]) => runCommand(register, ['tenant', ...words])
  expect(await run('create', 'web', '--queued', '2', '--orders-per-minute', '50')).toContain(
    'queued 2, ordersPerMinute 50',
  )
  // It holds the only place there is.
  await order('calm', 'o-long', { ms: -1 })
  const running1 = async () => (await call('calm', 'GET', '/operations?state=running')).text
  await vi.waitUntil(async () => (await running1()).includes('o-long'), { timeout: 60_000 })

  const statuses: number[] = []
  for (const id of ['w-1', 'w-2', 'w-3']) statuses.push((await order('web', id)).status)
  expect(statuses).toEqual([202, 202, 429])
  expect(await run('set', 'web', '--unset', 'queued')).not.toContain('queued')
  expect((await order('web', 'w-3')).status).toBe(202)
  vi.unstubAllEnvs()
})
