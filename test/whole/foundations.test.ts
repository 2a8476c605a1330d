/** Several Cloud Foundry foundations at one broker: whose request it was is told, and an account may be for some of them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'

const location = 'apiInfoLocations'
const user = { name: 'prod', role: 'platform', password: 'password-of-prod', [location]: ['api.cf.example'] }

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(undefined, undefined, (text) =>
    text.replace('\nshutdown:', `\n    - ${JSON.stringify(user)}\nshutdown:`),
  )
})
afterAll(() => running.stop())

const prod = `Basic ${Buffer.from('prod:password-of-prod').toString('base64')}`

async function catalogFor(as: string, given: string | undefined): Promise<number> {
  const headers = { ...(given === undefined ? {} : { 'X-Api-Info-Location': given }) }
  const response = await fetch(`${running.url}/v2/catalog`, {
    headers: { Authorization: as, 'X-Broker-API-Version': '2.17', ...headers },
  })
  await response.arrayBuffer()
  return response.status
}

test.each<[string | undefined, number]>([
  ['api.cf.example/v2/info', 200],
  ['API.cf.example/', 200],
  ['https://api.cf.example', 200],
  ['api.staging.example/v2/info', 403],
  ['api.cf.example.evil.example/v2/info', 403],
  ['api.cf.example@evil.example/', 403],
  ['', 403],
  [undefined, 403],
])('an account of one foundation, asked by %j: %i', async (given, status) => {
  expect(await catalogFor(prod, given)).toBe(status)
})

test.each(['api.staging.example/v2/info', 'nonsense, really', undefined])(
  'an account without such a bound takes %j',
  async (given) => {
    expect(await catalogFor(basic('platform'), given)).toBe(200)
  },
)

test('the trail tells which foundation a request named', async () => {
  await catalogFor(prod, 'api.staging.example/v2/info')
  const response = await ask(running, '/api/v1/audit?action=osb.read&limit=50', { as: basic('admin') })
  const { items } = (await response.json()) as {
    readonly items: readonly { readonly actor: { readonly location?: string } }[]
  }

  expect(items.map(({ actor }) => actor.location)).toContain('api.staging.example')
})
