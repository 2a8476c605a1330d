import { describe, expect, test } from 'vitest'
import { bundleOf, document } from '../../../test/cnab/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { readBundle } from './format.ts'

function warningsOf(fragment: JsonObject): readonly (readonly (string | undefined)[])[] {
  const reading = readBundle(document(fragment).bytes)
  return reading.kind === 'bundle'
    ? reading.warnings.map(({ code, where, detail }) => [code, where?.pointer, detail])
    : [['refused']]
}

test('null stands for an empty map or list', () => {
  const empty = {
    images: null,
    parameters: null,
    credentials: null,
    outputs: null,
    actions: null,
    custom: null,
  }
  const bundle = bundleOf({
    ...empty,
    definitions: null,
    requiredExtensions: null,
    keywords: null,
    maintainers: null,
  })

  expect(bundle).toMatchObject({ images: {}, parameters: {}, keywords: [], requiredExtensions: [] })
})

test('what is not known is left out with a word about what may be meant', () => {
  expect(warningsOf({ paramaters: {}, nonsense: 1 })).toEqual([
    ['cnab.bundle.questionable', '/paramaters', 'is not known; did you mean "parameters"?'],
    ['cnab.bundle.questionable', '/nonsense', 'is not known'],
  ])
})

test('a key that is there twice is told of', () => {
  const text = new TextDecoder().decode(document({}).bytes)
  const reading = readBundle(new TextEncoder().encode(text.replace('{', '{"name":"other",')))

  expect(reading).toMatchObject({
    warnings: [{ code: 'cnab.bundle.questionable', where: { pointer: '/name' } }],
  })
})

test('a byte order mark does not matter', () => {
  const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), document({}).bytes])

  expect(readBundle(bytes).kind).toBe('bundle')
})

test('integers of any size are kept digit by digit', () => {
  const text = new TextDecoder().decode(
    document({ definitions: { d: { type: 'integer', default: 1 } } }).bytes,
  )
  const reading = readBundle(
    new TextEncoder().encode(text.replace('"default":1', '"default":9007199254740993')),
  )

  expect(JSON.stringify(reading.kind === 'bundle' && reading.bundle.definitions['d'])).toContain(
    '9007199254740993',
  )
})

test.each([
  ['an image without digest is told of', { invocationImages: [{ image: 'a:1' }] }, 'cnab.image.unpinned'],
  [
    'a digest that is none is told of',
    { invocationImages: [{ image: 'a:1', contentDigest: 'sha256:abc' }] },
    'cnab.image.digest',
  ],
  ['a version of the future is told of', { schemaVersion: '2.0.0' }, 'cnab.bundle.questionable'],
  [
    'a variable of the old years is told of',
    { definitions: { d: {} }, parameters: { p: { definition: 'd', destination: { env: 'CNAB_P_X' } } } },
    'cnab.bundle.questionable',
  ],
])('%s, and the bundle is read', (_, fragment, code) => {
  expect(warningsOf(fragment)).toEqual([[code, expect.any(String), expect.any(String)]])
})

test('a digest in the reference needs no other', () => {
  expect(warningsOf({ invocationImages: [{ image: `a@sha256:${'b'.repeat(64)}` }] })).toEqual([])
})

describe('parameters from before 1.0', () => {
  test.each([
    ['bool and defaultValue', { type: 'bool', defaultValue: true }, { type: 'boolean', default: true }],
    [
      'int, minValue and maxValue',
      { type: 'int', minValue: 1, maxValue: 9 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    ['bytes', { type: 'bytes' }, { type: 'string', contentEncoding: 'base64' }],
    ['allowedValues', { type: 'string', allowedValues: ['a'] }, { type: 'string', enum: ['a'] }],
    [
      'exclusive flags',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
  ])('are read with %s', (_, inline, definition) => {
    const bundle = bundleOf({
      schemaVersion: 'v1.0.0-WD',
      parameters: { p: { ...inline, destination: { env: 'P' } } },
    })
    const name = bundle.parameters['p']?.definition ?? ''

    expect([bundle.legacy, bundle.definitions[name]]).toEqual([true, definition])
  })

  test('say in other words what they apply to and what they are for', () => {
    const bundle = bundleOf({
      parameters: { 'my-port': { type: 'int', 'apply-to': ['install'], metadata: { description: 'Port.' } } },
    })

    expect(bundle.parameters['my-port']).toMatchObject({
      applyTo: ['install'],
      description: 'Port.',
      env: 'CNAB_P_MY-PORT',
    })
  })
})

test.each([
  ['duffle.json', { invocationImages: { cnab: { builder: 'docker' } } }],
  ['porter.yaml', { mixins: ['exec'], install: [] }],
])('a build file is called by its name: %s', (name, fragment) => {
  const reading = readBundle(document(fragment).bytes)

  expect(reading.kind === 'refused' && reading.problems[0]).toMatchObject({
    code: 'cnab.bundle.not-a-bundle',
    detail: expect.stringContaining(name),
  })
})
