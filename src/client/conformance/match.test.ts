/** The matchers of conformance cases. */
import { expect, test } from 'vitest'
import type { Json } from '../../kit/json.ts'
import { match } from './match.ts'

const fits: readonly (readonly [Json, unknown])[] = [
  [5, 5],
  [null, null],
  ['text', 'text'],
  [{ a: 1 }, { a: 1, b: 2 }],
  [
    [1, { a: 1 }],
    [1, { a: 1, b: 2 }],
  ],
  ['$string', ''],
  ['$nonempty', 'x'],
  ['$object', {}],
  ['$array', []],
  ['$boolean', false],
  ['$integer', 3],
  ['$any', null],
  ['$absent', undefined],
  ['$string?', undefined],
  ['$nonempty?', 'x'],
  [{ $match: '^a+$' }, 'aaa'],
  [{ $maxLength: 3 }, 'abc'],
  [{ $oneOf: ['in progress', 'succeeded'] }, 'succeeded'],
  [{ $oneOf: ['$absent', 5] }, undefined],
  [{ $not: 'AsyncRequired' }, 'Other'],
  [{ $not: 'AsyncRequired' }, undefined],
  [{ $each: { id: '$nonempty' } }, [{ id: 'a' }, { id: 'b' }]],
  [{ $each: '$string', $optional: true }, undefined],
  [{ $contains: { id: 'b' } }, [{ id: 'a' }, { id: 'b' }]],
  [{ $minItems: 1 }, [1]],
  [{ $minKeys: 1 }, { a: 1 }],
  [{ $min: 1 }, 1],
  [{ $range: [500, 599] }, 503],
  [{ $uniqueBy: 'id' }, [{ id: 1 }, { id: 2 }]],
  [{ $optional: true, $onlyKeys: ['version'], version: '$string' }, { version: '1' }],
  [{ $optional: true, $onlyKeys: ['version'], version: '$string' }, undefined],
]

test.each(fits)('%j fits %j', (wanted, value) => {
  expect(match(wanted, value)).toEqual([])
})

const misses: readonly (readonly [Json, unknown, string])[] = [
  [5, '5', ''],
  [null, undefined, ''],
  [{ a: 1 }, { b: 1 }, '/a'],
  [{ a: 1 }, [], ''],
  [{ a: { b: 1 } }, { a: { b: 2 } }, '/a/b'],
  [[1], [1, 2], ''],
  ['$string', 1, ''],
  ['$string', undefined, ''],
  ['$nonempty', '', ''],
  ['$object', [], ''],
  ['$object', null, ''],
  ['$array', {}, ''],
  ['$boolean', 'true', ''],
  ['$boolean?', null, ''],
  ['$integer', 1.5, ''],
  ['$any', undefined, ''],
  ['$absent', null, ''],
  [{ $match: '^a+$' }, 'b', ''],
  [{ $match: '^a+$' }, undefined, ''],
  [{ $maxLength: 3 }, 'abcd', ''],
  [{ $maxLength: 3 }, '', ''],
  [{ $oneOf: [1, 2] }, 3, ''],
  [{ $not: 'AsyncRequired' }, 'AsyncRequired', ''],
  [{ $each: { id: '$nonempty' } }, [{ id: 'a' }, {}], '/1/id'],
  [{ $each: '$string' }, undefined, ''],
  [{ $contains: { id: 'b' } }, [{ id: 'a' }], ''],
  [{ $minItems: 1 }, [], ''],
  [{ $minKeys: 1 }, {}, ''],
  [{ $min: 1 }, 0, ''],
  [{ $range: [500, 599] }, 499, ''],
  [{ $uniqueBy: 'id' }, [{ id: 1 }, { id: 1 }], ''],
  [{ $onlyKeys: ['version'] }, { version: '1', public: 1 }, '/public'],
  [{ toString: '$any' }, {}, '/toString'],
]

test.each(misses)('%j does not fit %j at "%s"', (wanted, value, place) => {
  expect(match(wanted, value).map(({ pointer }) => pointer)).toEqual([place])
})

test('a matcher that does not exist is a fault of the case, not of the broker', () => {
  expect(() => match('$strnig', 'x')).toThrow('there is no matcher $strnig')
  expect(() => match({ $maxlength: 3 }, 'x')).toThrow('there is no matcher $maxlength')
})
