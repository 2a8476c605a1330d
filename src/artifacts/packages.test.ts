import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../../test/support/debian.ts'
import { tar } from '../../test/support/hostile.ts'
import { freshFolder, imageInLayout, imageOfLayers, writeTree } from '../../test/support/image.ts'
import { toProblem } from '../model/problem.ts'
import { type ArtifactStore, openArtifactStore } from './artifacts.ts'
import { digestOf } from './digest.ts'

const home = freshFolder('packages')
const { signal } = new AbortController()
const quiet = { signal, progress: () => undefined }
const missing = ensurePrograms('skopeo')
let store: ArtifactStore
let base = { reference: '', digest: '' }

beforeAll(async () => {
  store = openArtifactStore({ folder: join(home, 'store') })
  const root = writeTree(join(home, 'root'), {
    'etc/base': 'base',
    'bin/run': { bytes: '#!/bin/sh', mode: 0o755 },
  })
  base = await imageInLayout(join(home, 'base'), 'v1', {
    root,
    settings: {
      entrypoint: ['/bin/run'],
      command: ['help'],
      environment: ['A=1', 'B=2'],
      volumes: ['/kept'],
      labels: { one: '1' },
    },
  })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function textOf(reference: string, path: string): Promise<string> {
  const { digest } = await store.images.open(reference)
  const { layers } = await store.images.unpack({ reference, digest, ...quiet })
  for (const layer of layers.toReversed()) {
    try {
      return readFileSync(join(layer, path), 'utf8')
    } catch {
      // Lower, then.
    }
  }
  return 'absent'
}

test('the same folder and settings always make the same image', async () => {
  const again = await imageInLayout(join(home, 'again'), 'v1', {
    root: join(home, 'root'),
    settings: {
      entrypoint: ['/bin/run'],
      command: ['help'],
      environment: ['A=1', 'B=2'],
      volumes: ['/kept'],
      labels: { one: '1' },
    },
  })

  expect(again.digest).toBe(base.digest)
})

test('a build upon a base keeps its layers and what its settings do not change', async () => {
  const root = writeTree(join(home, 'upper'), { 'etc/upper': 'upper', 'skipped/x': 'x' })
  const to = `oci:${join(home, 'derived')}:v2`

  await store.build({
    root,
    to,
    base: base.reference,
    exclude: ['skipped'],
    settings: {
      environment: ['B=3', 'C=4'],
      labels: { two: '2' },
      user: '7:8',
      workingFolder: '/w',
      annotations: { x: 'y' },
    },
  })
  const image = await store.images.open(to)

  expect(image.config).toEqual({
    entrypoint: ['/bin/run'],
    command: ['help'],
    environment: ['A=1', 'B=3', 'C=4'],
    labels: { one: '1', two: '2' },
    user: '7:8',
    workingFolder: '/w',
    volumes: ['/kept'],
    platform: { os: 'linux', architecture: 'amd64' },
  })
  expect(image.annotations).toEqual({ x: 'y' })
  expect(await Promise.all(['etc/base', 'etc/upper', 'skipped/x'].map((path) => textOf(to, path)))).toEqual([
    'base',
    'upper',
    'absent',
  ])
})

test('an image written into its own folder does not become part of itself', async () => {
  const root = writeTree(join(home, 'self'), { x: 'x' })
  const to = `oci:${join(root, 'out')}:v1`

  const first = await store.build({ root, to, settings: {} })
  const second = await store.build({ root, to, settings: {} })

  expect(second.digest).toBe(first.digest)
})

test('a new entrypoint drops the command that was meant for the old one', async () => {
  const root = writeTree(join(home, 'entry'), { x: 'x' })
  const to = `oci:${join(home, 'entry-image')}`

  await store.build({ root, to, base: base.reference, settings: { entrypoint: ['/x'] } })

  expect((await store.images.open(to)).config).toMatchObject({ entrypoint: ['/x'], command: [] })
})

test('a socket or pipe in the folder is refused by name', async () => {
  const root = writeTree(join(home, 'odd'), { x: 'x' })
  execFileSync('mkfifo', [join(root, 'p')])

  const built = store.build({ root, to: `oci:${join(home, 'odd-image')}`, settings: {} })

  await expect(built).rejects.toMatchObject({ problem: { code: 'archive.special-file', detail: '"p"' } })
})

test.each([
  ['oci', 'copy-layout:v9'],
  ['oci-archive', 'copy.tar:v9'],
])('a copy to %s keeps the digest, and can be read', async (transport, place) => {
  const to = `${transport}:${join(home, place)}`

  const copied = await store.copy({ from: base.reference, to, ...quiet })

  expect(copied.digest).toBe(base.digest)
  expect((await store.images.open(to)).digest).toBe(base.digest)
  expect(await textOf(to, 'etc/base')).toBe('base')
})

test('a copy to docker-archive has the same layers, and always the same bytes', async () => {
  const paths = ['one.tar', 'two.tar'].map((name) => join(home, name))
  for (const path of paths)
    await store.copy({ from: base.reference, to: `docker-archive:${path}:r.example/app:v1`, ...quiet })
  const [first = '', second = ''] = paths

  const image = await store.images.open(`docker-archive:${first}`)

  expect(readFileSync(first).equals(readFileSync(second))).toBe(true)
  expect(image.config).toMatchObject({ entrypoint: ['/bin/run'], labels: { one: '1' } })
  expect(await textOf(`docker-archive:${first}:v1`, 'etc/base')).toBe('base')
})

test('an image of several platforms is copied whole, or the one that is named', async () => {
  const folder = join(home, 'multi')
  const images = [tar({ path: 'amd' }), tar({ path: 'arm' })].map((layer) => imageOfLayers(folder, [layer]))
  const child = (i: number, architecture: string): object => {
    imageOfLayers(folder, [tar({ path: i === 0 ? 'amd' : 'arm' })])
    const [entry] = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')).manifests
    return { ...entry, platform: { os: 'linux', architecture } }
  }
  const index = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [child(0, 'amd64'), child(1, 'arm64')],
  })
  writeFileSync(join(folder, 'blobs/sha256', digestOf(index).slice(7)), index)
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify({
      schemaVersion: 2,
      manifests: [
        { mediaType: 'application/vnd.oci.image.index.v1+json', digest: digestOf(index), size: index.length },
      ],
    }),
  )
  const from = images[0] ?? ''

  const whole = await store.copy({ from, to: `oci:${join(home, 'multi-whole')}:v1`, ...quiet })
  const one = await store.copy({
    from,
    to: `oci:${join(home, 'multi-one')}:v1`,
    platform: 'linux/arm64',
    ...quiet,
  })
  const none = await store
    .copy({ from, to: `oci:${join(home, 'multi-none')}:v1`, platform: 'linux/s390x', ...quiet })
    .catch((error: unknown) => toProblem(error))

  expect(whole.digest).toBe(digestOf(index))
  expect(one.digest).not.toBe(whole.digest)
  const wanted = { reference: `oci:${join(home, 'multi-whole')}`, digest: whole.digest, ...quiet }
  const unpacked = await store.images.unpack({ ...wanted, platform: 'linux/arm64' })
  expect(readFileSync(join(unpacked.layers[0] ?? '', 'arm'), 'utf8')).toBe('')
  expect(none).toMatchObject({
    code: 'image.platform-missing',
    detail: 'wanted linux/s390x, there is linux/amd64, linux/arm64',
  })
})

test.each([
  ['in the folder of a thick bundle', 'artifacts/layout', 'blobs/sha256/'],
  ['with blobs side by side, as artifact sets have them', '.', 'blobs/sha256.'],
])('a layout %s is read, unpacked or in a compressed tar', async (_, folder, blobs) => {
  const place = join(home, `odd-layout-${folder.length}`)
  const layout = join(place, folder)
  cpSync(join(home, 'base'), layout, { recursive: true })
  for (const name of readdirSync(join(layout, 'blobs/sha256'))) {
    renameSync(join(layout, 'blobs/sha256', name), join(layout, `${blobs}${name}`))
  }
  const file = `${place}.tgz`
  execFileSync('tar', ['-C', place, '-czf', file, '.'])

  for (const reference of [`oci:${place}`, `oci-archive:${file}@${base.digest}`]) {
    const fresh = openArtifactStore({ folder: join(home, `odd-store-${folder.length}-${reference.length}`) })
    const { digest } = await fresh.images.open(reference)
    const { layers } = await fresh.images.unpack({ reference, digest, ...quiet })
    expect(readFileSync(join(layers[0] ?? '', 'etc/base'), 'utf8')).toBe('base')
  }
})

test('a blob and a child manifest of an artifact are handed out by digest, verified', async () => {
  const image = await store.images.open(base.reference)
  const { config, layers } = image.manifest as { config: { digest: string }; layers: { digest: string }[] }

  const bytes = await image.blob(config.digest)

  expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({ os: 'linux' })
  expect(digestOf((await image.blob(layers[0]?.digest ?? '')) ?? '')).toBe(layers[0]?.digest)
  expect(digestOf((await image.blob(image.digest)) ?? '')).toBe(image.digest)
  expect(await image.blob(digestOf('nothing'))).toBeUndefined()
})

test.each([
  ['oci:/absent:v1', 'artifact.not-found'],
  ['oci-archive:/absent.tar', 'artifact.not-found'],
  ['docker-archive:/absent.tar', 'artifact.not-found'],
  ['./file', 'artifact.kind'],
])('a copy from %s gives %s', async (from, code) => {
  const copied = store.copy({ from, to: `oci:${join(home, 'nowhere')}`, ...quiet })

  await expect(copied).rejects.toMatchObject({ problem: { code } })
})

test('by digest an image that was unpacked here is copied though its source is gone', async () => {
  const layout = join(home, 'vanished')
  const { reference, digest } = await imageInLayout(layout, 'v1', { root: join(home, 'root') })
  await store.images.unpack({ reference, digest, ...quiet })
  rmSync(layout, { recursive: true })
  const to = `docker-archive:${join(home, 'from-store.tar')}`

  const copied = await store.copy({ from: `${reference}@${digest}`, to, ...quiet })

  expect(copied.digest).toBe(digest)
  expect((await store.images.open(to)).config.entrypoint).toEqual([])
})

test('an image cannot be written to a plain path', async () => {
  const copied = store.copy({ from: base.reference, to: './file', ...quiet })

  await expect(copied).rejects.toMatchObject({ problem: { code: 'artifact.kind' } })
})

describe.skipIf(missing !== undefined)('skopeo', () => {
  const skopeo = (...args: readonly string[]): string =>
    execFileSync('skopeo', ['--insecure-policy', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })

  test.each([
    ['oci', 'x-layout:v1'],
    ['oci-archive', 'x-oci.tar:v1'],
    ['docker-archive', 'x-docker.tar:r.example/app:v1'],
  ])('reads what we write to %s', async (transport, place) => {
    const to = `${transport}:${join(home, place)}`
    await store.copy({ from: base.reference, to, ...quiet })

    const seen = JSON.parse(skopeo('inspect', '--config', to))

    expect(seen.config).toMatchObject({ Entrypoint: ['/bin/run'], Labels: { one: '1' } })
  })

  test.each([
    ['oci', 'y-layout:v1', []],
    ['oci-archive', 'y-oci.tar:v1', []],
    ['docker-archive', 'y-docker.tar:r.example/app:v1', []],
    ['oci', 'z-layout:v1', ['--dest-compress-format', 'zstd', '--dest-compress']],
  ])('writes to %s what we read (%s)', async (transport, place, flags) => {
    const to = `${transport}:${join(home, place)}`
    skopeo('copy', '--quiet', ...flags, base.reference, to)

    expect((await store.images.open(to)).config.entrypoint).toEqual(['/bin/run'])
    expect(await textOf(to, 'etc/base')).toBe('base')
  })
})
