/** Which strings are expressions, and how they are kept from being one. */
import { expect, test } from 'vitest'
import { embedded, escapeText, unescapeKey, unescapeText } from './detect.ts'

test.each([
  ['(( 1 ))', ' 1 '],
  ['((1))', '1'],
  ['((!1))', undefined],
  [' (( 1 ))', undefined],
  ['(( 1 ))\n', undefined],
  ['x (( a ))', undefined],
])('%j alone is %j', (text, code) => {
  expect(embedded(text, false)).toBe(code)
})

test.each([
  ['x (( a ))', '"x " ( a )'],
  ['f((( d )))', '"f(" ( d ) ")"'],
  ['a (( "))" b )) c', '"a " ( "))" b ) " c"'],
  ['a ((! b )) c', undefined],
  ['a (( b )', undefined],
  ['(( a )) and (( b ))', ' a )) and (( b '],
])('with interpolation %j is %j', (text, code) => {
  expect(embedded(text, true)).toBe(code)
})

test('unescaping takes one exclamation mark', () => {
  expect(unescapeText('((!! a ))', false)).toBe('((! a ))')
  expect(unescapeText('x ((! a )) y', true)).toBe('x (( a )) y')
  expect(unescapeText('x ((! a )) y', false)).toBe('x ((! a )) y')
})

test('merge and control keys lose one exclamation mark, other keys none', () => {
  expect(['<<!', '<<!!', '<<<!', '<<!if', 'a!'].map(unescapeKey)).toEqual(['<<', '<<!', '<<<', '<<if', 'a!'])
})

test.each(['(( a ))', 'x (( a )) ((! b ))', '((! x ))', 'plain', '(((( a'])(
  'escaping %j is undone by unescaping',
  (text) => {
    expect(unescapeText(escapeText(text, true), true)).toBe(text)
  },
)
