import { expect, test } from 'vitest'
import { readMetadata } from './format.ts'

/** A picture of one pixel. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const head = 'pattern: tweed/v1\nname: X\nversion: 1.0.0\n'

function read(text: string) {
  return readMetadata(new TextEncoder().encode(text))
}

function problems(text: string): readonly unknown[] {
  const reading = read(text)
  return reading.kind === 'refused'
    ? reading.problems.map(({ code, where }) => [code, where?.line, where?.pointer])
    : []
}

function warnings(text: string): readonly unknown[] {
  const reading = read(head + text)
  return reading.kind === 'metadata'
    ? reading.warnings.map(({ code, detail }) => [code, detail])
    : ['refused']
}

test('all problems are told at once, each with its place', () => {
  const text = [
    'pattern: tweed/v1',
    'version: []',
    'authors: {a: b}',
    'files:',
    '  - filename: ok.yml',
    '  - {summary: no name}',
    '  - filename: ../up',
    'inputs:',
    '  size: {type: strnig}',
    '  color: red',
  ].join('\n')

  expect(problems(text)).toEqual([
    ['tweed.metadata.bad-name', 1, undefined],
    ['tweed.metadata.bad-version', 2, '/version'],
    ['tweed.metadata.bad-authors', 3, '/authors'],
    ['tweed.metadata.bad-files', 6, '/files/1'],
    ['tweed.metadata.bad-files', 7, '/files/2/filename'],
    ['tweed.metadata.bad-inputs', 9, '/inputs/size/type'],
    ['tweed.metadata.bad-inputs', 10, '/inputs/color'],
  ])
})

test('every syntax fault is told with its line', () => {
  expect(problems('pattern: tweed/v1\nname: a\nname: b\nversion: 1\nversion: 2\n')).toEqual([
    ['tweed.metadata.not-yaml', 3, undefined],
    ['tweed.metadata.not-yaml', 5, undefined],
  ])
})

test.each([
  ['- pattern: tweed/v1', 'tweed.metadata.not-a-map'],
  ['just words', 'tweed.metadata.not-a-map'],
  [`${head}weight: .inf\n`, 'tweed.metadata.not-json'],
  ['name: X\nversion: 1.0.0\n', 'tweed.metadata.not-a-pattern'],
  ['pattern: tweed/v9\nname: X\nversion: 1.0.0\n', 'tweed.metadata.unsupported-contract'],
])('%j is no metadata of a pattern', (text, code) => {
  expect(read(text)).toMatchObject({ kind: 'refused', problems: [{ code, where: { source: 'metadata' } }] })
})

test.each([
  ['x'.repeat(256), 'tweed.metadata.bad-name'],
  ['"  "', 'tweed.metadata.bad-name'],
])('a name that cannot be shown is refused', (name, code) => {
  expect(problems(`pattern: tweed/v1\nname: ${name}\nversion: 1\n`)).toEqual([[code, 2, '/name']])
})

test.each([
  ['summary: [a]', [['tweed.metadata.not-text', '"summary" is left out']]],
  ['summary: 1.10', [['tweed.metadata.not-text', '"summary" is taken as it is spelt']]],
  ['copyright: 2024', []],
  ['files: [{filename: a, summary: 1}]', [['tweed.metadata.not-text', '"summary" is left out']]],
  ['authors: Ada', [['tweed.metadata.authors-not-a-list', '"Ada"']]],
  [`icon: {base64: ${onePixel}}`, [['tweed.metadata.icon-size', 'it is 1x1']]],
  ['icon: text', [['tweed.metadata.icon', 'is no map with a text "base64"']]],
  ['icon: {base64: "!!!!"}', [['tweed.metadata.icon', 'is not base64']]],
  [`icon: {base64: ${'A'.repeat(400_000)}}`, [['tweed.metadata.icon', 'is larger than 262144 bytes']]],
  [`description: ${'x'.repeat(70_000)}`, [['tweed.metadata.too-long', 'only 65536 bytes are shown']]],
])('%.40s warns', (text, expected) => {
  expect(warnings(text)).toEqual(expected)
})

test('an unknown key comes with the one that was meant, and is kept', () => {
  const reading = read(`${head}descripton: x\n`)

  expect(reading).toMatchObject({
    kind: 'metadata',
    warnings: [{ code: 'tweed.metadata.unknown-key', hint: 'Write "description" instead.' }],
    metadata: { others: { descripton: 'x' } },
  })
})

test.each([
  ['1', 'ok'],
  ['2.0.1', 'ok'],
  ['1.2.3-rc.1+build5', 'ok'],
  ['1.10', 'warned'],
  ['v1.2.3', 'warned'],
  ['01.2.3', 'warned'],
  ['latest', 'warned'],
])('version %s is %s', (version, verdict) => {
  const reading = read(`pattern: tweed/v1\nname: X\nversion: ${version}\n`)

  expect(reading).toMatchObject({
    metadata: { version },
    warnings: verdict === 'ok' ? [] : [{ code: 'tweed.metadata.version-not-semver' }],
  })
})

test('authors and file names that are numbers keep their spelling', () => {
  const reading = read(`${head}authors: [1.10, Ada]\nfiles: [{filename: 2024}]\n`)

  expect(reading).toMatchObject({ metadata: { authors: ['1.10', 'Ada'], files: [{ filename: '2024' }] } })
})

test.each([
  ['inputs: {a: {$ref: "http://example.com/schema.json"}}', 'remote'],
  ['inputs: {a: {$ref: "#/properties/nothing"}}', 'dangling'],
  [`inputs: {a: {description: ${'x'.repeat(66_000)}}}`, 'too large'],
  ['inputs: {type: object, properties: {a: {type: strnig}}}', 'whole'],
])('inputs %.50s are refused (%s)', (text) => {
  expect(problems(head + text).map((problem) => (problem as string[])[0])).toEqual([
    'tweed.metadata.bad-inputs',
  ])
})

test.each([
  ['inputs: {a: {type: string}, b: {$ref: "#/properties/a"}}'],
  ['inputs: {a: {type: array, items: [{type: string}]}}'],
  ['inputs: {a: {type: array, prefixItems: [{type: string}]}}'],
  ['inputs: {__proto__: {type: string}, constructor: {type: string}}'],
])('%s is taken', (text) => {
  expect(problems(head + text)).toEqual([])
})
