/** What the broker refuses, of platforms and of operators. */
import { expect, vi } from 'vitest'
import type { ProblemCode } from '../../../src/model/problem-codes.ts'
import { ask } from '../../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../../support/broker.ts'
import { type Ground, type Provoked, toldByBroker, toldToPlatform } from '../../support/told.ts'

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

type Row = readonly [
  name: string,
  code: ProblemCode,
  names: readonly string[],
  method: string,
  path: string,
  body?: object,
]

const ofPlatforms: readonly Row[] = [
  [
    'an instance that is not there is deleted',
    'instance.gone',
    ['nowhere'],
    'DELETE',
    'nowhere?service_id=first&plan_id=plain',
  ],
  [
    'the service of another instance is named at its deletion',
    'instance.mismatch',
    ['second'],
    'DELETE',
    'there?service_id=second&plan_id=plain',
  ],
  [
    'an asynchronous plan is ordered without the word for it',
    'instance.async-required',
    [],
    'PUT',
    'new',
    order('slow'),
  ],
  [
    'a plan is changed that may not be',
    'instance.plan-change-refused',
    ['plain to versioned'],
    'PATCH',
    'there?accepts_incomplete=true',
    { service_id: 'first', plan_id: 'versioned', previous_values: {} },
  ],
  [
    'a version is wanted that is not offered',
    'instance.maintenance-conflict',
    [],
    'PUT',
    'new?accepts_incomplete=true',
    order('versioned', { maintenance_info: { version: '1.0.0' } }),
  ],
  [
    'a binding that is not there is deleted',
    'binding.gone',
    ['no'],
    'DELETE',
    'there/service_bindings/no?service_id=first&plan_id=plain',
  ],
  ['a binding that is not there is fetched', 'binding.unknown', ['no'], 'GET', 'there/service_bindings/no'],
  [
    'a plan for applications is bound to none',
    'binding.requires-app',
    [],
    'PUT',
    'app/service_bindings/b',
    of('for-apps'),
  ],
  [
    'a plan that has no bindings is bound',
    'binding.not-bindable',
    ['unbindable'],
    'PUT',
    'closed/service_bindings/b',
    of('unbindable'),
  ],
  [
    'a binding is rotated whose plan does not allow it',
    'binding.predecessor-invalid',
    ['bindings of plan plain cannot be rotated'],
    'PUT',
    'there/service_bindings/b',
    { ...of('plain'), predecessor_binding_id: 'here' },
  ],
  [
    'the body is too large',
    'request.too-large',
    ['more than 65536 bytes'],
    'PUT',
    'new',
    order('plain', { parameters: { a: 'a'.repeat(70_000) } }),
  ],
]

const nobody = '01J00000000000000000000000'

/** LAST and RUNNING are the operations of two instances. */
const ofOperators: readonly Row[] = [
  ['an operation that is not there', 'operation.unknown', [nobody], 'GET', `/operations/${nobody}`],
  [
    'a retry of an operation that is not there',
    'operation.unknown',
    [nobody],
    'POST',
    `/operations/${nobody}/retry`,
  ],
  [
    'a retry of what went well',
    'operation.not-retryable',
    ['it succeeded'],
    'POST',
    '/operations/LAST/retry',
  ],
  [
    'the release of what is not held back',
    'operation.not-quarantined',
    ['it is running'],
    'POST',
    '/operations/RUNNING/release',
  ],
  ['a package that the catalog does not have', 'package.unknown', ['nobody'], 'GET', '/packages/nobody'],
  [
    'a result that the instance does not have',
    'output.unknown',
    ['none'],
    'GET',
    '/instances/platform/there/outputs/none',
  ],
  [
    'a binding that is not there',
    'binding.unknown',
    ['none'],
    'GET',
    '/instances/platform/there/bindings/none',
  ],
  [
    'a body that is too large',
    'request.too-large',
    ['more than 65536 bytes'],
    'POST',
    '/instances',
    { service: 'first', name: 'a'.repeat(70_000) },
  ],
]

async function lastOf(instance: string): Promise<string> {
  const { body } = await operator('GET', `/operations?platform=platform&instance=${instance}`)
  const [first] = body['items'] as readonly { readonly id: string }[]
  return first?.id ?? ''
}

const unversioned: Provoked = {
  name: 'a platform that speaks no version of the API',
  code: 'request.version-unsupported',
  names: [],
  provoke: async () => {
    const response = await fetch(`${running.url}/v2/catalog`, {
      headers: { Authorization: basic('platform') },
    })
    const body = (await response.json()) as Record<string, unknown>
    return { told: toldToPlatform(body, 'request.version-unsupported'), ending: response.status }
  },
}

/** Of several at once those are refused that came while the first was carried out; the others get its answer. */
const inFlight: Provoked = {
  name: 'a request that is sent again while the first is under way',
  code: 'idempotency.in-flight',
  names: [],
  provoke: async () => {
    const send = async () => {
      const response = await fetch(`${running.url}/api/v1/instances/platform/slow-one/bindings`, {
        method: 'POST',
        headers: {
          Authorization: basic('admin'),
          'Content-Type': 'application/json',
          'Idempotency-Key': 'one-key',
        },
        body: '{}',
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const answers = await Promise.all(Array.from({ length: 8 }, send))
    const refused = answers.filter(({ status }) => status >= 400)
    const [first] = refused
    if (first === undefined || refused.length === answers.length)
      throw new Error(`${refused.length} of ${answers.length} were refused`)
    return { told: toldByBroker(first.body), ending: first.status }
  },
}

export const ofRequests: Ground = {
  errors: [
    ...ofPlatforms.map(
      ([name, code, names, ...request]): Provoked => ({
        ...{ name: `of a platform: ${name}`, code, names },
        provoke: async () => {
          const { status, body } = await osb(...request)
          return { told: toldToPlatform(body, code), ending: status }
        },
      }),
    ),
    unversioned,
    ...ofOperators.map(
      ([name, code, names, method, path, body]): Provoked => ({
        ...{ name: `of an operator: ${name}`, code, names },
        provoke: async () => {
          const ids = { LAST: await lastOf('there'), RUNNING: await lastOf('endless') }
          const at = path.replace('LAST', ids.LAST).replace('RUNNING', ids.RUNNING)
          const { status, body: answer } = await operator(method, at, body)
          return { told: toldByBroker(answer), ending: status }
        },
      }),
    ),
    inFlight,
  ],
  open: async () => {
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
    await vi.waitFor(
      async () =>
        expect((await operator('GET', `/operations/${await lastOf('endless')}`)).body['state']).toBe(
          'running',
        ),
      { timeout: 300_000, interval: 50 },
    )
  },
  close: () => running.stop(),
}
