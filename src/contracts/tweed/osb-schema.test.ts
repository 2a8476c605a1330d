import { expect, test } from 'vitest'
import type { JsonObject } from '../../kit/json.ts'
import { compileSchema } from '../../kit/schema.ts'
import { noChoice, type OperatorChoice } from '../../model/package.ts'
import { inputSchema } from './inputs.ts'
import { publishedSchema } from './osb-schema.ts'

function publish(inputs: JsonObject, choice: Partial<OperatorChoice> = {}) {
  return publishedSchema(inputSchema(inputs), { ...noChoice, ...choice })
}

test('a pattern without inputs publishes a closed object', () => {
  expect(publish({})).toEqual({
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    properties: {},
    additionalProperties: false,
  })
})

test('what users may not send is not published, and what is preset is not required', () => {
  const inputs = {
    fixed: { type: 'string', required: true },
    preset: { type: 'integer', required: true },
    shut: { type: 'string' },
    own: { type: 'string', required: true },
  }
  const choice = { inputs: { fixed: 'f' }, defaults: { preset: 3 }, allow: ['preset', 'own'] }

  expect(publish(inputs, choice)).toEqual({
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    properties: { preset: { type: 'integer', default: 3 }, own: { type: 'string' } },
    additionalProperties: false,
    required: ['own'],
  })
})

test.each<[JsonObject, JsonObject]>([
  [{ const: 1 }, { enum: [1] }],
  [
    { exclusiveMinimum: 1, minimum: 0 },
    { minimum: 1, exclusiveMinimum: true },
  ],
  [{ exclusiveMinimum: 1, minimum: 2 }, { minimum: 2 }],
  [{ exclusiveMaximum: 9 }, { maximum: 9, exclusiveMaximum: true }],
  [
    { type: 'array', prefixItems: [{ const: 1 }], items: false },
    { type: 'array', items: [{ enum: [1] }], additionalItems: { not: {} } },
  ],
  [{ properties: { x: true, y: { const: 2 } } }, { properties: { x: {}, y: { enum: [2] } } }],
  [{ required: [] }, {}],
  [{ dependentRequired: { a: ['b'] } }, { dependencies: { a: ['b'] } }],
  [{ if: { type: 'string' }, else: false, $comment: 'x' }, {}],
  [
    { anyOf: [true, { const: 1 }], not: false },
    { anyOf: [{}, { enum: [1] }], not: { not: {} } },
  ],
  [
    { additionalProperties: false, format: 'email' },
    { additionalProperties: false, format: 'email' },
  ],
])('%j becomes %j', (schema, expected) => {
  const published = publish({ a: schema })

  expect(published?.['properties']).toEqual({ a: expected })
  expect(compileSchema(published ?? {}).kind).toBe('check')
})

test('rules across parameters are published only while users send all of them', () => {
  const inputs = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  }

  expect(publish(inputs)).toMatchObject({ anyOf: [{ required: ['a'] }, { required: ['b'] }] })
  expect(publish(inputs, { inputs: { a: 'x' } })).not.toHaveProperty('anyOf')
})

test('a schema that refers to what is hidden is not published at all', () => {
  const inputs = { a: { type: 'string' }, b: { $ref: '#/properties/a' } }

  expect(publish(inputs)).toBeDefined()
  expect(publish(inputs, { inputs: { a: 'x' } })).toBeUndefined()
})
