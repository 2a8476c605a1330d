/** What the broker refuses, by code: a table of requests over both of its sides, each told what to do next. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ProblemCode, problemCodes } from '../../src/model/problem-codes.ts'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'

const plan = (id: string, more: object = {}) => ({
  id,
  name: id,
  from: 'default',
  description: `The plan ${id}.`,
  mode: 'sync',
  bindingMode: 'sync',
  ...more,
})
const service = (id: string, more: object = {}) => ({
  id,
  name: id,
  description: `The service ${id}.`,
  ...more,
})
const entries = [
  {
    package: 'sim:first',
    service: service('first', { planUpdatable: false }),
    plans: [
      plan('plain', { bindingRotatable: false }),
      plan('slow', { mode: 'async', bindingMode: 'async' }),
      plan('for-apps', { requiresApp: true }),
      plan('versioned', { maintenance: { version: '2.0.0' } }),
    ],
  },
  { package: 'sim:second', service: service('second', { bindable: false }), plans: [plan('unbindable')] },
]

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('', undefined, (text) =>
    catalogOf(entries)(text).replace('http: {', 'operations: {syncWait: 30s}\nhttp: {bodyLimit: 64KiB, '),
  )
  for (const [id, planId] of [
    ['there', 'plain'],
    ['app', 'for-apps'],
    ['closed', 'unbindable'],
    ['slow-one', 'slow'],
  ] as const) {
    await osb('PUT', `${id}?accepts_incomplete=true`, order(planId))
    await vi.waitFor(
      async () => expect((await operator('GET', `/instances/platform/${id}`)).body['state']).toBe('ready'),
      { timeout: 300_000, interval: 50 },
    )
  }
  await osb('PUT', 'there/service_bindings/here', of('plain'))
  await osb(
    'PUT',
    'endless?accepts_incomplete=true',
    order('slow', { parameters: { sim: { create: { ms: -1 } } } }),
  )
})
afterAll(() => running.stop())

const of = (planId: string) => ({
  service_id: planId === 'unbindable' ? 'second' : 'first',
  plan_id: planId,
})
const order = (planId: string, more: object = {}) => ({
  ...of(planId),
  organization_guid: 'o',
  space_guid: 's',
  ...more,
})

async function told(path: string, as: string, method: string, body?: object) {
  const response = await ask(running, path, { as, method, ...(body ? { body } : {}) })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
}
const osb = (method: string, path: string, body?: object) =>
  told(`/v2/service_instances/${path}`, basic('platform'), method, body)
const operator = (method: string, path: string, body?: object) =>
  told(`/api/v1${path}`, basic('admin'), method, body)

test.each<[string, ProblemCode, ...request: [method: string, path: string, body?: object]]>([
  [
    'an instance that is not there is deleted',
    'instance.gone',
    'DELETE',
    'nowhere?service_id=first&plan_id=plain',
  ],
  [
    'the service of another instance is named at its deletion',
    'instance.mismatch',
    'DELETE',
    'there?service_id=second&plan_id=plain',
  ],
  [
    'an asynchronous plan is ordered without the word for it',
    'instance.async-required',
    'PUT',
    'new',
    order('slow'),
  ],
  [
    'a plan is changed that may not be',
    'instance.plan-change-refused',
    'PATCH',
    'there?accepts_incomplete=true',
    { service_id: 'first', plan_id: 'versioned', previous_values: {} },
  ],
  [
    'a version is wanted that is not offered',
    'instance.maintenance-conflict',
    'PUT',
    'new?accepts_incomplete=true',
    order('versioned', { maintenance_info: { version: '1.0.0' } }),
  ],
  [
    'a binding that is not there is deleted',
    'binding.gone',
    'DELETE',
    'there/service_bindings/no?service_id=first&plan_id=plain',
  ],
  ['a binding that is not there is fetched', 'binding.unknown', 'GET', 'there/service_bindings/no'],
  [
    'a plan for applications is bound to none',
    'binding.requires-app',
    'PUT',
    'app/service_bindings/b',
    of('for-apps'),
  ],
  [
    'a plan that has no bindings is bound',
    'binding.not-bindable',
    'PUT',
    'closed/service_bindings/b',
    of('unbindable'),
  ],
  [
    'a binding is rotated whose plan does not allow it',
    'binding.predecessor-invalid',
    'PUT',
    'there/service_bindings/b',
    { ...of('plain'), predecessor_binding_id: 'here' },
  ],
  [
    'the body is too large',
    'request.too-large',
    'PUT',
    'new',
    order('plain', { parameters: { a: 'a'.repeat(70_000) } }),
  ],
])('on the platform side it is refused that %s', async (_, code, ...request) => {
  const answer = await osb(...request)

  expect([answer.status, String(answer.body['description'] ?? '')]).toEqual([
    problemCodes[code].status,
    expect.stringContaining(problemCodes[code].title),
  ])
})

test('a platform that speaks no version of the API is refused', async () => {
  const code: ProblemCode = 'request.version-unsupported'
  const response = await fetch(`${running.url}/v2/catalog`, { headers: { Authorization: basic('platform') } })

  expect([response.status, await response.json()]).toEqual([
    412,
    expect.objectContaining({ description: expect.stringContaining(problemCodes[code].title) }),
  ])
})

const nobody = '01J00000000000000000000000'

test.each<[string, ProblemCode, ...request: [method: string, path: string, body?: object]]>([
  ['an operation that is not there', 'operation.unknown', 'GET', `/operations/${nobody}`],
  ['a retry of an operation that is not there', 'operation.unknown', 'POST', `/operations/${nobody}/retry`],
  ['a retry of what went well', 'operation.not-retryable', 'POST', '/operations/LAST/retry'],
  [
    'the release of what is not held back',
    'operation.not-quarantined',
    'POST',
    '/operations/RUNNING/release',
  ],
  ['a package that the catalog does not have', 'package.unknown', 'GET', '/packages/nobody'],
  [
    'a result that the instance does not have',
    'output.unknown',
    'GET',
    '/instances/platform/there/outputs/none',
  ],
  ['a binding that is not there', 'binding.unknown', 'GET', '/instances/platform/there/bindings/none'],
  [
    'a body that is too large',
    'request.too-large',
    'POST',
    '/instances',
    { service: 'first', name: 'a'.repeat(70_000) },
  ],
])('on the operators’ side %s is refused with what to do', async (_, code, ...[method, path, body]) => {
  const answer = await operator(
    method,
    path.replace('LAST', await lastOf('there')).replace('RUNNING', await lastOf('endless')),
    body,
  )

  expect(answer.body).toMatchObject({
    code,
    title: problemCodes[code].title,
    hint: expect.stringMatching(/\w{3}/),
  })
  expect(answer.status).toBe(problemCodes[code].status)
})

async function lastOf(instance: string): Promise<string> {
  const { body } = await operator('GET', `/operations?platform=platform&instance=${instance}`)
  const [first] = body['items'] as readonly { readonly id: string }[]
  return first?.id ?? ''
}

test('a request that is sent again while the first is under way is told so', async () => {
  const code: ProblemCode = 'idempotency.in-flight'
  const send = () =>
    fetch(`${running.url}/api/v1/instances/platform/slow-one/bindings`, {
      method: 'POST',
      headers: {
        Authorization: basic('admin'),
        'Content-Type': 'application/json',
        'Idempotency-Key': 'one-key',
      },
      body: '{}',
    })
  const answers = await Promise.all(Array.from({ length: 8 }, send))
  const bodies = await Promise.all(answers.map(async (answer) => (await answer.json()) as { code?: string }))

  // Those that came while the first was carried out; the others got its answer.
  expect(new Set(bodies.map((body) => body.code ?? 'ordered'))).toEqual(new Set(['ordered', code]))
})
