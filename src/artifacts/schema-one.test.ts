/** Images of Docker's schema 1, as a registry of their time serves them. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../test/support/image.ts'
import {
  type OldRegistry,
  type Signing,
  signatures,
  startOldRegistry,
} from '../../test/support/schema-one.ts'
import { toProblem } from '../model/problem.ts'
import { type ArtifactStore, openArtifactStore } from './artifacts.ts'
import { buildPackage, copyPackage } from './packages.ts'

const { signal } = new AbortController()
const progress = () => undefined
const hour = 3_600_000
let home: string
let layout: string
let registry: OldRegistry

beforeAll(async () => {
  home = freshFolder('old')
  layout = join(home, 'layout')
  const root = writeTree(join(home, 'root'), { 'etc/greeting': 'hello' })
  const settings = { entrypoint: ['/bin/greet'], user: 'app', labels: { a: 'b' } }
  await imageInLayout(layout, 'v1', { root, settings })
  registry = await startOldRegistry(layout, 'old')
})

afterAll(async () => {
  await registry.stop()
  rmSync(home, { recursive: true, force: true })
})

const storeAt = (name: string): ArtifactStore => openArtifactStore({ folder: join(home, name) })
const old = () => `docker://${registry.repository}:latest`

test('is opened by its history alone: digest without signatures, configuration, no blob', async () => {
  const image = await storeAt('opened').images.open(old())

  expect(image).toMatchObject({
    digest: registry.digest,
    config: { entrypoint: ['/bin/greet'], user: 'app', labels: { a: 'b' }, platform: { os: 'linux' } },
  })
  expect(registry.blobsAsked).toEqual([])
})

test('is unpacked, and without its registry from then on; what is swept is brought anew', async () => {
  const store = storeAt('unpacked')
  const wanted = { reference: old(), digest: registry.digest, signal, progress }

  const first = await store.images.unpack(wanted)
  const asked = registry.blobsAsked.length
  const again = await storeAt('unpacked').images.unpack(wanted)
  await store.images.close()

  expect(readFileSync(join(first.layers[0] ?? '', 'etc/greeting'), 'utf8')).toBe('hello')
  expect(first.config).toMatchObject({ entrypoint: ['/bin/greet'], user: 'app' })
  expect(again).toEqual(first)
  expect(registry.blobsAsked.length).toBe(asked)

  const later = { unusedMs: hour, now: Date.now() + 2 * hour }
  await store.sweep({ keep: [registry.digest], ...later })
  await storeAt('unpacked').images.unpack(wanted)
  expect(registry.blobsAsked.length).toBe(asked)

  expect(await store.sweep({ keep: [], ...later })).toMatchObject({ blobs: 4, layers: 1 })
  const anew = await storeAt('unpacked').images.unpack(wanted)
  expect(readFileSync(join(anew.layers[0] ?? '', 'etc/greeting'), 'utf8')).toBe('hello')
})

test('is copied as an image of today, which its base is built on, too', async () => {
  const store = storeAt('copied')
  const to = `oci:${join(home, 'copy')}:v1`
  await store.copy({ from: old(), to, signal, progress })
  const root = writeTree(join(home, 'more'), { 'etc/more': 'more' })
  const built = `oci:${join(home, 'built')}:v1`
  await store.build({ root, settings: {}, base: old(), to: built })

  for (const [reference, layers] of [
    [to, 1],
    [built, 2],
  ] as const) {
    const { digest, config } = await store.images.open(reference)
    expect(config).toMatchObject({ entrypoint: ['/bin/greet'], labels: { a: 'b' } })
    const unpacked = await store.images.unpack({ reference, digest, signal, progress })
    expect(unpacked.layers).toHaveLength(layers)
  }
})

test('commands that keep nothing copy it and build on it, too', async () => {
  const options = { registries: {}, scratchFolder: join(home, 'scratch') }
  const to = `oci:${join(home, 'passing')}:v1`
  const copied = await copyPackage({ from: old(), to, signal, progress }, options)
  const root = writeTree(join(home, 'upon'), { 'etc/upon': 'upon' })
  const built = `oci:${join(home, 'passing')}:v2`
  await buildPackage({ root, settings: {}, base: old(), to: built }, options)

  const { images } = storeAt('passing-store')
  expect(copied.digest).not.toBe(registry.digest)
  for (const [reference, layers] of [
    [to, 1],
    [built, 2],
  ] as const) {
    const { digest, config } = await images.open(reference)
    expect(config).toMatchObject({ entrypoint: ['/bin/greet'], labels: { a: 'b' } })
    expect((await images.unpack({ reference, digest, signal, progress })).layers).toHaveLength(layers)
  }
})

test.each<readonly [string, Signing]>([
  // The digest is that of the payload, so whatever else stands around it must count for nothing.
  [
    'another history around what its digest is of',
    (payload) =>
      `{"schemaVersion":1,"fsLayers":[],"history":[{"v1Compatibility":"{}"}],${signatures(1, payload.slice(1))}}`,
  ],
  [
    'no word of what its signatures sign',
    (payload) => `${payload.slice(0, -1)},"signatures":[{"protected":"e30"}]}`,
  ],
  [
    'signatures of different documents',
    (payload) =>
      `${payload.slice(0, -1)},${signatures(2, '}').slice(0, -1)},${signatures(3, '}').slice('"signatures": ['.length)}}`,
  ],
])('with %s is what its digest says or refused', async (name, sign) => {
  const hostile = await startOldRegistry(layout, 'old', sign)
  try {
    const image = await storeAt(`hostile ${name}`)
      .images.open(`docker://${hostile.repository}:latest`)
      .catch(toProblem)

    if ('config' in image) expect(image.config.labels).toEqual({ a: 'b' })
    else expect(image.code).toMatch(/^image\.manifest-invalid$|^artifact\.altered$/)
  } finally {
    await hostile.stop()
  }
})
