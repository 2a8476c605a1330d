import { expect, test } from 'vitest'
import { moveEnvironment, type PakAtHand } from './environment.ts'
import type { Manifest } from './manifest.ts'

const account = { SECURITY_USER_NAME: 'cf', SECURITY_USER_PASSWORD: 'secret' }
const move = (environment: Readonly<Record<string, string>>, paks: readonly PakAtHand[] = []) =>
  moveEnvironment({ ...account, ...environment }, paks, 'made-up')

const manifest: Manifest = {
  packversion: 1,
  name: 'things',
  version: '1.0.0',
  metadata: {},
  platforms: [],
  binaries: [],
  definitions: [],
  parameters: [{ name: 'API_KEY', description: '' }],
  requiredEnvironment: ['ARM_CLIENT_SECRET', 'ARM_TENANT_ID'],
  environmentMapping: { AWS_ACCESS_KEY_ID: 'aws.access_key_id' },
  upgradePath: [],
  providerReplacements: {},
}

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
    'made-up',
  )

  expect(moved.faults).toEqual([])
  expect(moved.secrets).toEqual({ 'platform-password': 'secret', 'operator-password': 'made-up' })
  expect(moved.settings).toEqual({
    http: { listen: '0.0.0.0:8080' },
    dataDir: './data',
    auth: {
      users: [
        { name: 'cf', password_file: './secrets/platform-password', role: 'platform' },
        { name: 'admin', password_file: './secrets/operator-password', role: 'operator' },
      ],
    },
    catalog: [
      {
        package: 'https://x/a.brokerpak',
        options: {
          service_prefix: 'my-',
          excluded_services: ['id-1', 'id-2'],
          global_defaults: { region: 'eu' },
          global_labels: [{ key: 'k', value: 'v' }],
          environment: { API_KEY: 'own', REGION: 'eu' },
          services: { thing: { provision_defaults: { colour: 'red' } } },
          plans: { thing: plans },
        },
      },
    ],
  })
})

test('paks of the built-in folder come first, with the plans of the tile', () => {
  const tile = JSON.stringify({ a: { guid: 'g-1', name: 'one', size: '1' } })
  const builtin = [{ reference: './thing.brokerpak', services: ['google-thing'], manifest }]

  expect(move({ THING_CUSTOM_PLANS: tile }, builtin).settings['catalog']).toMatchObject([
    { package: './thing.brokerpak', options: { plans: { 'google-thing': [{ id: 'g-1', name: 'one' }] } } },
  ])
  expect(move({ GSB_COMPATIBILITY_ENABLE_BUILTIN_BROKERPAKS: 'false' }, builtin).settings['catalog']).toEqual(
    [],
  )
})

test.each([
  [{ GSB_BROKERPAK_SOURCES: '{"a":{}}' }, /a has no uri/],
  [{ GSB_BROKERPAK_SOURCES: '{' }, /^GSB_BROKERPAK_SOURCES: /],
])('%j is a fault', (environment, message) => {
  expect(move(environment).faults.join('\n')).toMatch(message)
})

test('what a pak at hand declares is lent from files, and what it lacks is said', () => {
  const moved = move(
    {
      GSB_BROKERPAK_SOURCES:
        '{"a":{"uri":"https://x/my_things.brokerpak","config":"{\\"API_KEY\\":\\"k\\",\\"OTHER\\":1}"}}',
      GSB_SERVICE_MY_THING_PLANS: JSON.stringify(plans),
      AWS_ACCESS_KEY_ID: 'AKIA',
      ARM_CLIENT_SECRET: 'shh',
    },
    [{ reference: './paks/my_things.brokerpak', services: ['my_thing'], manifest }],
  )

  expect(moved.settings['catalog']).toEqual([
    {
      package: 'https://x/my_things.brokerpak',
      options: { plans: { my_thing: plans } },
      infrastructure: [
        { name: 'API_KEY', value_file: './secrets/API_KEY' },
        { name: 'ARM_CLIENT_SECRET', value_file: './secrets/ARM_CLIENT_SECRET' },
        { name: 'AWS_ACCESS_KEY_ID', value_file: './secrets/AWS_ACCESS_KEY_ID' },
      ],
    },
  ])
  expect(moved.secrets).toMatchObject({ API_KEY: 'k', ARM_CLIENT_SECRET: 'shh', AWS_ACCESS_KEY_ID: 'AKIA' })
  expect(JSON.stringify(moved.settings)).not.toMatch(/shh|AKIA|"k"/)
  expect(moved.remarks).toEqual([
    expect.stringContaining('declares no parameter OTHER'),
    expect.stringContaining('requires ARM_TENANT_ID'),
  ])
})

test('variables of a service have the prefix of its source, and those of a pak at hand are of no other', () => {
  const moved = move(
    {
      GSB_BROKERPAK_SOURCES: JSON.stringify({
        a: { uri: 'https://x/a.brokerpak', service_prefix: 'my-' },
        b: { uri: 'https://x/b.brokerpak' },
      }),
      GSB_SERVICE_MY_THING_PLANS: JSON.stringify(plans),
      GSB_SERVICE_OTHER_PLANS: JSON.stringify(plans),
    },
    [{ reference: './a.brokerpak', services: ['thing'], manifest: { ...manifest, requiredEnvironment: [] } }],
  )

  expect(moved.settings['catalog']).toEqual([
    { package: 'https://x/a.brokerpak', options: { service_prefix: 'my-', plans: { thing: plans } } },
    { package: 'https://x/b.brokerpak', options: { plans: { other: plans } } },
  ])
  expect(move({ GSB_SERVICE_GONE_PLANS: '[]' }).remarks).toEqual([
    'GSB_SERVICE_GONE_PLANS: no pak that is named has this service; name its pak with --pak',
  ])
})

test('paks that are told different values under one name have a file each', () => {
  const source = (name: string, key: string) => ({
    uri: `https://x/${name}.brokerpak`,
    config: JSON.stringify({ API_KEY: key }),
  })
  const { settings, secrets } = move(
    {
      GSB_BROKERPAK_SOURCES: JSON.stringify({
        a: source('a', 'one'),
        b: source('b', 'two'),
        c: source('c', 'one'),
      }),
    },
    ['a', 'b', 'c'].map((name) => ({
      reference: `./${name}.brokerpak`,
      services: [],
      manifest: { ...manifest, requiredEnvironment: [] },
    })),
  )

  expect(settings['catalog']).toMatchObject(
    ['API_KEY', 'API_KEY-2', 'API_KEY'].map((file) => ({
      infrastructure: [{ name: 'API_KEY', value_file: `./secrets/${file}` }],
    })),
  )
  expect(secrets).toMatchObject({ API_KEY: 'one', 'API_KEY-2': 'two' })
})

test('paks of gcp-service-broker are lent the account that it hands to templates', () => {
  const account = '{"project_id":"p","private_key":"k"}'
  const pak = {
    reference: './old.brokerpak',
    services: [],
    manifest: { ...manifest, requiredEnvironment: [] },
  }
  const moved = move({ ROOT_SERVICE_ACCOUNT_JSON: account }, [{ ...pak, isV1: true }])

  expect(moved.settings['catalog']).toMatchObject([
    { infrastructure: [{ name: 'GOOGLE_CREDENTIALS' }, { name: 'GOOGLE_PROJECT' }] },
  ])
  expect(moved.secrets).toMatchObject({ GOOGLE_CREDENTIALS: account, GOOGLE_PROJECT: 'p' })
  expect(move({ ROOT_SERVICE_ACCOUNT_JSON: account }, [pak]).remarks.join()).toMatch(
    /^ROOT_SERVICE_ACCOUNT_JSON: /,
  )
})

test('what Terraform would have found in the environment is said, and not what every program finds', () => {
  const { remarks } = move({
    HTTPS_PROXY: 'http://proxy',
    AWS_REGION: 'eu',
    HOME: '/root',
    LC_ALL: 'C',
    PATH: '/bin',
  })

  expect(remarks).toEqual([expect.stringMatching(/^AWS_REGION, HTTPS_PROXY: no pak at hand declares these/)])
})

test('what cannot be moved is said, whatever it is', () => {
  const { remarks } = move({
    DB_HOST: 'h',
    DB_PATH: 'p',
    GSB_COMPATIBILITY_ENABLE_BETA_SERVICES: 'true',
    CSB_LOCKFILE_DIR: '/x',
    GSB_BROKERPAK_SOURCES: '{"a":{"uri":"https://x/a.brokerpak"}}',
    HOME: '/root',
  })

  expect(remarks.map((one) => one.split(/[ :]/)[0])).toEqual([
    'https',
    'DB_HOST',
    'DB_PATH',
    'GSB_COMPATIBILITY_ENABLE_BETA_SERVICES',
    'CSB_LOCKFILE_DIR',
  ])
})
