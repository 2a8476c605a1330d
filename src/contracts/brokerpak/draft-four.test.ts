import { expect, test } from 'vitest'
import { exactInteger } from '../../kit/exact.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { checkDraftFour } from './draft-four.ts'

function faults(schema: JsonObject, value: Json): unknown {
  const checked = checkDraftFour({ properties: { v: schema } }, { v: value })
  return checked.kind === 'checked' ? checked.faults : checked.message
}

test.each([
  [{ exclusiveMaximum: 10 }, 10, ['v: Must be less than 10']],
  [{ maximum: 10, exclusiveMaximum: true }, 10, ['v: Must be less than 10']],
  [{ exclusiveMinimum: 1 }, 1, ['v: Must be greater than 1']],
  [{ const: 5 }, 6, ['v: v does not match: 5']],
  [
    { propertyNames: { pattern: '^a' } },
    { b: 1 },
    ['b: Property name of "b" does not match', "v: Does not match pattern '^a'"],
  ],
  [{ type: 'integer' }, exactInteger('9007199254740993'), []],
  [{ multipleOf: 0.01 }, 4.35, []],
  [{ maxLength: 2 }, '😀😀', []],
  [{ enum: ['a'] }, 'b', ['v: v must be one of the following: "a"']],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 2, ['v: Must validate at least one schema (anyOf)']],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ['v: Must validate one and only one schema (oneOf)']],
  [{ not: { type: 'string' } }, 'x', ['v: Must not validate the schema (not)']],
  [
    { additionalProperties: false, properties: { a: {} } },
    { b: 1 },
    ['v: Additional property b is not allowed'],
  ],
  [
    { patternProperties: { '^x': { type: 'string' } } },
    { xy: 1 },
    ['v.xy: Invalid type. Expected: string, given: integer'],
  ],
  [
    { uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    ['v: array items[0,1] must be unique'],
  ],
  [{ pattern: '(?=a)' }, 'a', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  [{ type: 'text' }, 'a', expect.stringContaining('has a primitive type that is NOT VALID')],
])('%j of %j gives %j', (schema, value, wanted) => {
  expect(faults(schema as JsonObject, value as Json)).toEqual(wanted)
})

test('a pattern that would take for ever elsewhere ends at once', () => {
  expect(faults({ pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`)).toHaveLength(1)
})
