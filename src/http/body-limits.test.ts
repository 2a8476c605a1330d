import { expect, test } from 'vitest'
import { parseJson } from '../kit/exact.ts'
import { type BodyLimits, refuseTooMuch } from './body-limits.ts'

const limits: BodyLimits = { bytes: 1_000_000, depth: 3, keys: 5, text: 12 }

test.each([
  ['nesting up to the limit', '{"a": [{}]}'],
  ['a number of many digits where nothing may be nested any more', '{"a": [{"b": 12345678901}]}'],
  ['as many keys as allowed, over several objects', '[{"a": 1, "b": 2}, {"c": {"d": 1, "e": 1}}]'],
  ['a text of as many bytes as allowed', '"éééééé"'],
  ['a key of as many bytes as allowed', '{"012345678901": 1}'],
  ['a list of more values than keys are allowed', '[1, 2, 3, 4, 5, 6, 7]'],
  ['nothing at all', 'null'],
])('%s passes', (_what, text) => {
  expect(() => refuseTooMuch(parseJson(text), limits)).not.toThrow()
})

test.each([
  ['nesting', '{"a": [{"b": {}}]}', '/a/0/b', 'nested deeper than 3', 'limits.jsonDepth'],
  ['nesting in lists', '[[[[]]]]', '/0/0/0', 'nested deeper than 3', 'limits.jsonDepth'],
  [
    'keys of one object',
    '{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}',
    '',
    'more than 5 keys in all',
    'limits.jsonKeys',
  ],
  [
    'keys of all objects',
    '{"a": {"b": 1, "c": 1}, "d/e": [{"f": 1, "g": 1}]}',
    '/d~1e/0',
    'more than 5 keys in all',
    'limits.jsonKeys',
  ],
  ['a text', '{"a": ["0123456789012"]}', '/a/0', 'a text of more than 12 bytes', 'limits.jsonText'],
  ['a text by its bytes', '{"a": "ééééééé"}', '/a', 'a text of more than 12 bytes', 'limits.jsonText'],
  ['a key', '{"a": {"0123456789012": 1}}', '/a', 'a key of more than 12 bytes', 'limits.jsonText'],
  ['a number', '{"a": 1234567890123456789}', '/a', 'a number of more than 12 bytes', 'limits.jsonText'],
])('too much %s is refused with its place, what was allowed, and the setting', (...row) => {
  const [, text, place, what, setting] = row

  expect(() => refuseTooMuch(parseJson(text), limits)).toThrow(
    expect.objectContaining({
      problem: {
        code: 'request.malformed',
        detail: `${what} (${setting})`,
        where: { source: 'body', pointer: place },
        hint: `Send less, or raise ${setting}.`,
      },
    }),
  )
})

test('a place whose name nobody could read ends further out', () => {
  const generous = { ...limits, text: 10_000 }
  const body = { a: { ['x'.repeat(2000)]: { b: [] } } }

  expect(() => refuseTooMuch(body, generous)).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({ where: { source: 'body', pointer: '/a' } }),
    }),
  )
})
