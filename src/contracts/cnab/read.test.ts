import { describe, expect, test } from 'vitest'
import {
  document,
  imageDigest,
  jobFor,
  packageOf,
  readAs,
  seenBy,
  situation,
} from '../../../test/cnab/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { Artifact } from '../../model/artifact.ts'
import { fail } from '../../model/problem.ts'
import type { Lookup } from '../contract.ts'
import { cnab } from './index.ts'
import { notesOf } from './notes.ts'

const archive = (...paths: readonly string[]): Artifact => ({
  kind: 'archive',
  reference: 'x.tgz',
  digest: imageDigest,
  entries: paths.map((path) => ({ path, bytes: 1, mode: 0o644 })),
  file: () => Promise.resolve(undefined),
})
const index = (annotations: JsonObject): Artifact => ({
  kind: 'image',
  reference: 'docker://x/y:1',
  digest: imageDigest,
  annotations: {},
  mediaType: 'application/vnd.oci.image.index.v1+json',
  manifest: { annotations, manifests: [] },
  config: {
    entrypoint: ['/x'],
    command: [],
    environment: [],
    user: '',
    workingFolder: '',
    volumes: [],
    labels: {},
    platform: { os: 'linux', architecture: 'amd64' },
  },
  blob: () => Promise.resolve(undefined),
})

test.each<[string, Artifact, string]>([
  ['a bundle.json', document({}), 'certain'],
  [
    'another document',
    { kind: 'document', reference: 'x', digest: imageDigest, bytes: Buffer.from('{"a":1}') },
    'no',
  ],
  ['an archive with a bundle.json', archive('bundle.json', 'README'), 'certain'],
  ['an archive with one further down', archive('app/bundle.json'), 'no'],
  [
    'the index of a bundle',
    index({ 'org.opencontainers.artifactType': 'application/vnd.cnab.manifest.v1' }),
    'certain',
  ],
  ['an image', index({}), 'no'],
])('%s is recognised as it should be', (_, artifact, expected) => {
  expect(cnab.recognise(artifact)).toBe(expected)
})

const unpinned = { invocationImages: [{ image: 'registry.example/app:1' }] }
const needs = (bundle: string, version: JsonObject = {}) => ({
  requiredExtensions: ['io.cnab.dependencies'],
  custom: { 'io.cnab.dependencies': { requires: { db: { bundle, version } } } },
})

/** What there is outside, by reference. */
function lookup(there: Readonly<Record<string, Artifact>>, tags: readonly string[] = []): Lookup {
  return {
    open: (reference) => Promise.resolve(there[reference] ?? fail('artifact.not-found', reference)),
    tags: () => Promise.resolve(tags),
  }
}

describe('what would keep a bundle from being run is said when it is read', () => {
  test.each<[string, JsonObject, Parameters<typeof readAs>[1], readonly string[]]>([
    ['an image that only a tag names', unpinned, {}, ['cnab.image.unpinned']],
    [
      'an image of a type that nothing runs',
      { invocationImages: [{ image: 'a:1', imageType: 'qcow' }] },
      {},
      ['cnab.image.unfit'],
    ],
    [
      'a digest that is none',
      { invocationImages: [{ image: 'a:1', contentDigest: 'sha256:aaa...' }] },
      {},
      ['cnab.image.digest'],
    ],
    [
      'two digests for one image',
      { invocationImages: [{ image: `a@sha256:${'b'.repeat(64)}`, contentDigest: imageDigest }] },
      {},
      ['cnab.image.digest'],
    ],
    [
      'an extension that nobody knows',
      { requiredExtensions: ['x.y'], custom: { 'x.y': {} } },
      {},
      ['cnab.extension.unsupported'],
    ],
    [
      'an extension that cannot be understood',
      { requiredExtensions: ['io.cnab.dependencies'], custom: { 'io.cnab.dependencies': [] } },
      {},
      ['cnab.extension.invalid', 'cnab.dependency.invalid'],
    ],
    [
      'the socket without consent',
      { requiredExtensions: ['io.cnab.docker'], custom: { 'io.cnab.docker': null } },
      {},
      ['cnab.docker.consent'],
    ],
    [
      'the machine itself, consent or not',
      { requiredExtensions: ['io.cnab.docker'], custom: { 'io.cnab.docker': { privileged: true } } },
      { options: { allowDockerHostAccess: true } },
      ['cnab.docker.consent'],
    ],
    [
      'a dependency that is nowhere',
      needs('registry.example/db:1'),
      { lookup: lookup({}) },
      ['artifact.not-found'],
    ],
    [
      'a dependency without a version',
      needs('registry.example/db'),
      { lookup: lookup({}, ['edge']) },
      ['cnab.dependency.unresolved'],
    ],
    [
      'a dependency with one of its own that is nowhere',
      needs('registry.example/db:1'),
      { lookup: lookup({ 'docker://registry.example/db:1': document(needs('x/y:1')) }) },
      ['artifact.not-found'],
    ],
    ['options that are none', {}, { options: { allowEverything: true } }, ['cnab.options.invalid']],
    [
      'a service that is none',
      { custom: { 'io.chandler.service': { plans: [] } } },
      {},
      ['cnab.service.invalid'],
    ],
    [
      'plans that are none',
      { custom: { 'io.chandler.service': { plans: [null] } } },
      {},
      ['cnab.service.invalid'],
    ],
    [
      'a plan whose values do not fit',
      { custom: { 'io.chandler.service': { plans: [{ name: 'a', parameters: { x: 1 } }] } } },
      {},
      ['cnab.plan.invalid'],
    ],
    [
      'a parameter set whose values lie elsewhere',
      {},
      { options: { parameterSets: [{ name: 's', parameters: [{ name: 'x', source: { env: 'X' } }] }] } },
      ['cnab.set.invalid'],
    ],
  ])('%s', async (_, fragment, more, codes) => {
    expect(await readAs(fragment, more)).toEqual(codes)
  })
})

describe('what the operator allows is done', () => {
  test('a tag is followed once, and the image is that digest from then on', async () => {
    const pkg = await packageOf(unpinned, {
      options: { allowUnpinnedImages: true },
      lookup: lookup({ 'docker://registry.example/app:1': index({}) }),
    })

    expect(notesOf(pkg).image).toEqual({ reference: 'docker://registry.example/app:1', digest: imageDigest })
  })

  test.each([
    [
      'extensions by name',
      { requiredExtensions: ['x.y'], custom: { 'x.y': {} } },
      { allowExtensions: ['x.y'] },
    ],
    [
      'the socket',
      { requiredExtensions: ['io.cnab.docker'], custom: { 'io.cnab.docker': null } },
      { allowDockerHostAccess: true },
    ],
  ])('%s', async (_, fragment, options) => {
    expect(await packageOf(fragment, { options })).toMatchObject({ name: 'app' })
  })

  test.each([
    [
      'the version of a range',
      needs('registry.example/db', { ranges: ['1.x'] }),
      { dependencyVersions: 'max-minor' },
      'docker://registry.example/db:v1.4.0',
    ],
    ['another place', needs('registry.example/db:1'), { dependencies: { db: './db.tgz' } }, './db.tgz'],
  ])('dependencies are found by %s', async (_, fragment, options, place) => {
    const there = { [place]: document({ name: 'database' }, place) }
    const pkg = await packageOf(fragment, { options, lookup: lookup(there, ['v1.4.0', 'v2.0.0', 'v1.0.0']) })

    expect(notesOf(pkg).dependencies).toEqual([
      expect.objectContaining({ alias: 'db', text: expect.stringContaining('"database"') }),
    ])
  })
})

test('the bytes of the bundle are kept as they came', async () => {
  const artifact = document({ description: 'spaces  and\n\u20ac' })
  const odd = {
    ...artifact,
    bytes: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(artifact.bytes), Buffer.from('\n\n')]),
  }
  const reading = await cnab.read(odd, { options: {} })

  expect(reading.kind === 'package' && Buffer.from(notesOf(reading.package).text)).toEqual(odd.bytes)
})

test('a bundle that an old tool signed in clear is read before any other', async () => {
  const inner = Buffer.from(document({ name: 'signed' }).bytes).toString()
  const armour = (text: string) =>
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${text}\n-----BEGIN PGP SIGNATURE-----\n\nwsBc\n-----END PGP SIGNATURE-----\n`
  const files: Record<string, string> = {
    'bundle.cnab': armour(inner),
    'bundle.json': Buffer.from(document({}).bytes).toString(),
  }
  const both: Artifact = {
    ...archive('bundle.cnab', 'bundle.json'),
    kind: 'archive',
    entries: [{ path: 'bundle.cnab', bytes: 1, mode: 0o644 }],
    file: (path) => Promise.resolve(path in files ? Buffer.from(files[path] ?? '') : undefined),
  }
  const reading = await cnab.read(both, { options: {} })

  expect(cnab.recognise(both)).toBe('certain')
  expect(reading.kind === 'package' && [reading.package.name, notesOf(reading.package).text]).toEqual([
    'signed',
    inner,
  ])
})

test('bounds and defaults of 64 bits are valid, and keep every digit', async () => {
  const text = JSON.stringify({
    schemaVersion: '1.2.0',
    name: 'app',
    version: '1.0.0',
    invocationImages: [{ image: 'registry.example/app:1', contentDigest: imageDigest }],
    definitions: { big: { type: 'integer', minimum: 0, maximum: 'MAX', default: 'MAX', enum: [0, 'MAX'] } },
    parameters: { big: { definition: 'big', destination: { env: 'BIG' } } },
  }).replaceAll('"MAX"', '9223372036854775807')
  const artifact = { ...document({}), bytes: new TextEncoder().encode(text) }
  const reading = await cnab.read(artifact, { options: {} })
  if (reading.kind !== 'package') throw new Error(JSON.stringify(reading))

  expect(seenBy(jobFor({ kind: 'provision' }, situation(reading.package))).env['BIG']).toBe(
    '9223372036854775807',
  )
})
