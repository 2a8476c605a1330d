/** Values made from schemas are taken by them, or refused, as they should be. */
import { expect, test } from 'vitest'
import type { JsonObject } from './json.ts'
import { compileSchema } from './schema.ts'
import { brokenOf, sampleOf, variantOf } from './schema-sample.ts'

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  properties,
  ...(Object.keys(properties).length > 0 ? { required: Object.keys(properties) } : {}),
  ...more,
})

test.each<readonly [string, JsonObject]>([
  ['nothing required', { type: 'object', properties: { a: { type: 'string' } } }],
  ['a number between bounds', object({ a: { type: 'integer', minimum: 7, maximum: 9 } })],
  [
    'a number above an excluded bound',
    object({ a: { type: 'integer', minimum: 7, exclusiveMinimum: true } }),
  ],
  ['a multiple', object({ a: { type: 'integer', minimum: 10, multipleOf: 8 } })],
  ['a number that is negative', object({ a: { type: 'number', maximum: -3 } })],
  ['a text of some length', object({ a: { type: 'string', minLength: 12, maxLength: 14 } })],
  ['a text in a format', object({ a: { type: 'string', format: 'uuid' } })],
  ['a name with a pattern', object({ a: { type: 'string', pattern: '^[a-z][a-z0-9-]{2,20}$' } })],
  [
    'a network with a pattern',
    object({ a: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+\\.\\d+/\\d+$' } }),
  ],
  ['one of several', object({ a: { enum: ['x', 'y'] } })],
  ['a default', object({ a: { type: 'string', pattern: '^strange$', default: 'strange' } })],
  ['a list with items', object({ a: { type: 'array', minItems: 2, items: { type: 'boolean' } } })],
  ['an object inside', object({ a: object({ b: { type: 'integer' } }) })],
  [
    'a reference',
    object({ a: { $ref: '#/definitions/size' } }, { definitions: { size: { type: 'integer', minimum: 3 } } }),
  ],
  ['a choice', object({ a: { oneOf: [{ type: 'integer' }, { type: 'string' }] } })],
  ['parts', object({}, { allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'integer' } })] })],
])('%s', (_what, schema) => {
  const sample = sampleOf(schema)
  const compiled = compileSchema(schema)

  expect(compiled.kind === 'check' && sample !== undefined && compiled.check(sample)).toEqual([])
})

test('what no value can be made for is said to have none', () => {
  expect(sampleOf(object({ a: { type: 'string', pattern: '^\\d{4}-[aeiou]{3}$' } }))).toBeUndefined()
  expect(sampleOf(object({ a: { $ref: '#/properties/a' } }))).toBeUndefined()
})

test('a variant differs and is valid; a broken one is not valid', () => {
  const schema = object({ a: { type: 'integer', minimum: 1, maximum: 2 } })

  expect(variantOf(schema, { a: 1 })).toEqual({ a: 2 })
  expect(variantOf(object({ a: { enum: ['only'] } }), { a: 'only' })).toBeUndefined()
  expect(brokenOf(schema, { a: 1 })).toEqual({ a: { wrong: true } })
  expect(brokenOf({ type: 'object', properties: { a: {} } }, {})).toBeUndefined()
})
