import { expect, test } from 'vitest'
import type { Json, JsonObject } from './json.ts'
import { schemaAt, valueHint } from './value-hint.ts'

test.each<[type: JsonObject, value: Json, hint: string | undefined]>([
  [{ enum: ['memory', 'disk'] }, 'disc', 'Write "disk".'],
  [{ enum: ['memory', 'disk'] }, 'tape-drive', 'Write one of memory, disk.'],
  [{ enum: ['memory', 'disk'] }, ['disk'], 'Write one of memory, disk.'],
  [{ type: 'integer', enum: [10, 200] }, '10', 'Write 10.'],
  [{ type: 'array' }, 'a', 'Write a list: it: [a]'],
  [{ type: 'array' }, { a: 1 }, 'Write a list: it: […]'],
  [{ type: 'array', writeOnly: true }, 'secret', 'Write a list: it: […]'],
  [{ type: 'array', minItems: 1 }, [], undefined],
  [{ type: 'object' }, ['a'], 'Write a map: it: {…}'],
  [{ type: 'object', minProperties: 1 }, {}, undefined],
  [{ type: 'string' }, 7, 'Write it in quotation marks: it: "7"'],
  [{ type: 'string', writeOnly: true }, 7, 'Write a text: it: …'],
  [{ type: 'string' }, null, 'Write a text: it: …'],
  [{ type: 'string', minLength: 1 }, '', 'Write a text: it: …'],
  [{ type: 'string', minLength: 3 }, 'ab', undefined],
  [{ type: 'boolean' }, 'true', 'Write true or false, without quotation marks.'],
  [{ type: 'integer' }, '3', 'Write it without quotation marks: it: 3'],
  [{ type: 'integer', writeOnly: true }, '3', 'Write it without quotation marks.'],
  [{ type: 'integer' }, '1.5', 'Write a whole number.'],
  [{ type: 'integer' }, '', 'Write a whole number.'],
  [{ type: 'integer' }, 1.5, 'Write a whole number.'],
  [{ type: 'integer', maximum: 3 }, 5, undefined],
  [{ type: 'number' }, 'much', 'Write a number.'],
  [{ type: ['string', 'null'] }, 7, undefined],
])('instead of what breaks %j: %j, the author is told %s', (schema, value, hint) => {
  expect(valueHint('it', value, schema)).toBe(hint)
})

const schema = {
  properties: {
    hosts: { items: { type: 'string' } },
    limits: { additionalProperties: { type: 'number' } },
  },
}

test.each<[path: string, part: JsonObject]>([
  ['', schema],
  ['/hosts/0', { type: 'string' }],
  ['/limits/anything', { type: 'number' }],
  ['/limits/constructor', { type: 'number' }],
  ['/constructor', {}],
  ['/hosts/0/below', {}],
])('the part of a schema that speaks of %j is found', (path, part) => {
  expect(schemaAt(schema, path)).toEqual(part)
})
