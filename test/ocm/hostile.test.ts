/** Inputs made to do harm: each ends with one clear problem, soon, and leaves nothing behind. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../src/artifacts/archive/tar-writer.ts'
import { download, lookAt, treeOf } from '../../src/authoring/ocm/look.ts'
import { readConfig, readDescriptor } from '../../src/languages/ocm/index.ts'
import { freshFolder } from '../support/image.ts'
import { Archive } from './archive.ts'
import { codesOf, judge, make, move, place } from './make.ts'

let home: string
beforeAll(() => {
  home = freshFolder('ocm-hostile')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

let count = 0
const fresh = (): string => join(home, `at-${++count}`)
const echo = '//example.org/chandler/echo:1.0.0+b7'

/** Looks at everything of an archive, as a command would. */
async function all(where: string): Promise<readonly string[]> {
  const reference = `${where}${echo}`
  const looked = await codesOf(lookAt(reference, place))
  return looked.length > 0 ? looked : await codesOf(judge(reference, { digestsOnly: true }))
}

function entry(
  path: string,
  bytes: Uint8Array,
  kind: 'file' | 'link' | 'hard-link' | 'device' | 'pipe' = 'file',
  target = '',
): readonly Uint8Array[] {
  const head = {
    kind,
    path,
    target,
    bytes: kind === 'file' ? bytes.length : 0,
    mode: 0o644,
    uid: 0,
    gid: 0,
    mtime: 0,
  }
  return [tarHeader(head), ...(kind === 'file' ? [bytes, tarPadding(bytes.length)] : [])]
}

function tarWith(...entries: readonly (readonly Uint8Array[])[]): string {
  const to = `${fresh()}.tar`
  const index = entry('artifact-index.json', Buffer.from('{"schemaVersion":1,"artifacts":[]}'))
  writeFileSync(to, Buffer.concat([...index, ...entries.flat(), tarEnd()]))
  return to
}

const text = Buffer.from('x')

test.each<[string, () => string]>([
  ['a path that climbs out', () => tarWith(entry('../../evil', text))],
  ['a path from the root', () => tarWith(entry('/etc/evil', text))],
  ['a link out of it', () => tarWith(entry('blobs', text, 'link', '/etc'))],
  ['a link that climbs out', () => tarWith(entry('blobs/x', text, 'link', '../../../etc/passwd'))],
  ['a hard link to what is not in it', () => tarWith(entry('blobs/x', text, 'hard-link', '/etc/passwd'))],
  ['a file behind a link', () => tarWith(entry('blobs', text, 'link', 'other'), entry('blobs/x', text))],
  ['a device', () => tarWith(entry('blobs/x', text, 'device'))],
  ['a pipe', () => tarWith(entry('blobs/x', text, 'pipe'))],
  ['the same file twice', () => tarWith(entry('blobs/x', text), entry('blobs/x', text))],
  ['a file that is a folder', () => tarWith(entry('blobs', text), entry('blobs/x', text))],
  [
    'an end in the middle',
    () => {
      const to = `${fresh()}.tar`
      writeFileSync(to, Buffer.concat(entry('blobs/x', Buffer.alloc(4096))).subarray(0, 1000))
      return to
    },
  ],
  [
    'a size that is not there',
    () => {
      const to = `${fresh()}.tar`
      writeFileSync(
        to,
        tarHeader({
          kind: 'file',
          path: 'x',
          target: '',
          bytes: 2 ** 40,
          mode: 0o644,
          uid: 0,
          gid: 0,
          mtime: 0,
        }),
      )
      return to
    },
  ],
  [
    'compression that is broken',
    () => {
      const to = `${fresh()}.tgz`
      writeFileSync(to, Buffer.concat([gzipSync('x').subarray(0, 12), Buffer.alloc(100, 7)]))
      return to
    },
  ],
  [
    'no archive at all',
    () => {
      const to = fresh()
      writeFileSync(to, 'neither')
      return to
    },
  ],
  ['an empty folder', emptyFolder],
])('an archive with %s is refused', async (_, archive) => {
  const codes = await all(archive())

  expect(codes).toHaveLength(1)
  expect(codes[0]).toMatch(/^(archive|artifact|ocm\.repository|image)\./)
})

test.each<[string, (archive: Archive) => void, string]>([
  [
    'whose index is no JSON',
    (one) => writeFileSync(one.path('artifact-index.json'), '{'),
    'image.manifest-invalid',
  ],
  [
    'whose index is a list',
    (one) => writeFileSync(one.path('artifact-index.json'), '[]'),
    'image.manifest-invalid',
  ],
  [
    'whose index is larger than any',
    (one) => writeFileSync(one.path('artifact-index.json'), Buffer.alloc(5 * 1024 * 1024, 32)),
    'artifact.too-large',
  ],
  [
    'whose index lists no list',
    (one) => one.writeIndex({ schemaVersion: 1, artifacts: 7 }),
    'ocm.repository.invalid',
  ],
  [
    'whose index names a digest that is a path',
    (one) =>
      one.writeIndex({
        schemaVersion: 1,
        artifacts: [{ repository: 'x', tag: 'y', digest: 'sha256:../../etc/passwd' }],
      }),
    'ocm.repository.invalid',
  ],
  [
    'whose manifest is a layer',
    (one) =>
      one.writeIndex({
        ...one.index(),
        artifacts: one.index().artifacts.map((entry) => ({ ...entry, digest: one.put('plain') })),
      }),
    'image.manifest-invalid',
  ],
  [
    'whose manifest is two things',
    (one) =>
      one.writeIndex({
        ...one.index(),
        artifacts: one.index().artifacts.map((entry) => ({
          ...entry,
          digest: one.put(
            '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[],"layers":[]}',
          ),
        })),
      }),
    'image.manifest-invalid',
  ],
  [
    'whose version is an index of nothing',
    (one) =>
      one.writeIndex({
        ...one.index(),
        artifacts: one.index().artifacts.map((entry) => ({
          ...entry,
          digest: one.put(
            '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}',
          ),
        })),
      }),
    'ocm.descriptor.invalid',
  ],
  ['without layers', (one) => withLayers(one, () => []), 'ocm.descriptor.invalid'],
  [
    'whose descriptor says that it is small',
    (one) => withLayers(one, (layers) => layers.map((layer, i) => (i === 0 ? { ...layer, size: 3 } : layer))),
    'artifact.altered',
  ],
  [
    'whose descriptor says that it is huge',
    (one) =>
      withLayers(one, (layers) => layers.map((layer, i) => (i === 0 ? { ...layer, size: 2 ** 40 } : layer))),
    'artifact.too-large',
  ],
  [
    'whose descriptor is no tar',
    (one) =>
      withLayers(one, (layers) =>
        layers.map((layer, i) => (i === 0 ? { ...layer, digest: one.put('no tar'), size: 6 } : layer)),
      ),
    'archive.invalid',
  ],
  ['whose descriptor is no map', (one) => one.replaceDescriptor('echo', '[]'), 'ocm.descriptor.invalid'],
  [
    'whose descriptor is of two kinds',
    (one) => one.replaceDescriptor('echo', 'apiVersion: ocm.software/v3alpha1\nmeta: {schemaVersion: v2}\n'),
    'ocm.descriptor.invalid',
  ],
  ['whose blob is a link', (one) => linked(one), 'archive.link-unsafe'],
  ['whose blobs are a folder behind a link', (one) => linkedFolder(one), 'archive.link-unsafe'],
  [
    'whose local blob is another file',
    (one) =>
      one.replaceDescriptor(
        'echo',
        one.descriptor('echo').replace(/localReference: \S+/, 'localReference: ../../../../etc/passwd'),
      ),
    'artifact.not-found',
  ],
  [
    'whose local blob is in a thousand pieces of nothing',
    (one) =>
      one.replaceDescriptor(
        'echo',
        one.descriptor('echo').replace(
          /localReference: \S+/,
          `localReference: "${Array(1000)
            .fill(`sha256:${'0'.repeat(64)}`)
            .join(',')}"`,
        ),
      ),
    'artifact.not-found',
  ],
  ['whose image is a set of nothing', (one) => emptySet(one), 'archive.invalid'],
  [
    'that references itself',
    (one) =>
      one.replaceDescriptor(
        'base',
        one
          .descriptor('base')
          .replace(
            '  references: []',
            '  references:\n  - {name: me, version: 0.1.0, componentName: example.org/chandler/base}',
          ),
      ),
    'ocm.reference.cycle',
  ],
  [
    'whose digest is of an algorithm that is broken',
    (one) =>
      one.replaceDescriptor(
        'echo',
        one.descriptor('echo').replace('hashAlgorithm: SHA-256', 'hashAlgorithm: MD5'),
      ),
    'ocm.digest.unsupported',
  ],
  [
    'whose digest is by nobody knows what',
    (one) =>
      one.replaceDescriptor('echo', one.descriptor('echo').replace('genericBlobDigest/v1', 'trustMe/v9')),
    'ocm.digest.unsupported',
  ],
])('a transport archive %s is refused', async (_, harm, code) => {
  const archive = new Archive(fresh())
  harm(archive)

  expect(await all(archive.folder)).toEqual([code])
})

type Layers = Parameters<Parameters<Archive['changeManifest']>[1]>[0]['layers']

function withLayers(archive: Archive, change: (layers: Layers) => Layers): void {
  archive.changeManifest('echo', (manifest) => {
    manifest.layers = change(manifest.layers)
  })
}

function emptyFolder(): string {
  const folder = fresh()
  mkdirSync(folder)
  return folder
}

function linked(archive: Archive): void {
  const { digest } = archive.entry('echo')
  rmSync(archive.blob(digest))
  symlinkSync('/etc/passwd', archive.blob(digest))
}

function linkedFolder(archive: Archive): void {
  const elsewhere = `${archive.folder}-elsewhere`
  mkdirSync(elsewhere)
  rmSync(archive.path('blobs'), { recursive: true })
  symlinkSync(elsewhere, archive.path('blobs'))
}

function emptySet(archive: Archive): void {
  const [digest = ''] = /sha256:a1d2670578f7[0-9a-f]+/.exec(archive.descriptor('installer')) ?? []
  const bytes = gzipSync('nothing')
  const other = archive.put(bytes)
  archive.replaceDescriptor('installer', archive.descriptor('installer').replace(digest, other))
  archive.changeManifest('installer', (manifest) => {
    manifest.layers = manifest.layers.map((layer) =>
      layer.digest === digest ? { ...layer, digest: other, size: bytes.length } : layer,
    )
  })
}

const head =
  'meta: {schemaVersion: v2}\ncomponent:\n  name: a.de/b\n  version: 1.0.0\n  provider: x\n  repositoryContexts: []\n  sources: []\n  componentReferences: []\n'

test.each<[string, string]>([
  [
    'aliases that explode',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`).join('\n')}\n${head}  resources: *i\n`,
  ],
  ['nesting without an end', `${head}  resources: ${'['.repeat(200_000)}`],
  ['a key twice', `${head}  resources: []\n  resources: []\n`],
  ['several documents', `${head}  resources: []\n---\n${head}  resources: []\n`],
  ['a version that is a number', `${head.replace('1.0.0', '1.0')}  resources: []\n`],
  [
    'a name of ten thousand letters',
    `${head.replace('a.de/b', `a.de/${'b'.repeat(10_000)}`)}  resources: []\n`,
  ],
  [
    'ten thousand equal resources',
    `${head}  resources:\n${'  - {name: xx, version: 1.0.0, type: t, relation: local, access: {type: none}}\n'.repeat(10_000)}`,
  ],
  [
    'an access that is a list',
    `${head}  resources:\n  - {name: xx, version: 1.0.0, type: t, relation: local, access: []}\n`,
  ],
  [
    'names that are those of every object',
    `${head}  resources:\n  - {name: __proto__, version: 1.0.0, type: t, relation: local, access: {type: none}}\n`,
  ],
  ['no text', '\0\0\0'],
])('a descriptor with %s is refused', (_, document) => {
  expect(readDescriptor(document).kind).toBe('refused')
})

test('ten thousand resources that only versions tell apart are read, and soon', () => {
  const resources = Array.from(
    { length: 10_000 },
    (_, i) => `  - {name: xx, version: 1.0.${i}, type: t, relation: local, access: {type: none}}`,
  )

  expect(readDescriptor(`${head}  resources:\n${resources.join('\n')}\n`).kind).toBe('read')
})

test.each<[string, string]>([
  ['that is a list', '[]'],
  [
    'that is nested without an end',
    `${'{"type":"generic.config.ocm.software","configurations":['.repeat(40)}${']}'.repeat(40)}`,
  ],
  ['whose consumers are none', 'type: credentials.config.ocm.software\nconsumers: 7\n'],
])('a configuration %s is refused', (_, document) => {
  expect(readConfig(document).kind).toBe('refused')
})

test('a chain of references that does not end is cut off', async () => {
  const components = Array.from({ length: 60 }, (_, i) => ({
    name: `example.org/chain/c${i}`,
    version: '1.0.0',
    provider: { name: 'x' },
    references:
      i < 59 ? [{ name: 'next', componentName: `example.org/chain/c${i + 1}`, version: '1.0.0' }] : [],
  }))
  const folder = fresh()
  await make(home, folder, { components } as never, { skipDigests: true })

  expect(await codesOf(treeOf(`${folder}//example.org/chain/c0`, place))).toEqual(['ocm.reference.limit'])
})

test('a tree that doubles at every step is cut off', async () => {
  const components = Array.from({ length: 30 }, (_, i) => ({
    name: `example.org/double/c${i}`,
    version: '1.0.0',
    provider: { name: 'x' },
    references:
      i < 29
        ? ['left', 'right'].map((name) => ({
            name,
            componentName: `example.org/double/c${i + 1}`,
            version: '1.0.0',
          }))
        : [],
  }))
  const folder = fresh()
  await make(home, folder, { components } as never, { skipDigests: true })

  expect(await codesOf(treeOf(`${folder}//example.org/double/c0`, place))).toEqual(['ocm.reference.limit'])
  expect((await judge(`${folder}//example.org/double/c0`, { digestsOnly: true })).versions).toHaveLength(30)
})

test.each<[string, object, string]>([
  ['a version that would share its tag', { version: '1.0.0-x.build-1' }, 'ocm.version.unwritable'],
  ['a field that is not known', { frob: 1 }, 'ocm.constructor.invalid'],
  [
    'an input of nothing',
    { resources: [{ name: 'xx', type: 't', input: { type: 'frob' } }] },
    'ocm.constructor.invalid',
  ],
  [
    'a file that is not there',
    { resources: [{ name: 'xx', type: 't', input: { type: 'file', path: 'nowhere' } }] },
    'artifact.not-found',
  ],
  [
    'a device as a file',
    { resources: [{ name: 'xx', type: 't', input: { type: 'file', path: '/dev/zero' } }] },
    'file.unreadable',
  ],
  [
    'a local blob of its own',
    {
      resources: [
        {
          name: 'xx',
          type: 't',
          version: '1.0.0',
          access: { type: 'localBlob', localReference: 'sha256:00' },
        },
      ],
    },
    'ocm.constructor.invalid',
  ],
  ['both names of the references', { references: [], componentReferences: [] }, 'ocm.constructor.invalid'],
])('a constructor with %s is refused, and nothing is left', async (_, more, code) => {
  const folder = fresh()
  const to = `${folder}.tgz`
  const codes = await codesOf(
    make(home, to, { name: 'example.org/x/y', version: '1.0.0', provider: { name: 'x' }, ...more } as never),
  )

  expect(codes).toEqual([code])
  expect(
    readdirSync(home).filter((one) => one.startsWith(`at-${count}`) || one.startsWith(`.at-${count}`)),
  ).toEqual([])
})

test('what is downloaded is never half there', async () => {
  const archive = new Archive(fresh())
  writeFileSync(
    archive.path('blobs/sha256.1d4da14f769dc061df9dcd408a936475c59a0848c7901850c5bcaed72f1bbe37'),
    'sizes: {}\n',
  )
  const to = join(home, 'half')

  expect(
    await codesOf(download({ reference: `${archive.folder}${echo}`, pattern: { name: 'sizes' }, to }, place)),
  ).toEqual(['artifact.altered'])
  expect(readdirSync(home).filter((one) => one.startsWith('half'))).toEqual([])
})

test('what could not be transferred whole is not there at all', async () => {
  const archive = new Archive(fresh())
  writeFileSync(
    archive.path('blobs/sha256.1d4da14f769dc061df9dcd408a936475c59a0848c7901850c5bcaed72f1bbe37'),
    'sizes: {}\n',
  )
  const to = `${fresh()}.tgz`

  expect(await codesOf(move(`${archive.folder}${echo}`, to))).toEqual(['artifact.altered'])
  expect(await codesOf(lookAt(to, place))).toEqual(['artifact.not-found'])
})
