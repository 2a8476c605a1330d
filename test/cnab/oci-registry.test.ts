import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ArtifactStore, openArtifactStore } from '../../src/artifacts/index.ts'
import {
  archiveBundle,
  copyBundle,
  openBundle,
  publishBundle,
  relocateBundle,
} from '../../src/authoring/cnab/bundle-tools.ts'
import { bundleImagesOf, configManifestsOf, type Relocation } from '../../src/contracts/cnab/index.ts'
import { digestOf } from '../../src/kit/hash.ts'
import { toProblem } from '../../src/model/problem.ts'
import { freshFolder, imageInLayout, writeTree } from '../support/image.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../support/registry.ts'

/** What this bundle has always been in a registry; other tools must find it under the same digests. */
const recorded = {
  configBlob: 'sha256:84ee78b16e570d6b13e525197e5ec2144bb85902350a98b84289086c628f2483',
  configManifest: 'sha256:7b987edafe5bbbd6dd9df41d3a4846410469ef006a02ce988cb8a83c1af85f5f',
  index: 'sha256:df29f177f5164e25fd2cfaf00d993c05a8c580ad463dc89f09f5c032a8e25a9f',
}

const golden = '../shared/corpus/cnab/oci'
const missing = registryMissing()
const home = freshFolder('cnab-oci')
const { signal } = new AbortController()
const quiet = { signal, progress: () => undefined }
const usual = { force: false, ...quiet }
const file = join(home, 'bundle.json')
const archive = join(home, 'app.tgz')
let relocation: Relocation = {}

const bundle = {
  schemaVersion: '1.2.0',
  name: 'app',
  version: '1.0.0',
  description: 'Recorded for good.',
  keywords: ['one', 'two'],
  maintainers: [{ name: 'Ahab', email: 'ahab@pequod.example', url: 'https://pequod.example' }],
  invocationImages: [{ image: 'team/installer:1.0.0', imageType: 'docker' }],
  images: { web: { image: 'team/web:1.0.0', description: 'The web.' } },
}

/** A store that has seen nothing yet, as on another machine. */
function freshStore(name: string): ArtifactStore {
  return openArtifactStore({ folder: join(home, `store-${name}`) })
}

beforeAll(async () => {
  writeFileSync(file, JSON.stringify(bundle, null, 2))
  const settings = { platform: { os: 'linux', architecture: 'amd64' } }
  const images = await Promise.all(
    ['installer', 'web'].map((name) =>
      imageInLayout(join(home, name), 'v1', {
        root: writeTree(join(home, `root-${name}`), { 'etc/name': { bytes: name, mode: 0o644 } }),
        settings,
      }),
    ),
  )
  relocation = Object.fromEntries(
    ['installer', 'web'].map((name, i) => [`team/${name}:1.0.0`, images[i]?.reference ?? '']),
  )
  const store = freshStore('archive')
  await archiveBundle(store, {
    reference: file,
    relocation,
    to: archive,
    thin: false,
    compression: 'usual',
    ...quiet,
  })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe.skipIf(missing !== undefined)('a bundle pushed to a real registry', () => {
  let registry: TestRegistry
  let here = ''
  beforeAll(async () => {
    registry = await startRegistry()
    here = `docker://${registry.host}/team/app`
  })
  afterAll(() => registry?.stop())

  test('is the recorded bytes when it is pulled, with its version as its tag', async () => {
    const published = await publishBundle(freshStore('push'), { reference: archive, to: here, ...usual })
    const pulled = await freshStore('pull').images.open(`${here}:v1.0.0`)
    const manifest = (pulled.manifest['manifests'] as unknown as readonly { digest: string }[])[0]
    const { source } = await openBundle(freshStore('open'), { reference: `${here}:v1.0.0`, ...quiet })

    expect(published.reference).toBe(`${here}:v1.0.0`)
    expect({
      configBlob: digestOf(source.bytes),
      configManifest: manifest?.digest,
      index: pulled.digest,
    }).toEqual(recorded)
  })

  test.skipIf(!existsSync(golden))(
    'has the bytes that the reference tools have for their bundle',
    async () => {
      const blob = readFileSync(`${golden}/my-app.config-blob.json`)
      const store = freshStore('golden')
      const to = `docker://${registry.host}/team/golden:v1`

      await store.publish({
        to,
        images: [],
        documents: () => ({
          blob,
          manifests: configManifestsOf(blob),
          index: (manifest) => [
            {
              mediaType: 'application/vnd.oci.image.index.v1+json',
              bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [manifest] })),
            },
          ],
        }),
        ...quiet,
      })
      const digest = `sha256:122a5dc186ec285488de9d25e99c96a11d3f7ff71c6e05a06c98e8627472a920`

      expect(
        (await freshStore('golden-look').describe(`${to.replace(/:v1$/, '')}@${digest}`, signal)).size,
      ).toBe(189)
    },
  )

  test('has all its images in its own repository, and says where they are', async () => {
    const { source, document } = await openBundle(freshStore('map'), {
      reference: `${here}:v1.0.0`,
      ...quiet,
    })
    const places = bundleImagesOf(document).map((image) => source.placeOf(image))
    const store = freshStore('images')

    expect(Object.keys(source.relocation)).toEqual(['team/installer:1.0.0', 'team/web:1.0.0'])
    for (const { reference, digest } of places) {
      expect(reference).toBe(`${here}@${digest}`)
      expect((await store.describe(reference, signal)).digest).toBe(digest)
    }
  })

  test('is not replaced unless that is asked for', async () => {
    const again = { reference: archive, to: here, ...usual }

    const refusal = await publishBundle(freshStore('again'), again).catch(toProblem)
    const forced = await publishBundle(freshStore('forced'), { ...again, force: true })

    expect(refusal).toMatchObject({ code: 'cnab.tag.taken' })
    expect(forced.digest).toBe(recorded.index)
  })

  test.each([
    ['a folder', 'mirror/deep', 'mirror/deep/app:v1.0.0'],
    ['a whole reference', 'other/name:latest', 'other/name:latest'],
  ])('is copied to %s without a change', async (_, to, expected) => {
    const copied = await copyBundle(freshStore(`copy-${to.length}`), {
      from: `${here}:v1.0.0`,
      to: `${registry.host}/${to}`,
      ...usual,
    })

    expect(copied).toEqual({ reference: `docker://${registry.host}/${expected}`, digest: recorded.index })
  })

  test('comes back as an archive that can be published again with the same digests', async () => {
    const to = join(home, 'back.tgz')
    const wish = { reference: `${here}:v1.0.0`, to, thin: false, compression: 'usual' as const, ...quiet }
    await archiveBundle(freshStore('back'), wish)

    const published = await publishBundle(freshStore('republish'), {
      reference: to,
      to: `${registry.host}/again/app:v1`,
      ...usual,
    })

    expect(published.digest).toBe(recorded.index)
  })

  test('is relocated image by image, and the map leads to them', async () => {
    const store = freshStore('relocate')

    const map = await relocateBundle(store, {
      reference: archive,
      prefix: `${registry.host}/moved`,
      ...quiet,
    })
    const moved = await openBundle(freshStore('moved'), { reference: file, relocation: map, ...quiet })
    const places = bundleImagesOf(moved.document).map((image) => moved.source.placeOf(image).reference)

    expect(Object.keys(map)).toEqual(['team/installer:1.0.0', 'team/web:1.0.0'])
    for (const place of places) {
      expect(place).toMatch(/\/moved\/team-(?:installer|web)-[0-9a-f]{32}:1\.0\.0$/)
      expect((await store.describe(place, signal)).size).toBeGreaterThan(100)
    }
  })

  test('is refused as another kind of thing where it is none', async () => {
    const image = `docker://${registry.host}/plain/image:1`
    const store = freshStore('plain')
    await store.copy({ from: relocation['team/web:1.0.0'] ?? '', to: image, ...quiet })

    expect(await openBundle(store, { reference: image, ...quiet }).catch(toProblem)).toMatchObject({
      code: 'cnab.bundle.not-a-bundle',
    })
  })
})

test('the archive holds the digests of its images, and is the same bytes each time', async () => {
  const wish = { reference: file, relocation, thin: false, compression: 'usual' as const, ...quiet }

  const again = await archiveBundle(freshStore('same'), { ...wish, to: join(home, 'same.tgz') })
  const { document } = await openBundle(freshStore('look'), { reference: again, ...quiet })

  expect(readFileSync(again).equals(readFileSync(archive))).toBe(true)
  expect(
    bundleImagesOf(document).map(({ size, contentDigest }) => [typeof size, contentDigest?.length]),
  ).toEqual([
    ['number', 71],
    ['number', 71],
  ])
})

test('an archive whose image is not the one that the bundle demands is refused', async () => {
  const other = `sha256:${'0'.repeat(64)}`
  const wrong = { ...bundle, invocationImages: [{ image: 'team/installer:1.0.0', contentDigest: other }] }
  writeFileSync(join(home, 'wrong.json'), JSON.stringify(wrong))

  const wish = { reference: join(home, 'wrong.json'), relocation, thin: false, compression: 'usual' as const }

  expect(
    await archiveBundle(freshStore('wrong'), { ...wish, to: join(home, 'wrong.tgz'), ...quiet }).catch(
      toProblem,
    ),
  ).toMatchObject({ code: 'cnab.image.digest' })
})

test('a thin archive has the bundle and nothing else', async () => {
  const to = join(home, 'thin.tgz')
  await archiveBundle(freshStore('thin'), {
    reference: archive,
    to,
    thin: true,
    compression: 'best',
    ...quiet,
  })

  const { source } = await openBundle(freshStore('thin-look'), { reference: to, ...quiet })

  expect(source.thick).toBe(false)
})
