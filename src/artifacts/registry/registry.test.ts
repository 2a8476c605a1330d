import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../../test/support/image.ts'
import {
  type RegistryKind,
  registryMissing,
  registryPassword,
  registryUser,
  startRegistry,
  type TestRegistry,
} from '../../../test/support/registry.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import { toProblem } from '../../model/problem.ts'
import { openArtifactStore } from '../artifacts.ts'
import { digestOf } from '../digest.ts'
import { parseManifest } from '../oci/manifest.ts'
import { ociManifest } from '../oci/media-types.ts'
import { copyPackage } from '../packages.ts'
import { listTags, registrySource } from './registry-source.ts'
import { registryTarget } from './registry-target.ts'
import { openSession } from './session.ts'
import type { RegistrySettings } from './settings.ts'

const missing = registryMissing()
const home = freshFolder('registry-test')
const { signal } = new AbortController()
const quiet = { signal, progress: () => undefined }
const login = { kind: 'password', user: registryUser, password: new Secret(registryPassword) } as const
const running: TestRegistry[] = []
let layout = ''
let digest = ''

beforeAll(async () => {
  const root = writeTree(join(home, 'root'), { 'etc/greeting': 'ahoy', big: randomBytes(3_000_000) })
  const built = await imageInLayout(join(home, 'layout'), 'v1', { root, settings: { entrypoint: ['/x'] } })
  layout = built.reference
  digest = built.digest
})

afterAll(async () => {
  await Promise.all(running.map((registry) => registry.stop()))
  rmSync(home, { recursive: true, force: true })
})

async function start(kind: RegistryKind): Promise<TestRegistry> {
  const registry = await startRegistry(kind)
  running.push(registry)
  return registry
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'no problem',
    (error: unknown) => toProblem(error).code,
  )
}

function options(registries: RegistrySettings): {
  readonly registries: RegistrySettings
  readonly scratchFolder: string
} {
  return { registries, scratchFolder: join(home, 'scratch') }
}

describe.skipIf(missing !== undefined)('a real registry', () => {
  test.each<[string, RegistryKind]>([
    ['without authentication', {}],
    ['with passwords', { auth: 'password' }],
    ['with tokens', { auth: 'token' }],
    ['with TLS and passwords', { auth: 'password', tls: true }],
  ])('%s takes an image, gives it back byte for byte and has its tag', async (_, kind) => {
    const registry = await start(kind)
    const settings: RegistrySettings = {
      hosts: {
        [registry.host]: {
          ...(kind.auth === undefined ? {} : { login }),
          ...present({ ca: registry.ca }),
        },
      },
    }
    const there = `docker://${registry.host}/team/app:v1`

    const pushed = await copyPackage({ from: layout, to: there, ...quiet }, options(settings))
    const folder = join(home, `store-${running.length}`)
    const store = openArtifactStore({ folder, registries: settings }).images
    const image = await store.open(there)
    const unpacked = await store.unpack({ reference: there, digest: image.digest, ...quiet })
    const session = openSession(registry.host, 'team/app', settings)
    const tags = await listTags({ host: registry.host, repository: 'team/app' }, session, signal)
    await Promise.all([session.close(), store.close()])

    expect(pushed.digest).toBe(digest)
    expect(image.digest).toBe(digest)
    expect(readFileSync(join(unpacked.layers[0] ?? '', 'etc/greeting'), 'utf8')).toBe('ahoy')
    expect(tags).toEqual(['v1'])
    // One token to push and one to pull serve all requests of their sessions.
    expect(registry.tokensAsked()).toBeLessThanOrEqual(8)
  })

  test.each<['password' | 'token']>([['password'], ['token']])(
    'a registry with %s authentication refuses a wrong password and none at all, each with its own words',
    async (auth) => {
      const registry = await start({ auth })
      const to = `docker://${registry.host}/team/app:v1`
      const wrong = { ...login, password: new Secret('nonsense') }

      const at = (registries: RegistrySettings): Promise<unknown> =>
        copyPackage({ from: layout, to, ...quiet }, options(registries))

      await expect(at({ hosts: { [registry.host]: { login: wrong } } })).rejects.toMatchObject({
        problem: {
          code: 'registry.unauthorized',
          detail: expect.stringContaining('the credentials were refused'),
        },
      })
      await expect(at({})).rejects.toMatchObject({
        problem: { code: 'registry.unauthorized', detail: expect.stringContaining('there are none') },
      })
    },
  )

  test('a public repository of a token registry is read without a login', async () => {
    const registry = await start({ auth: 'token' })
    const there = `docker://${registry.host}/public/app:v1`
    const settings = { hosts: { [registry.host]: { login } } }
    await copyPackage({ from: layout, to: there, ...quiet }, options(settings))

    const image = await openArtifactStore({ folder: join(home, 'anonymous') }).images.open(there)

    expect(image.digest).toBe(digest)
  })

  test('the login of a Docker credential file and of a helper is used', async () => {
    const registry = await start({ auth: 'password' })
    const auth = Buffer.from(`${registryUser}:${registryPassword}`).toString('base64')
    const file = join(home, 'config.json')
    writeFileSync(file, JSON.stringify({ auths: { [`https://${registry.host}/v1/`]: { auth } } }))

    const copied = await copyPackage(
      { from: layout, to: `docker://${registry.host}/a:v1`, ...quiet },
      options({ credentialFiles: [join(home, 'absent.json'), file] }),
    )

    expect(copied.digest).toBe(digest)
  })

  test('a certificate that nobody vouches for is refused, and taken when the operator says so', async () => {
    const registry = await start({ tls: true })
    const to = `docker://${registry.host}/app:v1`

    const strict = await problemOf(copyPackage({ from: layout, to, ...quiet }, options({})))
    const lenient = await copyPackage(
      { from: layout, to, ...quiet },
      options({ hosts: { [registry.host]: { unverified: true } } }),
    )
    const certificateFolders = [join(home, 'certs.d')]
    mkdirSync(join(home, 'certs.d', registry.host), { recursive: true })
    writeFileSync(join(home, 'certs.d', registry.host, 'ca.crt'), registry.ca ?? '')
    const vouched = await copyPackage({ from: layout, to, ...quiet }, options({ certificateFolders }))

    expect(strict).toBe('registry.unreachable')
    expect([lenient.digest, vouched.digest]).toEqual([digest, digest])
  })

  test('a second repository of the same registry gets its blobs by mounting, and a second copy moves nothing', async () => {
    const registry = await start({})
    const first = `docker://${registry.host}/a/one:v1`
    await copyPackage({ from: layout, to: first, ...quiet }, options({}))

    const again = await copyPackage({ from: layout, to: first, ...quiet }, options({}))
    const mounted = await copyPackage(
      { from: first, to: `docker://${registry.host}/b/two:v1`, ...quiet },
      options({}),
    )

    expect(again.bytes).toBe(0)
    expect(mounted.digest).toBe(digest)
  })

  test('what refers to an image is found through the fallback tag and copied with it', async () => {
    const registry = await start({})
    const place = { host: registry.host, repository: 'app' }
    const there = `docker://${registry.host}/app:v1`
    await copyPackage({ from: layout, to: there, ...quiet }, options({}))
    const session = openSession(registry.host, 'app', {})
    const target = registryTarget(place, session)
    const empty = Buffer.from('{}')
    const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOf(empty), size: 2 }
    const { size } = { size: 0 }
    const signature = parseManifest(
      Buffer.from(
        JSON.stringify({
          schemaVersion: 2,
          mediaType: ociManifest,
          artifactType: 'application/vnd.example.signature',
          config,
          layers: [],
          subject: { mediaType: ociManifest, digest, size },
          annotations: { by: 'us' },
        }),
      ),
      ociManifest,
      'signature',
    )
    await target.writeBlob(config, { open: () => once(empty) }, signal)
    await target.writeManifest(signature, undefined, signal)

    const found = await registrySource(place, session).referrers(digest, signal)
    const copied = await copyPackage(
      { from: there, to: `oci:${join(home, 'signed')}:v1`, referrers: true, ...quiet },
      options({}),
    )
    await session.close()

    expect(found).toEqual([
      expect.objectContaining({
        digest: signature.digest,
        artifactType: 'application/vnd.example.signature',
        annotations: { by: 'us' },
      }),
    ])
    expect(copied.digest).toBe(digest)
    expect(
      readFileSync(join(home, 'signed/blobs/sha256', signature.digest.slice('sha256:'.length))).toString(),
    ).toBe(Buffer.from(signature.bytes).toString())
  })

  test.each([
    ['a missing tag', 'app:nope', 'artifact.not-found'],
    ['a missing repository', 'nothing/here:v1', 'artifact.not-found'],
    ['a missing digest', `app@sha256:${'0'.repeat(64)}`, 'artifact.not-found'],
  ])('%s is said to be missing', async (_, name, code) => {
    const registry = running[0] ?? (await start({}))

    expect(
      await problemOf(
        openArtifactStore({ folder: join(home, 'missing') }).images.open(`docker://${registry.host}/${name}`),
      ),
    ).toBe(code)
  })
})

test('a port where nothing listens is unreachable', async () => {
  const stopped = openArtifactStore({ folder: join(home, 'nobody') }).images.open(
    'docker://127.0.0.1:1/app:v1',
  )

  expect(await problemOf(stopped)).toBe('registry.unreachable')
})

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
