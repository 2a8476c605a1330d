/** What one platform is granted in other measure than the rest: requests a second, and patience. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker, type User } from '../support/broker.ts'

let running: TestBroker
beforeAll(async () => {
  const plan = { name: 'inside', from: 'default', description: 'Answered inside the request.', mode: 'auto' }
  const service = { name: 'alpha-db', description: 'A pretended database.' }
  running = await startTestBroker('', undefined, (text) =>
    catalogOf([{ package: 'sim:alpha-db', service, plans: [plan] }])(text)
      .replace(/(name: other, [^}]*)}/, '$1, syncWait: 1ms}')
      .replace(/(name: watcher, [^}]*)}/, '$1, requestsPerSecond: 1}'),
  )
})
afterAll(() => running.stop())

async function order(as: User, id: string): Promise<number> {
  const catalog = (await (await ask(running, '/v2/catalog', { as: basic(as) })).json()) as {
    readonly services: readonly { readonly id: string; readonly plans: readonly { readonly id: string }[] }[]
  }
  const [service] = catalog.services
  const body = {
    ...{ service_id: service?.id, plan_id: service?.plans[0]?.id, organization_guid: 'o', space_guid: 's' },
    parameters: { sim: { create: { ms: 1500 } } },
  }
  const sent = { as: basic(as), method: 'PUT', body }
  return (await ask(running, `/v2/service_instances/${id}`, sent)).status
}

test('a platform with a short patience is told to come back, another one waits for the end', async () => {
  expect(await order('other', 'short')).toBe(422)
  expect(await order('platform', 'long')).toBe(201)
})

test('an account with a bound of its own is turned away above it, and others are not', async () => {
  const statuses = async (as: User) =>
    new Set(
      await Promise.all(
        Array.from(
          { length: 30 },
          async () => (await ask(running, '/api/v1/about', { as: basic(as) })).status,
        ),
      ),
    )

  expect(await statuses('watcher')).toEqual(new Set([200, 429]))
  expect(await statuses('admin')).toEqual(new Set([200]))
})
