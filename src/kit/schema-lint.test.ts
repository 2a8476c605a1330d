import { expect, test } from 'vitest'
import type { JsonObject } from './json.ts'
import { compileSchema } from './schema.ts'
import { lintSchema } from './schema-lint.ts'

const lint = (schema: JsonObject) => lintSchema(schema, { at: '/it', compile: compileSchema })

test.each<readonly [JsonObject, string, string, RegExp]>([
  [{ typ: 'string' }, '/it/typ', '"typ" says nothing in a JSON Schema; did you mean "type"?', /"type"/],
  [{ min: 1 }, '/it/min', '"min" says nothing in a JSON Schema; did you mean "minimum"?', /"minimum"/],
  [
    { type: 'array', max: 1 },
    '/it/max',
    '"max" says nothing in a JSON Schema; did you mean "maxItems"?',
    /./,
  ],
  [{ $shema: 'x' }, '/it/$shema', '"$shema" says nothing in a JSON Schema; did you mean "$schema"?', /./],
  [{ type: 'nil' }, '/it/type', 'type "nil" is not known', /"null"/],
  [{ type: 'password' }, '/it/type', 'type "password" is not known', /"string", and "writeOnly: true"/],
  [{ type: ['string', 'bolean'] }, '/it/type', 'type "bolean" is not known', /"boolean"/],
  [{ exclusiveMinimum: true }, '/it/exclusiveMinimum', 'exclusiveMinimum is no number', /Write a number/],
  [{ properties: ['a'] }, '/it/properties', 'properties is no map of schemas', /map/],
  [{ enum: ['a', 'b', 'a'] }, '/it/enum/2', 'enum has "a" twice', /Remove one/],
  [{ type: 'string', enum: ['a', null] }, '/it/enum/1', 'null of enum is not of the type string', /type/],
  [
    { properties: { host: {}, port: {} }, required: ['host', 'prot'] },
    '/it/required/1',
    'required "prot" is none of the properties',
    /"port"/,
  ],
  [{ $ref: 'https://example.com/a.json' }, '/it/$ref', 'leads out of the document', /nothing is fetched/],
  [{ type: 'integer', minLength: 1 }, '/it/minLength', 'says nothing of the type integer', /"minimum"/],
  [{ minItems: 3, maxItems: 2 }, '/it/minItems', 'minItems is above maxItems: no value fits', /Swap/],
  [
    { properties: { size: { type: 'integer', default: '3' } } },
    '/it/properties/size/default',
    'the default of size must be integer',
    /without quotation marks/,
  ],
  [{ items: [{ typ: 'string' }] }, '/it/items/0/typ', 'says nothing', /"type"/],
  [{ prefixItems: [{ type: 'int' }] }, '/it/prefixItems/0/type', 'is not known', /"integer"/],
])('of %j one thing is told', (schema, pointer, message, hint) => {
  expect(lint(schema)).toEqual([
    expect.objectContaining({
      pointer,
      message: expect.stringContaining(message),
      hint: expect.stringMatching(hint),
    }),
  ])
})

const draft4 = 'http://json-schema.org/draft-04/schema#'

test.each<readonly [string, JsonObject]>([
  ['exclusive bounds of draft 4', { $schema: draft4, minimum: 1, exclusiveMinimum: true }],
  ['the schema of schemas', { $ref: draft4 }],
  ['a schema by its name', { $id: 'https://example.com/a', definitions: { b: { $id: 'b' } }, $ref: 'b' }],
  ['null where it is allowed', { type: 'string', nullable: true, enum: ['a', null] }],
  ['a keyword of a tool', { 'x-types': ['a'], $typ: 'a' }],
  ['both of two near words', { type: 'string', typ: 'a' }],
  ['what a branch asks for', { anyOf: [{ properties: { host: {} }, required: ['host', 'port'] }] }],
  [
    'a near name after twenty that are near none',
    { properties: { host: {} }, required: [...Array.from({ length: 20 }, (_, i) => `other-${i}`), 'hots'] },
  ],
  ['newer keywords', { $defs: {}, $anchor: 'a', dependentRequired: { a: ['b'] }, minContains: 1 }],
  ['parameters with names of keywords', { properties: { typ: {}, requird: {}, default: {} } }],
  ['a default with a reference', { $defs: { a: { type: 'string' } }, $ref: '#/$defs/a', default: 1 }],
])('nothing is said of %s', (_name, schema) => {
  expect(lint(schema)).toEqual([])
})
