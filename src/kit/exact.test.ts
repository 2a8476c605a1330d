import { expect, test } from 'vitest'
import { decode, encode } from './codec.ts'
import { approximate, exactInteger, isExact, parseJson } from './exact.ts'
import { canonical, deepEqual, type Json } from './json.ts'
import { compileSchema } from './schema.ts'

const big = '{"big":9007199254740993,"list":[-123456789012345678901234567890,1],"wide":1e400,"x":1.5}'

test('an integer of any size is written as it was read', () => {
  expect(JSON.stringify(parseJson(big))).toBe(big)
  expect(JSON.stringify(decode(encode(parseJson(big))))).toBe(big)
  expect(canonical(parseJson(big) as Json)).toBe(big)
})

test.each([
  '9007199254740993',
  ' -9007199254740993',
  '[9007199254740993,9007199254740995]',
  '{"a": 1.5e400}',
])('its digits are kept wherever it stands: %s', (text) => {
  expect(JSON.stringify(parseJson(text))).toBe(text.replaceAll(' ', ''))
})

test('a number that a double holds stays a number', () => {
  expect(parseJson('{"a":9007199254740991,"b":2.0,"text":"1234567890123456789"}')).toEqual({
    a: Number.MAX_SAFE_INTEGER,
    b: 2,
    text: '1234567890123456789',
  })
  expect(exactInteger('42')).toBe(42)
})

test('neighbours that are the same double are told apart', () => {
  const [one, two] = ['9007199254740992', '9007199254740993'].map(exactInteger)

  expect(deepEqual(one, two)).toBe(false)
  expect(deepEqual(two, exactInteger('9007199254740993'))).toBe(true)
})

test('an object that looks like an exact integer is none', () => {
  const value = parseJson('{"rawJSON":"9007199254740993"}')

  expect(isExact(value)).toBe(false)
  expect(approximate(value)).toEqual({ rawJSON: '9007199254740993' })
})

test('a schema takes an exact integer for a number', () => {
  const compiled = compileSchema({ type: 'object', properties: { big: { type: 'integer', maximum: 10 } } })

  expect(compiled.kind === 'check' && compiled.check(parseJson('{"big":9007199254740993}'))).toEqual([
    { pointer: '/big', message: 'must be <= 10' },
  ])
})
