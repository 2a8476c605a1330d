import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kit/json.ts'
import type { Artifact } from '../../model/artifact.ts'
import { flattenedName, sameImage, sameImageElsewhere } from './image-name.ts'
import { bundleImagesOf } from './oci-form.ts'
import { findBundle, relocated } from './source.ts'

const digest = (sign: string) => `sha256:${sign.repeat(64)}`
const bytesOf = (value: object) => new Uint8Array(Buffer.from(JSON.stringify(value)))

const bundle: JsonObject = {
  name: 'app',
  invocationImages: [{ image: 'team/installer:1', contentDigest: digest('a') }],
  images: { web: { image: 'web:1' } },
}

function archive(files: Readonly<Record<string, object>>): Artifact {
  return {
    kind: 'archive',
    reference: 'app.tgz',
    digest: digest('f'),
    entries: Object.keys(files).map((path) => ({ path, bytes: 0, mode: 0o644 })),
    file: (path) => Promise.resolve(path in files ? bytesOf(files[path] ?? {}) : undefined),
  }
}

function layout(...listed: readonly (readonly [name: string, digest: string])[]): Artifact {
  return layoutOf(bundle, listed)
}

function layoutOf(
  document: JsonObject,
  listed: readonly (readonly [name: string, digest: string])[],
): Artifact {
  return archive({
    'bundle.json': document,
    'artifacts/layout/index.json': {
      manifests: listed.map(([name, digest]) => ({
        digest,
        size: 10,
        annotations: { 'org.opencontainers.image.ref.name': name },
      })),
    },
    ...Object.fromEntries(
      listed.map(([, digest]) => [`artifacts/layout/blobs/${digest.replace(':', '/')}`, {}]),
    ),
  })
}

async function placesOf(artifact: Artifact): Promise<readonly string[]> {
  const source = await findBundle(artifact)
  return bundleImagesOf(bundle).map((image) => source?.placeOf(image).reference ?? '')
}

describe('images are looked for', () => {
  test('in their registries when there is only a document, by digest where one is known', async () => {
    expect(await placesOf(archive({ 'bundle.json': bundle }))).toEqual([
      `docker://docker.io/team/installer:1@${digest('a')}`,
      'docker://docker.io/library/web:1',
    ])
  })

  test('where a relocation map says', async () => {
    const moved = { 'web:1': `registry.example/app@${digest('b')}` }

    expect((await placesOf(archive({ 'bundle.json': bundle, 'relocation-mapping.json': moved })))[1]).toBe(
      `docker://registry.example/app@${digest('b')}`,
    )
  })

  test.each([
    ['under their own names', 'web:1'],
    ['under their whole names', 'docker.io/library/web:1'],
    ['under their names in another registry', 'mirror.example/library/web:1'],
  ])('in a thick archive %s', async (_, name) => {
    const places = await placesOf(layout(['x', digest('a')], [name, digest('b')]))

    expect(places).toEqual([`kept:${digest('f')}@${digest('a')}`, `kept:${digest('f')}@${digest('b')}`])
  })

  test('in their registries when a thick archive lacks them', async () => {
    expect((await placesOf(layout(['x', digest('a')])))[1]).toBe('docker://docker.io/library/web:1')
  })

  test('where the caller says before anything else', async () => {
    const found = await findBundle(layout(['x', digest('a')]))
    const [image] = bundleImagesOf(bundle)
    const source = found && relocated(found, { 'team/installer:1': 'oci:./image:latest' })

    expect(image && source?.placeOf(image)).toEqual({ reference: 'oci:./image:latest' })
  })
})

test('an image of an archive that is not the one demanded is a problem', async () => {
  const source = await findBundle(layout(['team/installer:1', digest('c')]))

  expect(source?.problems.map(({ code, detail }) => [code, detail?.slice(0, 23)])).toEqual([
    ['cnab.image.digest', 'content digest mismatch'],
  ])
})

test('an image of an archive that has another size than it should is a problem', async () => {
  const sized = (size: number): JsonObject => ({
    ...bundle,
    invocationImages: [{ image: 'team/installer:1', contentDigest: digest('a'), size }],
  })
  const listed = [['team/installer:1', digest('a')]] as const

  expect((await findBundle(layoutOf(sized(10), listed)))?.problems).toEqual([])
  expect((await findBundle(layoutOf(sized(11), listed)))?.problems).toHaveLength(1)
})

test.each([
  ['nothing', {}],
  ['a bundle one folder too deep', { 'examplebun/bundle.json': bundle }],
])('an archive with %s holds no bundle', async (_, files) => {
  expect(await findBundle(archive(files))).toBeUndefined()
})

test('a relocation map of other things is a problem', async () => {
  const source = await findBundle(
    archive({ 'bundle.json': bundle, 'relocation-mapping.json': { 'web:1': 7 } }),
  )

  expect(source?.problems).toHaveLength(1)
})

describe('an index in a registry', () => {
  const entry = (sign: string, annotations: object) => ({
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    digest: digest(sign),
    size: 1,
    annotations,
  })
  const pulled = (invocation: string): Artifact => ({
    kind: 'image',
    reference: 'docker://localhost:5000/team/app:v1',
    digest: digest('e'),
    config: {
      entrypoint: [],
      command: [],
      environment: [],
      user: '',
      workingFolder: '',
      volumes: [],
      labels: {},
      platform: { os: '', architecture: '' },
    },
    annotations: {},
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifest: {
      manifests: [
        entry('1', { 'io.cnab.manifest.type': 'config' }),
        entry(invocation, { 'io.cnab.manifest.type': 'invocation' }),
        entry('b', { 'io.cnab.manifest.type': 'component', 'io.cnab.component.name': 'web' }),
      ],
    } as unknown as JsonObject,
    blob: (wanted) =>
      Promise.resolve(
        wanted === digest('1')
          ? bytesOf({
              config: { mediaType: 'application/vnd.cnab.config.v1+json', digest: digest('2'), size: 1 },
            })
          : bytesOf(bundle),
      ),
  })

  test('has all images in its own repository', async () => {
    const source = await findBundle(pulled('a'))

    expect(source?.relocation).toEqual({
      'team/installer:1': `localhost:5000/team/app@${digest('a')}`,
      'web:1': `localhost:5000/team/app@${digest('b')}`,
    })
    expect(source?.problems).toEqual([])
    expect(await placesOf(pulled('a'))).toEqual([
      `docker://localhost:5000/team/app@${digest('a')}`,
      `docker://localhost:5000/team/app@${digest('b')}`,
    ])
  })

  test('that lists another image than the bundle demands is a problem', async () => {
    expect((await findBundle(pulled('c')))?.problems.map(({ code }) => code)).toEqual(['cnab.image.digest'])
  })
})

test.each([
  ['ubuntu', 'library/ubuntu', true, true],
  ['ubuntu', 'docker.io/library/ubuntu:latest', true, true],
  ['ubuntu', 'ubuntu:22.04', false, false],
  ['a.example/x/y:1', 'b.example/x/y:1', false, true],
  ['a.example/x/y:1', `a.example/x/y@${digest('a')}`, false, false],
])('%s and %s', (a, b, same, elsewhere) => {
  expect([sameImage(a, b), sameImageElsewhere(a, b)]).toEqual([same, elsewhere])
})

test('a flattened name keeps tag and digest and tells one host from another', () => {
  const one = flattenedName('r.example/me', `a.example/team/app:1@${digest('a')}`)
  const other = flattenedName('r.example/me', 'team/app:1')

  expect(one).toMatch(/^r\.example\/me\/a\.example-team-app-[0-9a-f]{32}:1@sha256:a+$/)
  expect(other).toMatch(/^r\.example\/me\/team-app-[0-9a-f]{32}:1$/)
})
