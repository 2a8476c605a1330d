import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { gzipOfZeros, pax, tar, tarExtension, tarPart, zip } from '../../test/support/hostile.ts'
import { freshFolder } from '../../test/support/image.ts'
import { toProblem } from '../model/problem.ts'
import type { ProblemCode } from '../model/problem-codes.ts'
import { type ArtifactStore, openArtifactStore } from './artifacts.ts'
import { digestOf } from './digest.ts'
import { type ArchiveLimits, usualArchiveLimits } from './limits.ts'

const home = freshFolder('hostile', 'memory')
const { signal } = new AbortController()
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Small bounds make small bombs. */
const limits: ArchiveLimits = {
  ...usualArchiveLimits,
  archiveBytesMax: 64 * 1024 ** 2,
  archiveEntriesMax: 1000,
  ratioFreeBytes: 1024 ** 2,
  nestingDepthMax: 60,
}

let round = 0
let world = ''
let store: ArtifactStore
beforeEach(() => {
  world = join(home, `world-${round++}`)
  mkdirSync(join(world, 'outside'), { recursive: true })
  writeFileSync(join(world, 'outside/precious'), 'gold')
  store = openArtifactStore({ folder: join(world, 'store'), archiveLimits: limits, layerLimits: limits })
})

const end = Buffer.alloc(1024)
const folderEntry = { path: 'd', kind: 'folder' } as const
const negativeSize = (header: Buffer): void => {
  header.fill(0xff, 124, 136)
}
const hugeSize = (header: Buffer): void => {
  header.write('77777777777\0', 124, 'latin1')
}

type Case = readonly [name: string, bytes: Uint8Array, code: ProblemCode]

/** Refused both as the tar of a package and as the layer of an image. */
const tars: readonly Case[] = [
  ['a path that climbs', tar({ path: '../outside/x' }), 'archive.path-unsafe'],
  ['a path that climbs in the middle', tar({ path: 'a/../../outside/x' }), 'archive.path-unsafe'],
  ['a path that is only dots', tar({ path: '..', kind: 'folder' }), 'archive.path-unsafe'],
  ['an absolute path', tar({ path: '/etc/cron.d/x' }), 'archive.path-unsafe'],
  ['an absolute path with many slashes', tar({ path: '///etc/passwd' }), 'archive.path-unsafe'],
  [
    'a pax path that climbs',
    Buffer.concat([pax('path', '../../outside/x'), tarPart({ path: 'ok' }), end]),
    'archive.path-unsafe',
  ],
  [
    'a GNU long name that climbs',
    Buffer.concat([tarExtension('L', '../outside/x\0'), tarPart({ path: 'ok' }), end]),
    'archive.path-unsafe',
  ],
  [
    'a pax path with a zero byte',
    Buffer.concat([pax('path', 'a\0b'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a file behind an absolute link',
    tar({ path: 'l', kind: 'link', target: '/tmp' }, { path: 'l/x' }),
    'archive.link-unsafe',
  ],
  [
    'a file behind a climbing link',
    tar({ path: 'l', kind: 'link', target: '../outside' }, { path: 'l/x' }),
    'archive.link-unsafe',
  ],
  [
    'a file behind a chain of links',
    tar(
      { path: 'a', kind: 'link', target: 'b' },
      { path: 'b', kind: 'link', target: '../outside' },
      { path: 'a/x' },
    ),
    'archive.link-unsafe',
  ],
  [
    'a file behind a circle of links',
    tar({ path: 'a', kind: 'link', target: 'b' }, { path: 'b', kind: 'link', target: 'a' }, { path: 'a/x' }),
    'archive.link-unsafe',
  ],
  [
    'a folder behind a link',
    tar({ path: 'l', kind: 'link', target: '/tmp' }, { path: 'l/d', kind: 'folder' }),
    'archive.link-unsafe',
  ],
  [
    'a hard link to the host',
    tar({ path: 'x', kind: 'hard-link', target: '/etc/passwd' }),
    'archive.path-unsafe',
  ],
  [
    'a hard link that climbs',
    tar({ path: 'x', kind: 'hard-link', target: '../outside/precious' }),
    'archive.path-unsafe',
  ],
  ['a hard link to nothing', tar({ path: 'x', kind: 'hard-link', target: 'absent' }), 'archive.link-unsafe'],
  [
    'a hard link to a folder',
    tar(folderEntry, { path: 'x', kind: 'hard-link', target: 'd' }),
    'archive.link-unsafe',
  ],
  [
    'a hard link through a link',
    tar(
      { path: 'l', kind: 'link', target: '../outside' },
      { path: 'x', kind: 'hard-link', target: 'l/precious' },
    ),
    'archive.link-unsafe',
  ],
  ['a link that leads nowhere', tar({ path: 'l', kind: 'link', target: '' }), 'archive.link-unsafe'],
  ['a character device', tar({ path: 'mem', kind: 'device' }), 'archive.special-file'],
  [
    'a block device',
    tar({ path: 'disk', spoil: (header) => header.write('4', 156, 'latin1') }),
    'archive.special-file',
  ],
  ['a file over a folder', tar(folderEntry, { path: 'd', content: 'x' }), 'archive.conflict'],
  ['a file inside a file', tar({ path: 'f', content: 'x' }, { path: 'f/g' }), 'archive.conflict'],
  ['a root that is a file', tar({ path: '.', content: 'x' }), 'archive.conflict'],
  ['a name part of 300 bytes', tar({ path: `${'n'.repeat(300)}` }), 'archive.path-unsafe'],
  ['a path of 5000 bytes', tar({ path: `${'abcdefghi/'.repeat(500)}x` }), 'archive.limit'],
  ['a path 200 folders deep', tar({ path: `${'a/'.repeat(200)}x` }), 'archive.limit'],
  [
    '2000 entries where 1000 may be',
    tar(...Array.from({ length: 2000 }, (_, i) => ({ path: `f${i}` }))),
    'archive.limit',
  ],
  ['a file said to hold 8 GiB', tar({ path: 'x', spoil: hugeSize }), 'archive.limit'],
  ['a negative size', tar({ path: 'x', spoil: negativeSize }), 'archive.invalid'],
  [
    'a wrong checksum',
    tar({ path: 'x', spoil: (header) => header.write('0777', 100), badSum: true }),
    'archive.invalid',
  ],
  [
    'a size that is no number',
    tar({ path: 'x', spoil: (header) => header.write('zzzzzzzzzzz', 124) }),
    'archive.invalid',
  ],
  [
    'a pax header without its length',
    Buffer.concat([tarExtension('x', 'path=x\n'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a pax header longer than itself',
    Buffer.concat([tarExtension('x', '99 path=x\n'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a pax size that is no number',
    Buffer.concat([pax('size', '-1'), tarPart({ path: 'ok' }), end]),
    'archive.invalid',
  ],
  [
    'a pax header of 2 MiB',
    Buffer.concat([tarExtension('x', Buffer.alloc(2 * 1024 ** 2)), end]),
    'archive.limit',
  ],
  [
    'a sparse file of GNU',
    tar({ path: 'x', spoil: (header) => header.write('S', 156, 'latin1') }),
    'archive.unsupported',
  ],
  [
    'a sparse file of pax',
    Buffer.concat([pax('GNU.sparse.major', '1'), tarPart({ path: 'ok' }), end]),
    'archive.unsupported',
  ],
  [
    'an entry of an unknown type',
    tar({ path: 'x', spoil: (header) => header.write('Z', 156, 'latin1') }),
    'archive.unsupported',
  ],
  [
    'a folder with content',
    tar({ path: 'x', content: 'abc', spoil: (header) => header.write('5', 156, 'latin1') }),
    'archive.invalid',
  ],
  ['a tar cut off in a header', tar({ path: 'x' }).subarray(0, 300), 'archive.invalid'],
  [
    'a tar cut off in a body',
    tar({ path: 'x', content: 'y'.repeat(2000) }).subarray(0, 1024),
    'archive.invalid',
  ],
  ['a tar cut off after a pax header', Buffer.concat([pax('path', 'x'), end]), 'archive.invalid'],
  [
    'an entry after the end',
    Buffer.concat([tarPart({ path: 'a' }), Buffer.alloc(512), tarPart({ path: 'b' }), end]),
    'archive.invalid',
  ],
  ['noise', Buffer.from('ustar '.repeat(500)), 'archive.invalid'],
]

test.each(tars)('a layer with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => unpack(bytes), layerCode(_, code))
})

test.each(tars)('a compressed tar with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(gzipSync(bytes)), code)
})

/** Where an image forgives or says it otherwise than a package. */
function layerCode(name: string, code: ProblemCode): ProblemCode {
  return name === 'a link that leads nowhere' ? 'archive.invalid' : code
}

test.each<Case>([
  ['a link to the host', tar({ path: 'l', kind: 'link', target: '/etc/passwd' }), 'archive.link-unsafe'],
  ['a link that climbs out', tar({ path: 'd/l', kind: 'link', target: '../../x' }), 'archive.link-unsafe'],
  ['a pipe', tar({ path: 'p', kind: 'pipe' }), 'archive.special-file'],
  [
    'two files of one name',
    tar({ path: 'f', content: 'a' }, { path: './f', content: 'b' }),
    'archive.conflict',
  ],
  ['a name that is no text', tar({ path: 'caf\u00e9' }), 'archive.path-unsafe'],
])('a tar of a package with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(gzipSync(bytes)), code)
})

test.each<Case>([
  ['a whiteout of the parent', tar({ path: 'd/.wh...' }), 'archive.path-unsafe'],
  ['a whiteout of nothing', tar({ path: 'd/.wh.' }), 'archive.path-unsafe'],
  [
    'a whiteout behind a link',
    tar({ path: 'l', kind: 'link', target: '/etc' }, { path: 'l/.wh.passwd' }),
    'archive.link-unsafe',
  ],
  [
    'an opaque mark behind a link',
    tar({ path: 'l', kind: 'link', target: '../..' }, { path: 'l/.wh..wh..opq' }),
    'archive.link-unsafe',
  ],
  [
    'the device that overlay reads as deleted',
    tar({ path: 'etc/passwd', kind: 'device' }),
    'archive.special-file',
  ],
])('a layer with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => unpack(bytes), code)
})

const link = 0o120777
test.each<Case>([
  ['a path that climbs', zip({ name: '../outside/x', content: 'x' }), 'archive.path-unsafe'],
  ['a path that climbs in the middle', zip({ name: 'a/../../x', content: 'x' }), 'archive.path-unsafe'],
  ['an absolute path', zip({ name: '/etc/cron.d/x', content: 'x' }), 'archive.path-unsafe'],
  ['backslashes', zip({ name: '..\\outside\\x', content: 'x' }), 'archive.path-unsafe'],
  ['a drive letter and backslashes', zip({ name: 'C:\\x', content: 'x' }), 'archive.path-unsafe'],
  ['a name with a zero byte', zip({ name: 'a\0b', content: 'x' }), 'archive.path-unsafe'],
  ['a link to the host', zip({ name: 'l', content: '/etc/passwd', mode: link }), 'archive.link-unsafe'],
  [
    'a link that climbs',
    zip({ name: 'l', content: '../outside/precious', mode: link }),
    'archive.link-unsafe',
  ],
  [
    'a file behind a link',
    zip({ name: 'l', content: 'd', mode: link }, { name: 'l/x', content: 'x' }),
    'archive.link-unsafe',
  ],
  ['a link without a target', zip({ name: 'l', mode: link }), 'archive.link-unsafe'],
  ['a link of 5000 bytes', zip({ name: 'l', content: 'x'.repeat(5000), mode: link }), 'archive.link-unsafe'],
  ['a character device', zip({ name: 'mem', mode: 0o020666 }), 'archive.special-file'],
  ['a pipe', zip({ name: 'p', mode: 0o010666 }), 'archive.special-file'],
  ['a socket', zip({ name: 's', mode: 0o140666 }), 'archive.special-file'],
  [
    'two files of one name',
    zip({ name: 'f', content: 'a' }, { name: 'f', content: 'b' }),
    'archive.conflict',
  ],
  [
    'a file inside a file',
    zip({ name: 'f', content: 'a' }, { name: 'f/g', content: 'b' }),
    'archive.conflict',
  ],
  ['an encrypted file', zip({ name: 'f', content: 'a', flags: 1 }), 'archive.unsupported'],
  ['an unknown compression', zip({ name: 'f', content: 'a', method: 14 }), 'archive.unsupported'],
  ['a folder with content', zip({ name: 'd/', content: 'abc', mode: 0o040755 }), 'archive.invalid'],
  ['a wrong checksum', zip({ name: 'f', content: 'abc', saidSum: 7 }), 'archive.invalid'],
  ['less content than said', zip({ name: 'f', content: 'abc', saidBytes: 5 }), 'archive.invalid'],
  [
    'more content than said',
    zip({ name: 'f', content: 'abcdef'.repeat(9), saidBytes: 5 }),
    'archive.invalid',
  ],
  ['zeros by the megabyte', zip({ name: 'f', content: Buffer.alloc(30 * 1024 ** 2) }), 'archive.limit'],
  ['a size said above the limit', zip({ name: 'f', content: 'x', saidBytes: 2 ** 31 }), 'archive.limit'],
  [
    'many entries that share their bytes',
    zip(
      { name: 'f', content: Buffer.alloc(1024 ** 2) },
      ...Array.from({ length: 50 }, (_, i) => ({ name: `g${i}`, content: '', shareWith: 0 })),
    ),
    'archive.limit',
  ],
  [
    '2000 entries where 1000 may be',
    zip(...Array.from({ length: 2000 }, (_, i) => ({ name: `f${i}` }))),
    'archive.limit',
  ],
  ['a path 200 folders deep', zip({ name: `${'a/'.repeat(200)}x`, content: 'x' }), 'archive.limit'],
  ['its end cut off', zip({ name: 'f', content: 'abc' }).subarray(0, 60), 'archive.invalid'],
  ['its middle overwritten', broken(zip({ name: 'f', content: 'abc'.repeat(100) })), 'archive.invalid'],
])('a zip with %s is refused', async (_, bytes, code) => {
  await expectRefused(() => openAndExtract(bytes), code)
})

test.each<[string, Uint8Array, ProblemCode]>([
  ['gzip of zeros', gzipOfZeros(100), 'archive.limit'],
  [
    'gzip cut off',
    gzipSync(tar({ path: 'x', content: 'y'.repeat(9000) })).subarray(0, 60),
    'archive.invalid',
  ],
  ['gzip with a wrong checksum', broken(gzipSync(tar({ path: 'x' }))), 'archive.invalid'],
  ['zstd of zeros', zstdCompressSync(Buffer.alloc(80 * 1024 ** 2)), 'archive.limit'],
  [
    'zstd cut off',
    zstdCompressSync(tar({ path: 'x', content: 'y'.repeat(9000) })).subarray(0, 30),
    'archive.invalid',
  ],
])('%s is refused without holding it in memory', async (_, bytes, code) => {
  const before = process.memoryUsage().rss

  await expectRefused(() => openAndExtract(bytes), code)

  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2)
})

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

type Spoil = (parts: {
  manifest: Record<string, unknown>
  index: Record<string, unknown>
  layout: string
}) => void
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
    'a manifest of schema 1',
    ({ manifest }) => replace(manifest, { schemaVersion: 1, fsLayers: [] }),
    'image.manifest-unsupported',
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
  const path = join(world, 'saved.tar')
  writeFileSync(path, tar({ path: 'manifest.json', content: manifest }, { path: 'c.json', content: config }))

  await expectRefused(() => store.open(`docker-archive:${path}`, signal), code)
})

test('a pipe in place of a file does not hang us', async () => {
  const path = join(world, 'outside')

  await expectRefused(() => store.open(`oci-archive:${path}`, signal), 'file.unreadable')
})

async function openAndExtract(bytes: Uint8Array): Promise<void> {
  const path = join(world, 'package')
  writeFileSync(path, bytes)
  const archive = await store.open(path, signal)
  if (archive.kind !== 'archive' || !('extract' in archive)) throw new Error(`opened as ${archive.kind}`)
  try {
    await archive.extract({ folder: join(world, 'target') })
  } finally {
    await archive.close()
  }
}

interface LayerOptions {
  readonly type?: string
  readonly diffId?: string
  readonly spoil?: Spoil
  /** Through an index of its own inside the layout. */
  readonly viaIndex?: boolean
}

async function unpack(
  layer: Uint8Array,
  { type, diffId, spoil, viaIndex }: LayerOptions = {},
): Promise<void> {
  const layout = join(world, 'layout')
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true })
  const put = (bytes: Uint8Array): { digest: string; size: number } => {
    const digest = digestOf(bytes)
    writeFileSync(join(layout, 'blobs/sha256', digest.slice('sha256:'.length)), bytes)
    return { digest, size: bytes.length }
  }
  const config = put(
    Buffer.from(
      JSON.stringify({
        os: 'linux',
        architecture: 'amd64',
        rootfs: { diff_ids: [diffId ?? digestOf(layer)] },
      }),
    ),
  )
  const manifest: Record<string, unknown> = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: [{ mediaType: type ?? 'application/vnd.oci.image.layer.v1.tar', ...put(layer) }],
  }
  const index: Record<string, unknown> = { schemaVersion: 2, manifests: [{}] }
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  writeFileSync(join(layout, 'index.json'), '{}')
  const early = { manifest, index, layout }
  if (spoil !== undefined && viaIndex) spoil(early)
  const listed = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...put(Buffer.from(JSON.stringify(manifest))),
  }
  index['manifests'] = [{ ...listed, ...((index['manifests'] as object[])[0] ?? {}) }]
  if (readFileSyncOr(join(layout, 'index.json')) === '{}') {
    const inner = put(
      Buffer.from(JSON.stringify({ ...index, mediaType: 'application/vnd.oci.image.index.v1+json' })),
    )
    writeFileSync(
      join(layout, 'index.json'),
      JSON.stringify(
        viaIndex
          ? {
              schemaVersion: 2,
              manifests: [{ mediaType: 'application/vnd.oci.image.index.v1+json', ...inner }],
            }
          : index,
      ),
    )
  }
  const reference = `oci:${layout}`
  const image = await store.images.open(reference)
  await store.images.unpack({ reference, digest: image.digest, signal, progress: () => undefined })
}

function readFileSyncOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** One clear problem, and nothing changed outside of what is ours. */
async function expectRefused(work: () => Promise<unknown>, code: ProblemCode): Promise<void> {
  const outcome = await work().then(
    () => 'it was accepted',
    (error: unknown) => toProblem(error),
  )

  expect(outcome).toMatchObject({ code })
  expect(listing(join(world, 'outside'))).toEqual(['precious'])
  expect(readFileSync(join(world, 'outside/precious'), 'utf8')).toBe('gold')
  expect(readdirSync(world).filter((name) => name.startsWith('target'))).toEqual([])
  for (const room of ['layers', 'stacks', 'scratch']) expect(listing(join(world, 'store', room))).toEqual([])
}

function listing(folder: string): readonly string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : []
  } catch {
    return []
  }
}

function broken(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes)
  const middle = Math.floor(copy.length / 3)
  copy.fill(0xa5, middle, middle + 12)
  return copy
}

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
