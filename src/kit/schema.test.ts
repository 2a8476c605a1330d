import { expect, test } from 'vitest'
import { compileSchema } from './schema.ts'

function faults(schema: Parameters<typeof compileSchema>[0], value: unknown): readonly string[] {
  const compiled = compileSchema(schema)
  if (compiled.kind === 'refused') return [`refused: ${compiled.message}`]
  return compiled.check(value).map((fault) => `${fault.pointer} ${fault.message}`)
}

test.each([
  [
    'draft-04 with a boolean exclusiveMinimum',
    { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
    1,
    [' must be > 1'],
  ],
  [
    'draft-06',
    { $schema: 'http://json-schema.org/draft-06/schema#', const: 1 },
    2,
    [' must be equal to constant'],
  ],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }, 'x', []],
  ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'string' }, 'x', []],
  [
    '2020-12',
    { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] },
    [1],
    ['/0 must be string'],
  ],
  [
    'no draft named',
    { type: 'object', required: ['a'], additionalProperties: false },
    { b: 1 },
    ['/a is required', '/b is not known here'],
  ],
  ['an enum', { enum: ['a', 'b'] }, 'c', [' must be one of "a", "b"']],
])('a value is checked by %s', (_, schema, value, expected) => {
  expect(faults(schema, value)).toEqual(expected)
})

test.each(['(?i)abc', '\\Aabc\\z', '[[:alpha:]]+', '(?P<n>x)?abc', '[\\@a]bc'])(
  'the Go pattern %s is understood',
  (pattern) => {
    expect(faults({ pattern }, 'abc')).toEqual([])
  },
)

test('a pattern that would hang a backtracking engine answers', () => {
  expect(faults({ pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`)).toEqual([' must match pattern "^(a+)+$"'])
})

test('two schemas with one $id do not meet', () => {
  expect(faults({ $id: 'http://x.example/s', type: 'string' }, 'x')).toEqual([])
  expect(faults({ $id: 'http://x.example/s', type: 'number' }, 'x')).toEqual([' must be number'])
})

test.each([
  ['an unknown draft', { $schema: 'http://example.org/own' }],
  ['a remote reference', { $ref: 'http://example.org/other.json' }],
  ['a schema that is a list', []],
])('%s is refused', (_, schema) => {
  expect(compileSchema(schema).kind).toBe('refused')
})

test.each([
  ['a look-ahead', { pattern: '^(?!admin)[a-z]+$' }, 'admin', [' must match pattern "^(?!admin)[a-z]+$"']],
  ['a look-ahead that fits', { pattern: '^(?!admin)[a-z]+$' }, 'guest', []],
  ['base64 with padding', { contentEncoding: 'base64' }, 'aGVsbG8=', []],
  [
    'base64 without its padding',
    { contentEncoding: 'base64' },
    'aGVsbG8',
    [' must be base64 with padding and without line breaks'],
  ],
  ['another encoding', { contentEncoding: '7bit' }, 'é', []],
])('read exactly, %s is judged', (_, schema, value, expected) => {
  const compiled = compileSchema(schema, 'exact')

  expect(
    compiled.kind === 'check' && compiled.check(value).map((fault) => `${fault.pointer} ${fault.message}`),
  ).toEqual(expected)
})

test('a look-ahead that would hang is given up', () => {
  const compiled = compileSchema({ pattern: '^(?=(a+)+$)b' }, 'exact')

  expect(compiled.kind === 'check' && compiled.check(`${'a'.repeat(60)}!`)).toHaveLength(1)
})

const doubling = (depth: number) => ({
  $ref: '#/definitions/d0',
  definitions: Object.fromEntries(
    Array.from({ length: depth + 1 }, (_, i) => [
      `d${i}`,
      i === depth
        ? { type: 'string' }
        : { allOf: [{ $ref: `#/definitions/d${i + 1}` }, { $ref: `#/definitions/d${i + 1}` }] },
    ]),
  ),
})

test.each([
  ['refers to itself', { $ref: '#' }],
  ['refers to itself among others', { allOf: [{ type: 'string' }, { $ref: '#' }] }],
  ['doubles the work with each step', doubling(60)],
])('a schema that %s is given up, not followed for ever', (_, schema) => {
  expect(faults(schema, 'x')).toEqual([expect.stringMatching(/too much work|must be|refused/)])
})
