/** `.ocmconfig` as its users have it: every kind of credentials, files of Docker, attributes; what is not used is told. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findLogin } from '../../src/artifacts/registry/credentials.ts'
import { lookAt } from '../../src/authoring/ocm/look.ts'
import { configIn } from '../../src/cli/toi/files.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { consumersOf, credentialsOf, readConfig, withDockerFiles } from '../../src/languages/ocm/index.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { judge, keyPair, make, place, problemsOf, signAs } from './make.ts'

let home: string
beforeAll(() => {
  home = freshFolder('ocm-config')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const auth = (user: string, password: string) => ({
  auth: Buffer.from(`${user}:${password}`).toString('base64'),
})

function generic(...configurations: readonly JsonObject[]): string {
  return JSON.stringify({ type: 'generic.config.ocm.software/v1', configurations })
}

function read(...configurations: readonly JsonObject[]) {
  const reading = readConfig(generic(...configurations))
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading.faults))
  return reading.value
}

const memory = {
  type: 'memory.credentials.config.ocm.software/v1',
  repoName: 'default',
  credentials: [
    { credentialsName: 'own', credentials: { username: 'ada' } },
    {
      credentialsName: 'other',
      reference: { type: 'Memory/v1', repoName: 'default', credentialsName: 'own' },
    },
    { credentialsName: 'loop', reference: { type: 'Memory', repoName: 'default', credentialsName: 'loop' } },
  ],
}

describe('credentials', () => {
  test.each<[string, JsonObject, unknown]>([
    ['stand in place', { type: 'Credentials', properties: { a: 'b' } }, { a: 'b' }],
    ['lie in a memory', { type: 'Memory', repoName: 'default', credentialsName: 'own' }, { username: 'ada' }],
    [
      'are found by what a memory refers to',
      { type: 'Memory', credentialsName: 'other' },
      { username: 'ada' },
    ],
    [
      'that refer to themselves are told',
      { type: 'Memory', credentialsName: 'loop' },
      'loop leads on and on',
    ],
    [
      'come of a Docker configuration, by its key',
      {
        type: 'DockerConfig',
        credentialsName: 'https://r.example:5000/team',
        dockerConfig: { auths: { 'r.example:5000/team': auth('grace', 'p:w') } },
      },
      { username: 'grace', password: 'p:w' },
    ],
    [
      'of a Docker configuration may be a token',
      {
        type: 'DockerConfig',
        credentialsName: 'r.example',
        dockerConfig: { auths: { 'r.example': { identitytoken: 't' } } },
      },
      { identityToken: 't' },
    ],
    [
      'in a file are told where no file is read',
      { type: 'DockerConfig', credentialsName: 'r.example', dockerConfigFile: '~/.docker/config.json' },
      'the file ~/.docker/config.json is read by commands only: give its content as dockerConfig',
    ],
    [
      'of a vault are told',
      { type: 'HashiCorpVault', serverURL: 'https://vault.example' },
      'credentials of type HashiCorpVault are not supported',
    ],
  ])('%s', (_, spec, expected) => {
    expect(credentialsOf(read(memory), spec as never)).toEqual(expected)
  })

  test('several of one consumer are merged in order', () => {
    const credentials = [
      { type: 'Credentials', properties: { username: 'a', password: 'old' } },
      { type: 'Credentials', properties: { password: 'new' } },
    ]
    const config = read({
      type: 'credentials.config.ocm.software',
      consumers: [{ identity: { type: 'wget', hostname: 'h' }, credentials }],
    })
    expect(consumersOf(config)).toEqual([
      { identity: { type: 'wget', hostname: 'h' }, credentials: { username: 'a', password: 'new' } },
    ])
  })

  test.each<[boolean | undefined, number]>([
    [undefined, 1],
    [true, 1],
    [false, 0],
  ])('of a repository whose propagateConsumerIdentity is %s serve %i consumers', (said, count) => {
    const repository = {
      type: 'DockerConfig/v1',
      dockerConfig: { auths: { 'r.example': auth('a', 'b') } },
      ...(said === undefined ? {} : { propagateConsumerIdentity: said }),
    }
    const config = read({ type: 'credentials.config.ocm.software', repositories: [{ repository }] })
    expect(consumersOf(config)).toHaveLength(count)
  })
})

describe('a Docker configuration in a file', () => {
  const config = () =>
    generic({
      type: 'credentials.config.ocm.software',
      repositories: [
        {
          repository: {
            type: 'DockerConfig/v1',
            dockerConfigFile: 'docker/config.json',
            propagateConsumerIdentity: true,
          },
        },
      ],
    })

  test('serves logins, its helpers too, and is no fault while it is not there', async () => {
    const file = join(home, '.ocmconfig')
    writeFileSync(file, config())
    const settings = { credentialFiles: [file] }
    expect(await findLogin('r.example', 'team/x', settings)).toBeUndefined()

    mkdirSync(join(home, 'docker'), { recursive: true })
    writeFileSync(
      join(home, 'docker/config.json'),
      JSON.stringify({
        auths: { 'r.example': auth('ada', 'secret') },
        credHelpers: { 'h.example': 'not-installed-here' },
      }),
    )
    expect(await findLogin('r.example', 'team/x', settings)).toMatchObject({ kind: 'password', user: 'ada' })
    expect((await problemsOf(findLogin('h.example', 'x', settings)))[0]?.detail).toContain(
      'not-installed-here',
    )
  })

  test('goes with the configuration that an installation is lent', () => {
    const text = configIn(join(home, '.ocmconfig')) ?? ''
    const reading = readConfig(text)
    expect(reading.kind === 'read' ? consumersOf(reading.value) : reading).toEqual([
      {
        identity: { type: 'OCIRegistry', hostname: 'r.example' },
        credentials: { username: 'ada', password: 'secret' },
      },
    ])
  })

  test('in a broken configuration leaves its faults to the reader', () => {
    expect(withDockerFiles('a: [', () => undefined)).toBe('a: [')
  })
})

describe('attributes', () => {
  const pem = 'a root'
  test.each<[string, JsonObject]>([
    [
      'of years before',
      { 'github.com/mandelsoft/ocm/rootcerts': { rootCertificates: [{ stringdata: pem }] } },
    ],
    [
      'of the project',
      {
        'ocm.software/signing/rootcerts': {
          rootCertificates: [{ data: Buffer.from(pem).toString('base64') }],
        },
      },
    ],
    ['by their short name', { rootcerts: { rootCertificates: [{ stringdata: pem }] } }],
  ])('%s name roots', (_, attributes) => {
    expect(read({ type: 'attributes.config.ocm.software', attributes }).keys.roots).toEqual([
      { kind: 'text', text: pem },
    ])
  })

  test('roots and the hash have configurations of their own', () => {
    const config = read(
      { type: 'rootcerts.config.ocm.software', rootCertificates: [{ path: '/root.pem' }] },
      { type: 'hasher.config.ocm.software', hashAlgorithm: 'SHA-512' },
    )
    expect([config.keys.roots, config.hashAlgorithm]).toEqual([
      [{ kind: 'file', path: '/root.pem' }],
      'SHA-512',
    ])
  })

  test.each<[string, JsonObject]>([
    ['hasher.config.ocm.software', { hashAlgorithm: 'MD5' }],
    ['attributes.config.ocm.software', { attributes: { hasher: 'MD5' } }],
  ])('a hash that nobody knows is a fault of %s', (type, more) => {
    const reading = readConfig(generic({ type, ...more }))
    expect(reading).toMatchObject({
      kind: 'refused',
      faults: [{ message: expect.stringContaining('"MD5"') }],
    })
  })

  test('what is not used is told by its place', async () => {
    const file = join(home, 'ignored.ocmconfig')
    writeFileSync(
      file,
      generic(
        { type: 'uploader.ocm.config.ocm.software', registrations: [] },
        { type: 'attributes.config.ocm.software', attributes: { 'ocm.software/plugindir': '/x' } },
      ),
    )
    const to = join(home, 'noted')
    await make(home, to, { name: 'example.org/test/noted', version: '1.0.0', provider: { name: 'x' } })
    const notes: string[] = []
    await lookAt(to, { ...place, config: file, note: (text) => notes.push(text) })
    expect(notes).toEqual([
      `${file}: configurations[0]: uploader.ocm.config.ocm.software is not used here`,
      `${file}: configurations[1].attributes.ocm.software/plugindir is not used here`,
    ])
  })
})

test.skipIf(ensurePrograms('openssl') !== undefined)(
  'signatures are made over the hash that is configured, and verified',
  async () => {
    const file = join(home, 'hash.ocmconfig')
    writeFileSync(file, generic({ type: 'hasher.config.ocm.software', hashAlgorithm: 'SHA-512' }))
    const to = join(home, 'hashed')
    await make(home, to, { name: 'example.org/test/hashed', version: '1.0.0', provider: { name: 'x' } })
    const { key, pub } = keyPair(home, 'hash')
    await signAs(to, 'acme', key, { config: file })

    expect((await judge(to, { signatures: ['acme'], keys: [pub] })).signatures).toEqual([
      { name: 'acme', by: 'key' },
    ])
    const [shown] = await lookAt(to, place)
    expect(shown?.descriptor).toMatchObject({
      signatures: [{ digest: { hashAlgorithm: 'SHA-512', value: expect.stringMatching(/^[0-9a-f]{128}$/) } }],
    })
  },
)
