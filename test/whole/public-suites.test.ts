/**
 * The rules of the three public suites that go beyond the specification or choose where it leaves a choice, each by name.
 * Left out: JavaScript and Kotlin refuse fields that came after 2.13 (metadata, endpoints, maintenance_info of plans), which later versions demand.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'

const plan = (id: string, mode: string) => ({
  id,
  name: id,
  from: 'default',
  description: `The plan ${id}.`,
  mode,
  bindingMode: mode,
})
const entries = [
  {
    package: 'sim:suites',
    service: { id: 'suites', name: 'suites', description: 'A pretended one.', planUpdatable: true },
    plans: [plan('now', 'sync'), plan('later', 'async')],
  },
  {
    package: 'sim:others',
    service: { id: 'others', name: 'others', description: 'Another pretended one.' },
    plans: [plan('other', 'sync')],
  },
]

let usual: TestBroker
let gone: TestBroker
beforeAll(async () => {
  usual = await startTestBroker('', undefined, catalogOf(entries))
  gone = await startTestBroker('', undefined, (text) =>
    catalogOf(entries)(text.replace('dataDir:', 'osb: {deletedLastOperation: gone}\ndataDir:')),
  )
})
afterAll(async () => {
  await usual.stop()
  await gone.stop()
})

interface Sent {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly as?: string
  readonly at?: TestBroker
}

async function ask(
  method: string,
  path: string,
  { body, headers = {}, as = basic('platform'), at = usual }: Sent = {},
) {
  const all = {
    Authorization: as,
    'X-Broker-API-Version': '2.13',
    'Content-Type': 'application/json',
    ...headers,
  }
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(`${at.url}/v2${path}`, {
    method,
    headers: Object.fromEntries(sent),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

const order = (planId: string, more: object = {}) => ({
  service_id: 'suites',
  plan_id: planId,
  organization_guid: 'o',
  space_guid: 's',
  ...more,
})
const later = 'accepts_incomplete=true'
const instance = (id: string, query = '') => `/service_instances/${id}${query === '' ? '' : `?${query}`}`
const binding = (id: string, query = '') => instance(`${id}/service_bindings/b`, query)

async function made(id: string, planId: string, at = usual): Promise<string> {
  const { body } = await ask('PUT', instance(id, later), { body: order(planId), at })
  await ended(instance(`${id}/last_operation`), at)
  return String(body['operation'])
}

async function ended(path: string, at = usual): Promise<void> {
  await vi.waitFor(
    async () => expect((await ask('GET', path, { at })).body['state']).not.toBe('in progress'),
    { timeout: 300_000, interval: 20 },
  )
}

async function deleted(id: string, at: TestBroker): Promise<string> {
  await made(id, 'later', at)
  const query = `service_id=suites&plan_id=later&${later}`
  const { body } = await ask('DELETE', instance(id, query), { at })
  await ended(instance(`${id}/last_operation`), at)
  return String(body['operation'])
}

type Suite = 'JavaScript' | 'Go' | 'Kotlin' | 'all'
const rows: readonly (readonly [suite: Suite, rule: string, run: () => Promise<unknown>, wanted: unknown])[] =
  [
    [
      'all',
      'a missing version is 412',
      async () => (await ask('GET', '/catalog', { headers: { 'X-Broker-API-Version': undefined } })).status,
      412,
    ],
    [
      'Go',
      'an empty version is a missing one',
      async () => (await ask('GET', '/catalog', { headers: { 'X-Broker-API-Version': '' } })).status,
      412,
    ],
    [
      'Kotlin',
      'an unusable version of a stranger is 401',
      async () =>
        (
          await ask('GET', '/catalog', {
            headers: { 'X-Broker-API-Version': '9.9' },
            as: basic('platform').slice(0, -6),
          })
        ).status,
      401,
    ],
    [
      'Kotlin',
      'a PUT without body and version is judged by its version',
      async () =>
        (await ask('PUT', instance('bare', later), { headers: { 'X-Broker-API-Version': undefined } }))
          .status,
      412,
    ],
    [
      'Kotlin',
      'the identity of a request comes back',
      async () =>
        (await ask('GET', '/catalog', { headers: { 'X-Broker-API-Request-Identity': 'id-7' } })).headers.get(
          'X-Broker-API-Request-Identity',
        ),
      'id-7',
    ],
    [
      'JavaScript',
      'names are lower case, digits and hyphens',
      async () => {
        const { services } = (await ask('GET', '/catalog')).body as {
          readonly services: readonly {
            readonly name: string
            readonly plans: readonly { readonly name: string }[]
          }[]
        }
        return services
          .flatMap(({ name, plans }) => [name, ...plans.map((one) => one.name)])
          .every((name) => /^[a-z0-9-]+$/.test(name))
      },
      true,
    ],
    [
      'all',
      'an order without organization is 400',
      async () =>
        (await ask('PUT', instance('x', later), { body: order('now', { organization_guid: undefined }) }))
          .status,
      400,
    ],
    [
      'all',
      'an order without space is 400',
      async () =>
        (await ask('PUT', instance('x', later), { body: order('now', { space_guid: undefined }) })).status,
      400,
    ],
    [
      'JavaScript',
      'a plan that takes a while is AsyncRequired before its parameters are read',
      async () =>
        (await ask('PUT', instance('x'), { body: order('later', { parameters: { nonsense: 1 } }) })).body[
          'error'
        ],
      'AsyncRequired',
    ],
    [
      'Go',
      'an empty maintenance_info is none',
      async () =>
        (await ask('PUT', instance('empty', later), { body: order('now', { maintenance_info: {} }) })).status,
      201,
    ],
    [
      'all',
      'the same order again is 200, also when it was done in the background',
      async () => {
        await made('again', 'later')
        return (await ask('PUT', instance('again', later), { body: order('later') })).status
      },
      200,
    ],
    [
      'Kotlin',
      'the same order of another space is 409',
      async () => {
        await made('spaces', 'now')
        return (
          await ask('PUT', instance('spaces', later), { body: order('now', { space_guid: 'another' }) })
        ).status
      },
      409,
    ],
    [
      'JavaScript',
      'an update that changes nothing is AsyncRequired all the same',
      async () => {
        await made('idle', 'later')
        return (await ask('PATCH', instance('idle'), { body: { service_id: 'suites' } })).body['error']
      },
      'AsyncRequired',
    ],
    [
      'Go',
      'an update with empty previous values is one',
      async () => {
        await made('previous', 'now')
        const body = { service_id: 'suites', previous_values: { maintenance_info: {} }, maintenance_info: {} }
        return (await ask('PATCH', instance('previous', later), { body })).status
      },
      200,
    ],
    [
      'Go',
      'polls with words for operations are told the latest',
      async () => {
        await made('words', 'later')
        const words = ['provision', 'update', 'deprovision']
        return Promise.all(
          words.map(
            async (word) =>
              (await ask('GET', `${instance('words')}/last_operation?operation=${word}`)).body['state'],
          ),
        )
      },
      ['succeeded', 'succeeded', 'succeeded'],
    ],
    [
      'Go',
      'bindings are made in the background',
      async () => {
        await made('bound', 'later')
        const body = { service_id: 'suites', plan_id: 'later', bind_resource: {} }
        const headers = { 'X-Broker-API-Version': '2.14' }
        const { status } = await ask('PUT', binding('bound', later), { body, headers })
        await ended(instance('bound/service_bindings/b/last_operation'))
        return status
      },
      202,
    ],
    [
      'JavaScript',
      'a binding again with another plan is 409',
      async () => {
        await made('rebound', 'now')
        await ask('PUT', binding('rebound'), { body: { service_id: 'suites', plan_id: 'now' } })
        return (await ask('PUT', binding('rebound'), { body: { service_id: 'suites', plan_id: 'later' } }))
          .status
      },
      409,
    ],
    [
      'JavaScript',
      'a binding again with another service is 409',
      async () => {
        await made('rebound-2', 'now')
        await ask('PUT', binding('rebound-2'), { body: { service_id: 'suites', plan_id: 'now' } })
        return (await ask('PUT', binding('rebound-2'), { body: { service_id: 'others', plan_id: 'other' } }))
          .status
      },
      409,
    ],
    [
      'Kotlin',
      'a fetch of what nobody made is a 4xx',
      async () => Math.floor((await ask('GET', instance('nobody'))).status / 100),
      4,
    ],
    [
      'Kotlin',
      'an unbind without ids of an unknown binding is 410',
      async () => {
        await made('unbound', 'now')
        return (await ask('DELETE', binding('unbound'))).status
      },
      410,
    ],
    [
      'Kotlin',
      'a deprovision without ids of an unknown instance is 400',
      async () => (await ask('DELETE', instance('nobody'))).status,
      400,
    ],
    [
      'Kotlin',
      'a deprovision at once of an unknown instance of a slow plan is 422',
      async () => (await ask('DELETE', instance('nobody', 'service_id=suites&plan_id=later'))).status,
      422,
    ],
    [
      'JavaScript',
      'a poll of a finished delete is 200 succeeded',
      async () => {
        const operation = await deleted('deleted-1', usual)
        const { status, body } = await ask(
          'GET',
          `${instance('deleted-1')}/last_operation?operation=${operation}`,
        )
        return [status, body['state']]
      },
      [200, 'succeeded'],
    ],
    [
      'Go',
      'a poll of a finished delete without its operation is 200 succeeded',
      async () => {
        await deleted('deleted-2', usual)
        const { status, body } = await ask('GET', `${instance('deleted-2')}/last_operation`)
        return [status, body['state']]
      },
      [200, 'succeeded'],
    ],
    [
      'Kotlin',
      'a poll of a finished delete is 410, where osb.deletedLastOperation says gone',
      async () => {
        const operation = await deleted('deleted-3', gone)
        return (
          await ask('GET', `${instance('deleted-3')}/last_operation?operation=${operation}`, { at: gone })
        ).status
      },
      410,
    ],
  ]

test.each(rows)('%s: %s', async (_suite, _rule, run, wanted) => {
  expect(await run()).toEqual(wanted)
})
