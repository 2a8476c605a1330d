/** An instance says beforehand which orders are refused whatever they say, so that no form is filled in for one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'

const $schema = 'http://json-schema.org/draft-04/schema#'
const closed = { update: { $schema, type: 'object', additionalProperties: false } }
const oneOpen = { update: { ...closed.update, properties: { size: { type: 'integer' } } } }
const plan = (name: string, more: object = {}) => ({ name, from: 'default', ...more })
const service = (name: string, more: object = {}) => ({ name, description: `A pretended ${name}.`, ...more })
const entries = [
  {
    package: 'sim:fixed',
    service: service('fixed', { planUpdatable: false }),
    plans: [plan('closed', { schemas: closed }), plan('open'), plan('one-open', { schemas: oneOpen })],
  },
  {
    package: 'sim:movable',
    service: service('movable', { planUpdatable: true }),
    plans: [plan('closed', { schemas: closed }), plan('other')],
  },
  { package: 'sim:unbound', service: service('unbound', { bindable: false }), plans: [plan('open')] },
]

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('', undefined, catalogOf(entries))
})
afterAll(() => running.stop())

async function api(method: string, path: string, body?: object): Promise<Record<string, never>> {
  const response = await ask(running, `/api/v1${path}`, {
    as: basic('admin'),
    method,
    ...(body ? { body } : {}),
  })
  expect(response.status).toBeLessThan(300)
  return (await response.json()) as Record<string, never>
}

type Barred = Readonly<
  Record<string, { readonly code: string; readonly message: string; readonly hint: string }>
>

async function barredOf(service: string, plan: string, parameters: object): Promise<Barred> {
  const id = `${service}-${plan}-${Object.keys(parameters).length}`
  await api('POST', '/instances', { service, plan, id, parameters })
  await expect
    .poll(async () => (await api('GET', `/instances/chandler/${id}`))['operation'], { timeout: 60_000 })
    .toBeUndefined()
  return (await api('GET', `/instances/chandler/${id}`))['barred'] ?? {}
}

const fails = { sim: { create: { outcome: 'fail' } } }

interface Row {
  readonly what: string
  readonly of: readonly [service: string, plan: string]
  readonly parameters?: object
  readonly barred: Readonly<Record<string, string>>
}

test.each<Row>([
  {
    what: 'a plan that opens nothing to change and leads nowhere',
    of: ['fixed', 'closed'],
    barred: { update: 'instance.unchangeable' },
  },
  { what: 'a plan without a schema for changes', of: ['fixed', 'open'], barred: {} },
  { what: 'a plan that opens one parameter', of: ['fixed', 'one-open'], barred: {} },
  { what: 'a plan that opens nothing, beside another', of: ['movable', 'closed'], barred: {} },
  {
    what: 'a plan that is not bindable',
    of: ['unbound', 'open'],
    barred: { bind: 'binding.not-bindable' },
  },
  {
    what: 'an instance that failed',
    of: ['fixed', 'open'],
    parameters: fails,
    barred: { update: 'instance.failed', bind: 'instance.failed' },
  },
])('$what: $barred', async ({ of: [service, plan], parameters = {}, barred }) => {
  const told = await barredOf(service, plan, parameters)

  expect(Object.fromEntries(Object.entries(told).map(([order, { code }]) => [order, code]))).toEqual(barred)
  for (const { message, hint } of Object.values(told)) expect([message, hint]).not.toContain('')
})
