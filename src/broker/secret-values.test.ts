import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../kit/json.ts'
import { partSecrets } from './secret-values.ts'

const secret = { writeOnly: true }
const cases: readonly (readonly [string, JsonObject, Json, Json | undefined, readonly Json[]])[] = [
  ['by name', { properties: { pin: secret } }, { pin: 48_151_623, size: 1 }, { size: 1 }, [48_151_623]],
  [
    'in an object',
    { properties: { admin: { properties: { password: secret } } } },
    { admin: { name: 'ann', password: 'p' } },
    { admin: { name: 'ann' } },
    ['p'],
  ],
  [
    'behind a reference',
    { properties: { token: { $ref: '#/definitions/secret~1text' } }, definitions: { 'secret/text': secret } },
    { token: 't' },
    {},
    ['t'],
  ],
  [
    'behind an anchor',
    { properties: { token: { $ref: '#s' } }, $defs: { x: { ...secret, $anchor: 's' } } },
    { token: 't' },
    {},
    ['t'],
  ],
  [
    'in one of several',
    { oneOf: [{}, { allOf: [{ properties: { key: secret } }] }] },
    { key: 'k' },
    {},
    ['k'],
  ],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  ['under a condition', { if: {}, then: { properties: { key: secret } } }, { key: 'k' }, {}, ['k']],
  ['in a list', { properties: { keys: { items: secret } } }, { keys: ['a', 'b'] }, { keys: [] }, ['a', 'b']],
  ['at a place of a list', { prefixItems: [{}, secret] }, ['user', 'word'], ['user'], ['word']],
  [
    'by a pattern',
    { patternProperties: { '^secret_': secret } },
    { secret_a: 'a', b: 'b' },
    { b: 'b' },
    ['a'],
  ],
  [
    'as any other',
    { properties: { a: {} }, additionalProperties: secret },
    { a: 'a', b: 'b' },
    { a: 'a' },
    ['b'],
  ],
  ['as a whole', secret, { a: ['x', 1] }, undefined, [{ a: ['x', 1] }]],
  [
    'in a schema that refers to itself',
    { properties: { next: { $ref: '#' }, key: secret } },
    { key: 'a', next: { key: 'b', next: {} } },
    { next: { next: {} } },
    ['a', 'b'],
  ],
  [
    'in a circle of references',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    { x: 1 },
    { x: 1 },
    [],
  ],
]

test.each(
  cases.map(([name, schema, value, shown, secrets]) => ({ name, schema, value, parted: { shown, secrets } })),
)('a secret is found $name', ({ schema, value, parted }) => {
  expect(partSecrets(value, [schema])).toEqual(parted)
})

test('of several schemas one that marks is enough', () => {
  const update = { properties: { password: secret } }

  expect(partSecrets({ password: 'p' }, [{ properties: { password: {} } }, undefined, update])).toEqual({
    shown: {},
    secrets: ['p'],
  })
})
