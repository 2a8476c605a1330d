/** What is decided for tenants by command: it holds at once, is told to those whom it concerns, and the configuration stands before it. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/tenant.ts'
import { ask } from '../support/ask.ts'
import { catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'

const plan = (name: string) => ({ name, from: 'default', description: 'One.' })
const catalog = [
  {
    package: 'sim:alpha-db',
    service: { name: 'alpha-db', description: 'A pretended database.' },
    plans: [plan('small'), plan('large')],
  },
]
const users = ['ada', 'bob'].map(
  (name, i) =>
    `    - ${JSON.stringify({ name, role: 'developer', tenants: [['acme', 'web'][i]], password: `password-of-${name}` })}`,
)

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(undefined, undefined, (text) =>
    catalogOf(catalog)(text)
      .replace('\nshutdown:', `\n${users.join('\n')}\nshutdown:`)
      .concat('tenants: [{name: web, instances: 7}]\n'),
  )
  vi.stubEnv('CHANDLER_SERVER', running.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await running.stop()
})
afterEach(() => vi.restoreAllMocks())

function as(name: string): string {
  return `Basic ${Buffer.from(`${name}:password-of-${name}`).toString('base64')}`
}

async function call(name: string, method: string, path: string, body?: object) {
  const sent = body === undefined ? {} : { body }
  const response = await ask(running, `/api/v1${path}`, { as: as(name), method, ...sent })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer }
}

interface Answer {
  readonly code?: string
  readonly operation?: string
  readonly state?: string
  readonly lastLines?: readonly string[]
  readonly items?: readonly { readonly action: string; readonly object: { readonly id: string } }[]
  readonly services?: readonly { readonly plans: readonly { readonly name: string }[] }[]
}

function tenant(name: string, ...words: readonly string[]): Promise<string> {
  vi.stubEnv('CHANDLER_USER', name)
  vi.stubEnv('CHANDLER_PASSWORD', `password-of-${name}`)
  return runCommand(register, ['tenant', ...words])
}

const seen = async (name: string) =>
  (await call(name, 'GET', '/catalog')).body.services?.flatMap(({ plans }) => plans.map((one) => one.name))

async function ordered(name: string, id: string, parameters: object = {}) {
  const order = { service: 'alpha-db', plan: 'small', id, parameters }
  return await call(name, 'POST', '/instances', order)
}

test('a tenant sees and has what was decided for it, until something else is decided', async () => {
  expect(await tenant('admin', 'create', 'acme', '--instances', '1', '--service', 'alpha-db/small')).toMatch(
    /Instances: +0\/1\n.*alpha-db \(small\)\n.*acme: +services alpha-db\/small, instances 1 \(store\)/s,
  )
  expect(await seen('ada')).toEqual(['small'])
  expect((await ordered('ada', 'a-1')).status).toBe(202)
  expect((await ordered('ada', 'a-2')).body.code).toBe('broker.quota')

  await tenant('admin', 'set', 'acme', '--instances', '2', '--unset', 'services')

  expect(await seen('ada')).toEqual(['small', 'large'])
  expect((await ordered('ada', 'a-2')).status).toBe(202)
  expect((await ordered('ada', 'a-3')).body.code).toBe('broker.quota')
  expect(await tenant('ada', 'show', 'acme')).toMatch(/Instances: +2\/2\n/)
  expect(await tenant('admin', 'list', '-o', 'name')).toBe('acme\nweb\n')
  expect(await tenant('bob', 'list', '-o', 'name')).toBe('web\n')

  await tenant('admin', 'remove', 'acme', '--yes')

  expect((await ordered('ada', 'a-3')).status).toBe(202)
  expect(await codeOf(tenant('admin', 'remove', 'acme', '--yes'))).toBe('tenant.unknown')
})

test('logs that are for operators are kept from the tenant, and told again when they are not', async () => {
  const { operation } = (await ordered('ada', 'logged')).body
  const read = async (name: string) => (await call(name, 'GET', `/operations/${operation}/log`)).status

  expect(await read('ada')).toBe(200)
  await tenant('admin', 'create', 'acme', '--logs', 'operators')
  expect([await read('ada'), await read('admin'), await read('bob')]).toEqual([403, 200, 404])
  await tenant('admin', 'remove', 'acme', '--yes')
  expect(await read('ada')).toBe(200)
})

test('nor are they told the last lines of one that failed, which stand beside the operation', async () => {
  const sim = { create: { ms: 200, outcome: 'fail', log_every_ms: 20 } }
  const order = { service: 'alpha-db', plan: 'small', id: 'failing', parameters: { sim } }
  const { operation } = (await call('ada', 'POST', '/instances', order)).body
  const shown = async (name: string) => (await call(name, 'GET', `/operations/${operation}`)).body
  await expect.poll(async () => (await shown('ada')).state).toBe('failed')

  expect((await shown('ada')).lastLines).not.toBeUndefined()
  await tenant('admin', 'create', 'acme', '--logs', 'operators')
  expect((await shown('ada')).lastLines).toBeUndefined()
  expect((await shown('admin')).lastLines).not.toBeUndefined()
  await tenant('admin', 'remove', 'acme', '--yes')
})

test.each<[string, readonly string[], string]>([
  ['admin', ['create', 'web', '--instances', '1'], 'tenant.configured'],
  ['admin', ['set', 'web', '--instances', '1'], 'tenant.configured'],
  ['admin', ['remove', 'web', '--yes'], 'tenant.configured'],
  ['admin', ['set', 'nobody', '--instances', '1'], 'tenant.unknown'],
  ['admin', ['set', 'acme'], 'usage.invalid'],
  ['admin', ['create', 'a b', '--instances', '1'], 'request.malformed'],
  ['admin', ['create', 'x', '--engine', 'nowhere'], 'request.malformed'],
  ['admin', ['create', 'x', '--engine', 'sim'], 'request.malformed'],
  ['ada', ['create', 'acme', '--instances', '1000'], 'request.forbidden'],
  ['ada', ['set', 'acme', '--instances', '1000'], 'request.forbidden'],
  ['ada', ['remove', 'acme', '--yes'], 'request.forbidden'],
  ['ada', ['show', 'web'], 'request.forbidden'],
  ['admin', ['erase', 'nobody', '--yes'], 'tenant.keyless'],
  ['ada', ['erase', 'acme', '--yes'], 'request.forbidden'],
])('%s is refused %j: %s', async (name, words, code) => {
  expect(await codeOf(tenant(name, ...words))).toBe(code)
  expect(await tenant('admin', 'list', '-o', 'name')).not.toMatch(/^(?:x|nobody)$/m)
})

test('what is sealed of a tenant is erased once it has nothing any more, and it may order again', async () => {
  const ended = async (operation: string | undefined) =>
    expect
      .poll(async () => (await call('bob', 'GET', `/operations/${operation}`)).body.state, {
        timeout: 60_000,
      })
      .toBe('succeeded')
  const log = async (operation: string | undefined) => {
    const { status, body } = await call('bob', 'GET', `/operations/${operation}/log`)
    return { status, pieces: body.items?.length }
  }
  const chatty = { sim: { create: { ms: 100, log_every_ms: 10 } } }
  const made = (await ordered('bob', 'w-1', chatty)).body.operation
  await ended(made)
  expect(await log(made)).not.toMatchObject({ pieces: 0 })
  expect(await codeOf(tenant('admin', 'erase', 'web', '--yes'))).toBe('tenant.in-use')
  await ended((await call('bob', 'DELETE', '/instances/chandler/w-1')).body.operation)

  expect(await tenant('admin', 'erase', 'web', '--yes')).toBe('Erased: web\n')

  expect(await log(made)).toMatchObject({ status: 200, pieces: 0 })
  expect(await codeOf(tenant('admin', 'erase', 'web', '--yes'))).toBe('nothing failed')
  const again = (await ordered('bob', 'w-1', chatty)).body.operation
  await ended(again)
  expect(await log(again)).not.toMatchObject({ pieces: 0 })
  const { items = [] } = (await call('admin', 'GET', '/audit?object=web&latest=true')).body
  expect(items.map(({ action }) => action)).toContain('tenant.erase')
})

test('a tenant is made once, and all below a name may be one', async () => {
  expect(await tenant('admin', 'create', 'team/*', '--network', 'none')).toContain('network none (store)')
  expect(await codeOf(tenant('admin', 'create', 'team/*'))).toBe('tenant.exists')
  expect(await tenant('admin', 'show', 'team/a')).toContain('team/*')
  expect(await tenant('admin', 'list', '--beginning', 'te', '-o', 'name')).toBe('team/*\n')
  expect(await tenant('bob', 'list', '--beginning', 'te', '-o', 'name')).toBe('')
  expect(await tenant('admin', 'list', '--beginning', 'ac', '-o', 'name')).toBe('acme\n')
})

test('who decided what is in the audit trail', async () => {
  const { items = [] } = (await call('admin', 'GET', '/audit?object=team%2F*&latest=true')).body

  expect(items.map(({ action }) => action)).toEqual(['tenant.create'])
})
