/** A package that platforms would refuse is left out of the catalog, with its reason; the others are offered. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lintCatalog } from '../../src/diagnostics/lint.ts'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'

const entry = (name: string, more: object = {}) => ({
  package: `sim:${name}`,
  service: { id: name, name, description: 'A pretended one.', ...more },
})

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(
    '',
    undefined,
    catalogOf([
      entry('good'),
      entry('wordy', { description: 'x'.repeat(10_001) }),
      entry('shared', { metadata: { shareable: 'sometimes' } }),
      entry('tagged', { tags: ['x'.repeat(2049)] }),
      entry('client', { dashboardClient: { id: 'c', secret: 's' } }),
    ]),
  )
})
afterAll(() => running.stop())

test('the catalog that is offered is taken by specification and Cloud Foundry', async () => {
  const catalog = (await (await ask(running, '/v2/catalog', { as: basic('platform') })).json()) as {
    readonly services: readonly { readonly name: string }[]
  }

  expect(catalog.services.map(({ name }) => name)).toEqual(['good'])
  expect(lintCatalog(catalog).verdicts).toMatchObject({ specification: 'valid', cloudfoundry: 'accepted' })
})

test('why the others are not offered is told', async () => {
  const { items } = (await (await ask(running, '/api/v1/packages', { as: basic('admin') })).json()) as {
    readonly items: readonly { readonly name: string; readonly state: string }[]
  }

  expect(items.filter(({ state }) => state === 'refused').map(({ name }) => name)).toEqual([
    'client',
    'shared',
    'tagged',
    'wordy',
  ])
  expect(JSON.stringify(items)).toMatch(/service wordy, description: has 10001 characters/)
})
