import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { gzipOfZeros, tar } from '../../test/support/hostile.ts'
import { hostileWorld, type Spoil } from '../../test/support/hostile-world.ts'
import type { ProblemCode } from '../model/problem-codes.ts'
import { digestOf } from './digest.ts'

const world = hostileWorld()
const { expectRefused, unpack } = world
const { signal } = new AbortController()

test('a layer whose media type lies about its compression is refused', async () => {
  await expectRefused(
    () => unpack(gzipSync(tar({ path: 'x' })), { type: 'application/vnd.oci.image.layer.v1.tar+zstd' }),
    'archive.invalid',
  )
})

test('a layer that does not unpack to its diff id is refused', async () => {
  await expectRefused(() => unpack(tar({ path: 'x' }), { diffId: digestOf('other') }), 'artifact.altered')
})

test('a layer of zeros is refused', async () => {
  const zeros = gzipOfZeros(100)
  await expectRefused(
    () => unpack(zeros, { type: 'application/vnd.oci.image.layer.v1.tar+gzip' }),
    'archive.limit',
  )
})

const oldest = {
  schemaVersion: 1,
  fsLayers: [{ blobSum: digestOf('a layer') }],
  history: [{ v1Compatibility: '{"architecture":"amd64","os":"linux"}' }],
}

const images: readonly (readonly [string, Spoil, ProblemCode])[] = [
  [
    'an unknown layout version',
    ({ layout }) => writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"9"}'),
    'image.layout-invalid',
  ],
  ['no layout marker', ({ layout }) => rmSync(join(layout, 'oci-layout')), 'image.layout-invalid'],
  ['no index', ({ layout }) => rmSync(join(layout, 'index.json')), 'image.layout-invalid'],
  [
    'an index that is no JSON',
    ({ layout }) => writeFileSync(join(layout, 'index.json'), '{'),
    'image.manifest-invalid',
  ],
  [
    'an index with a key that is there twice',
    ({ layout }) => writeFileSync(join(layout, 'index.json'), '{"manifests":[],"manifests":[]}'),
    'image.manifest-invalid',
  ],
  [
    'an index that is a list',
    ({ layout }) => writeFileSync(join(layout, 'index.json'), '[]'),
    'image.manifest-invalid',
  ],
  [
    'an index that is a link to a secret',
    ({ layout }) => relink(join(layout, 'index.json')),
    'image.manifest-invalid',
  ],
  [
    'a manifest that is both manifest and index',
    ({ manifest }) => Object.assign(manifest, { manifests: [] }),
    'image.manifest-invalid',
  ],
  [
    'a manifest of schema 1 without a history',
    ({ manifest }) => replace(manifest, { schemaVersion: 1, fsLayers: [] }),
    'image.manifest-invalid',
  ],
  [
    'a manifest of schema 1 with more history than layers',
    ({ manifest }) => replace(manifest, { ...oldest, history: [...oldest.history, ...oldest.history] }),
    'image.manifest-invalid',
  ],
  [
    'a manifest of schema 1 whose layer is a path',
    ({ manifest }) => replace(manifest, { ...oldest, fsLayers: [{ blobSum: 'sha256:../../etc/passwd' }] }),
    'image.manifest-invalid',
  ],
  [
    'a manifest of schema 1 whose history is no JSON',
    ({ manifest }) => replace(manifest, { ...oldest, history: [{ v1Compatibility: '{' }] }),
    'image.manifest-invalid',
  ],
  [
    'a manifest of an unknown type',
    ({ manifest }) => Object.assign(manifest, { mediaType: 'application/x' }),
    'image.manifest-unsupported',
  ],
  [
    'a layer with a digest that is a path',
    ({ manifest }) => firstLayer(manifest, { digest: 'sha256:../../../../etc/passwd' }),
    'image.manifest-invalid',
  ],
  [
    'a layer with an unknown kind of digest',
    ({ manifest }) => firstLayer(manifest, { digest: 'md5:d41d8cd98f00b204e9800998ecf8427e' }),
    'image.manifest-invalid',
  ],
  [
    'a layer with a negative size',
    ({ manifest }) => firstLayer(manifest, { size: -1 }),
    'image.manifest-invalid',
  ],
  ['a layer larger than said', ({ manifest }) => firstLayer(manifest, { size: 10 }), 'artifact.altered'],
  [
    'a layer of an unknown type',
    ({ manifest }) => firstLayer(manifest, { mediaType: 'application/x' }),
    'image.layer-unsupported',
  ],
  [
    'a layer that is missing',
    ({ manifest }) => firstLayer(manifest, { digest: digestOf('nothing') }),
    'artifact.not-found',
  ],
  [
    'more layers than diff ids',
    ({ manifest }) =>
      Object.assign(manifest, {
        layers: [...(manifest['layers'] as object[]), ...(manifest['layers'] as object[])],
      }),
    'image.config-invalid',
  ],
  [
    'layers that are no list',
    ({ manifest }) => Object.assign(manifest, { layers: {} }),
    'image.manifest-invalid',
  ],
  [
    'no configuration',
    ({ manifest }) => Object.assign(manifest, { config: undefined }),
    'image.manifest-invalid',
  ],
  [
    'a configuration of another kind',
    ({ manifest }) => Object.assign(manifest['config'] as object, { mediaType: 'application/x' }),
    'image.not-runnable',
  ],
  [
    'only another platform',
    ({ index }) =>
      Object.assign((index['manifests'] as object[])[0] ?? {}, {
        platform: { os: 'plan9', architecture: 'mips' },
      }),
    'image.platform-missing',
  ],
]

test.each(images)('an image with %s is refused', async (_, spoil, code) => {
  await expectRefused(() => unpack(tar({ path: 'x' }), { spoil, viaIndex: true }), code)
})

test.each<[string, string, ProblemCode]>([
  ['no list of images', '{}', 'image.layout-invalid'],
  ['no JSON', '[', 'image.layout-invalid'],
  ['no image at all', '[]', 'image.layout-invalid'],
  ['a configuration that climbs', '[{"Config":"../../etc/passwd","Layers":[]}]', 'image.layout-invalid'],
  ['a layer that is missing', '[{"Config":"c.json","Layers":["gone.tar"]}]', 'image.layout-invalid'],
  ['more layers than diff ids', '[{"Config":"c.json","Layers":["c.json","c.json"]}]', 'image.config-invalid'],
])('a docker-archive with %s is refused', async (_, manifest, code) => {
  const config = JSON.stringify({ os: 'linux', rootfs: { diff_ids: [digestOf('x')] } })
  const path = join(world.folder, 'saved.tar')
  writeFileSync(path, tar({ path: 'manifest.json', content: manifest }, { path: 'c.json', content: config }))

  await expectRefused(() => world.store.open(`docker-archive:${path}`, signal), code)
})

test('a pipe in place of a file does not hang us', async () => {
  const path = join(world.folder, 'outside')

  await expectRefused(() => world.store.open(`oci-archive:${path}`, signal), 'file.unreadable')
})

function replace(target: Record<string, unknown>, by: object): void {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, by)
}

function firstLayer(manifest: Record<string, unknown>, by: object): void {
  Object.assign((manifest['layers'] as object[])[0] ?? {}, by)
}

function relink(path: string): void {
  rmSync(path)
  symlinkSync('/etc/passwd', path)
}
