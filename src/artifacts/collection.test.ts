import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../test/support/image.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../../test/support/registry.ts'
import { toProblem } from '../model/problem.ts'
import { type ArtifactStore, openArtifactStore } from './artifacts.ts'
import type { CollectionDocuments } from './collection.ts'
import { digestOf } from './digest.ts'
import type { Descriptor } from './oci/manifest.ts'
import { ociIndex, ociManifest } from './oci/media-types.ts'

const missing = registryMissing()
const home = freshFolder('collection')
const { signal } = new AbortController()
const quiet = { signal, progress: () => undefined }
const document = Buffer.from('{"name":"app"}')
let store: ArtifactStore
let images: readonly { readonly reference: string; readonly digest: string }[] = []

beforeAll(async () => {
  store = openArtifactStore({ folder: join(home, 'store') })
  images = await Promise.all(
    ['one', 'two'].map((name) =>
      imageInLayout(join(home, name), 'v1', {
        root: writeTree(join(home, `root-${name}`), { 'etc/name': name }),
        settings: { platform: { os: 'linux', architecture: 'amd64' } },
      }),
    ),
  )
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

/** A form that no registry takes, then one that all take. */
function documents(parts: readonly Descriptor[]): CollectionDocuments {
  const config = { mediaType: 'application/vnd.example', digest: digestOf(document), size: document.length }
  const unwelcome = json({ schemaVersion: 2, config: { ...config, digest: digestOf('absent') }, layers: [] })
  return {
    blob: document,
    manifests: [
      { mediaType: ociManifest, bytes: unwelcome },
      { mediaType: ociManifest, bytes: json({ schemaVersion: 2, config, layers: null }) },
    ],
    index: (manifest) => [
      { mediaType: ociIndex, bytes: json({ schemaVersion: 2, manifests: [manifest, ...parts] }) },
    ],
  }
}

describe.skipIf(missing !== undefined)('images published together', () => {
  let registry: TestRegistry
  beforeAll(async () => {
    registry = await startRegistry()
  })
  afterAll(() => registry?.stop())

  test('are in one repository under an index, with the document beside them', async () => {
    const to = `docker://${registry.host}/team/app:v1`
    const references = images.map(({ reference }) => reference)

    const { digest } = await store.publish({ to, images: references, documents, ...quiet })
    const other = openArtifactStore({ folder: join(home, 'other') })
    const pulled = await other.images.open(to)
    const [manifest, ...parts] = (pulled.manifest['manifests'] ?? []) as unknown as readonly Descriptor[]
    await pulled.blob(manifest?.digest ?? '')

    expect(pulled.digest).toBe(digest)
    expect(parts.map((part) => part.digest)).toEqual(images.map((image) => image.digest))
    expect(await pulled.blob(digestOf(document))).toEqual(new Uint8Array(document))
  })

  test('are refused when none of the forms is taken', async () => {
    const to = `docker://${registry.host}/team/none:v1`
    const only = (parts: readonly Descriptor[]): CollectionDocuments => {
      const { manifests, ...rest } = documents(parts)
      return { ...rest, manifests: manifests.slice(0, 1) }
    }

    const refusal = await store.publish({ to, images: [], documents: only, ...quiet }).catch(toProblem)

    expect(refusal).toMatchObject({ code: 'registry.refused' })
  })
})

describe('images packed into an archive', () => {
  const order = (to: string) => ({
    to: join(home, to),
    files: { 'bundle.json': document },
    images: images.map(({ reference }, i) => ({ from: reference, name: `registry.example/app:${i}` })),
    ...quiet,
  })

  test('are the same bytes whenever they are packed', async () => {
    const [one, two] = [await store.pack(order('one.tgz')), await store.pack(order('two.tgz'))]

    expect(readFileSync(one).equals(readFileSync(two))).toBe(true)
  })

  test('can be run from the archive once it is kept, with file and source gone', async () => {
    const path = await store.pack(order('kept.tgz'))
    const other = openArtifactStore({ folder: join(home, 'third') })
    const archive = await other.keep(path, signal)
    rmSync(path)
    const [first] = images
    const reference = `kept:${archive}`

    const { layers } = await other.images.unpack({ reference, digest: first?.digest ?? '', ...quiet })

    expect(readFileSync(join(layers.at(-1) ?? '', 'etc/name'), 'utf8')).toBe('one')
  })

  test.each(['none', 'fastest', 'best', 'huffman'] as const)(
    'can be read when compressed as %s',
    async (compression) => {
      const path = await store.pack({ ...order(`${compression}.tgz`), compression })

      const archive = await store.open(path, signal)

      expect('file' in archive && (await archive.file('bundle.json'))).toEqual(document)
      if ('close' in archive) await archive.close()
    },
  )
})
