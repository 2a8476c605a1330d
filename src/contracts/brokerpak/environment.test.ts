import { expect, test } from 'vitest'
import { moveEnvironment } from './environment.ts'

const plans = [{ id: 'p-1', name: 'small', size: 1 }]

test('sources, plans, defaults and accounts become our settings', () => {
  const moved = moveEnvironment(
    {
      SECURITY_USER_NAME: 'cf',
      SECURITY_USER_PASSWORD: 'secret',
      PORT: '8080',
      GSB_BROKERPAK_SOURCES: JSON.stringify({
        a: {
          uri: 'https://x/a.brokerpak',
          service_prefix: 'my-',
          excluded_services: 'id-1\nid-2',
          config: '{"API_KEY":"own"}',
        },
      }),
      GSB_BROKERPAK_CONFIG: '{"API_KEY":"all","REGION":"eu","global_labels":[{"key":"k","value":"v"}]}',
      GSB_PROVISION_DEFAULTS: '{"region":"eu"}',
      GSB_SERVICE_MY_THING_PLANS: JSON.stringify(plans),
      GSB_SERVICE_MY_THING_PROVISION_DEFAULTS: '{"colour":"red"}',
    },
    [],
  )

  expect(moved.faults).toEqual([])
  expect(moved.settings).toEqual({
    http: { listen: '0.0.0.0:8080' },
    auth: { users: [{ name: 'cf', password: 'secret', role: 'platform' }] },
    catalog: [
      {
        package: 'https://x/a.brokerpak',
        options: {
          service_prefix: 'my-',
          excluded_services: ['id-1', 'id-2'],
          global_defaults: { region: 'eu' },
          global_labels: [{ key: 'k', value: 'v' }],
          environment: { API_KEY: 'own', REGION: 'eu' },
          services: { 'my-thing': { provision_defaults: { colour: 'red' } } },
          plans: { 'my-thing': plans },
        },
      },
    ],
  })
})

test('paks of the built-in folder come first, with the plans of the tile', () => {
  const tile = JSON.stringify({ a: { guid: 'g-1', name: 'one', size: '1' } })
  const builtin = [{ reference: './thing.brokerpak', services: ['google-thing'] }]

  expect(moveEnvironment({ THING_CUSTOM_PLANS: tile }, builtin).settings['catalog']).toMatchObject([
    { package: './thing.brokerpak', options: { plans: { 'google-thing': [{ id: 'g-1', name: 'one' }] } } },
  ])
  expect(
    moveEnvironment({ GSB_COMPATIBILITY_ENABLE_BUILTIN_BROKERPAKS: 'false' }, builtin).settings['catalog'],
  ).toEqual([])
})

test.each([
  [{ GSB_BROKERPAK_SOURCES: '{"a":{}}' }, /a has no uri/],
  [{ GSB_BROKERPAK_SOURCES: '{' }, /^GSB_BROKERPAK_SOURCES: /],
])('%j is a fault', (environment, message) => {
  expect(moveEnvironment(environment, []).faults.join('\n')).toMatch(message)
})

test('what cannot be moved is said', () => {
  const { remarks } = moveEnvironment(
    { DB_HOST: 'h', DB_PATH: 'p', GSB_COMPATIBILITY_ENABLE_BETA_SERVICES: 'true' },
    [],
  )

  expect(remarks).toHaveLength(3)
})
