import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../../kit/hash.ts'
import type { JsonObject } from '../../kit/json.ts'
import {
  bundleIndexOf,
  configBlobIn,
  configBlobOf,
  configManifestsOf,
  type IndexOrder,
  readBundleIndex,
  relocationOf,
} from './oci-form.ts'

const digest = (sign: string) => `sha256:${sign.repeat(64)}`
const repository = 'registry.example/team/app'

const bundle: JsonObject = {
  schemaVersion: '1.2.0',
  name: 'app',
  version: '1.0.0',
  description: 'Tom & <Jerry>',
  invocationImages: [{ image: 'installer:1', contentDigest: digest('a'), size: 10 }],
  images: {
    web: { image: 'web:1', contentDigest: digest('b'), size: 20, imageType: 'docker' },
    db: { image: 'db:1', contentDigest: digest('c'), size: 30 },
  },
}
const relocation = {
  'installer:1': `${repository}@${digest('a')}`,
  'web:1': `${repository}@${digest('b')}`,
  'db:1': `${repository}@${digest('c')}`,
}

function order(change: Partial<IndexOrder> = {}): IndexOrder {
  const [manifest] = configManifestsOf(configBlobOf(bundle))
  const configManifest = {
    mediaType: manifest?.mediaType ?? '',
    digest: digestOf(manifest?.bytes ?? ''),
    size: manifest?.bytes.byteLength ?? 0,
  }
  return { bundle, relocation, repository, configManifest, ...change }
}

function made(change: Partial<IndexOrder> = {}) {
  const index = bundleIndexOf(order(change))
  if (index.kind === 'refused') throw new Error(index.problems.map(({ detail }) => detail).join('; '))
  return index.documents.map(({ bytes }) => Buffer.from(bytes).toString())
}

describe('the index of a bundle', () => {
  test('lists config, invocation image and components sorted by name', () => {
    const [text = ''] = made()
    const { manifests } = JSON.parse(text)

    expect(manifests.map((entry: { annotations: object }) => Object.values(entry.annotations))).toEqual([
      ['config'],
      ['invocation'],
      ['db', 'component'],
      ['web', 'component'],
    ])
  })

  test('escapes mark-up as other tools do', () => {
    expect(made()[0]).toContain('Tom \\u0026 \\u003cJerry\\u003e')
  })

  test('is a Docker manifest list for registries that know no other', () => {
    expect(JSON.parse(made()[1] ?? '').mediaType).toBe(
      'application/vnd.docker.distribution.manifest.list.v2+json',
    )
  })

  test.each<[string, Partial<IndexOrder>, string]>([
    [
      'an image elsewhere',
      { relocation: { ...relocation, 'web:1': `other.example/x@${digest('b')}` } },
      'is not in the same repository as',
    ],
    [
      'a place without a digest',
      { relocation: { ...relocation, 'web:1': `${repository}:1` } },
      'is not a digested reference',
    ],
    ['a size that nobody set', { bundle: withInvocation([{ image: 'installer:1' }]) }, 'size is not set'],
    [
      'two invocation images',
      {
        bundle: withInvocation([
          { image: 'installer:1', size: 1 },
          { image: 'web:1', size: 1 },
        ]),
      },
      'only one invocation image supported',
    ],
    [
      'a media type of something else',
      { bundle: withInvocation([{ image: 'installer:1', size: 1, mediaType: 'text/plain' }]) },
      'unsupported media type',
    ],
  ])('refuses %s', (_, change, message) => {
    expect(() => made(change)).toThrow(message)
  })
})

function withInvocation(invocationImages: readonly JsonObject[]): JsonObject {
  return { ...bundle, invocationImages }
}

describe('an index read', () => {
  const entry = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: digest('a'), size: 1 }

  test('means the relocation map it was made from', () => {
    const read = readBundleIndex(JSON.parse(made()[0] ?? ''))

    expect(relocationOf(bundle, read, repository)).toEqual({ relocation, problems: [] })
  })

  test.each([
    ['no type', { ...entry }, 'io.cnab.manifest.type is missing'],
    [
      'a component without a name',
      { ...entry, annotations: { 'io.cnab.manifest.type': 'component' } },
      'io.cnab.component.name is missing',
    ],
    [
      'another type',
      { ...entry, annotations: { 'io.cnab.manifest.type': 'other' } },
      'io.cnab.manifest.type is "other"',
    ],
    [
      'another media type',
      { ...entry, mediaType: 'text/plain', annotations: { 'io.cnab.manifest.type': 'config' } },
      'unsupported media type "text/plain"',
    ],
    [
      'no config',
      { ...entry, annotations: { 'io.cnab.manifest.type': 'invocation' } },
      'bundle config not found',
    ],
  ])('names what is wrong with an entry that has %s', (_, wrong, detail) => {
    const { problems } = readBundleIndex({ schemaVersion: 2, manifests: [wrong] })

    expect(problems[0]?.code).toBe('cnab.index.invalid')
    expect(problems.map((problem) => problem.detail).join()).toContain(detail)
  })

  test('refuses a component that the bundle does not name', () => {
    const read = { invocation: [], components: { ghost: entry }, problems: [] }

    expect(relocationOf(bundle, read, repository).problems).toHaveLength(1)
  })
})

test('the last form of a config manifest is Docker schema 2 with the configuration for its one layer', () => {
  const forms = configManifestsOf(configBlobOf(bundle)).map(({ bytes }) => JSON.parse(String(bytes)))

  expect(forms.map(({ layers }) => layers?.length)).toEqual([undefined, undefined, 1])
  expect(forms.map((form) => configBlobIn(form)?.digest)).toEqual(
    Array(3).fill(digestOf(configBlobOf(bundle))),
  )
})

const golden = '../shared/corpus/cnab/oci'
test.skipIf(!existsSync(golden))('the recorded bundle gives the recorded bytes', () => {
  const blob = readFileSync(`${golden}/my-app.config-blob.json`)
  const document: JsonObject = JSON.parse(blob.toString())
  const [manifest] = configManifestsOf(blob)
  const index = bundleIndexOf({
    bundle: document,
    relocation: Object.fromEntries(
      [
        ['image-1', '1'],
        ['another-image', '2'],
        ['my-app-invoc', '3'],
      ].map(([name, sign]) => [
        `my.registry/namespace/${name}`,
        `my.registry/namespace/my-app@sha256:d59a1aa7866258751a261bae525a1842c7ff0662d4f34a355d5f36826abc034${sign}`,
      ]),
    ),
    repository: 'my.registry/namespace/my-app',
    configManifest: {
      mediaType: manifest?.mediaType ?? '',
      digest: digestOf(manifest?.bytes ?? ''),
      size: manifest?.bytes.byteLength ?? 0,
    },
  })

  expect(Buffer.from(configBlobOf(document)).equals(blob)).toBe(true)
  expect(String(manifest?.bytes)).toBe(readFileSync(`${golden}/my-app.config-manifest.json`, 'utf8'))
  expect(index.kind === 'index' && String(index.documents[0].bytes)).toBe(
    readFileSync(`${golden}/my-app.index.json`, 'utf8'),
  )
})
