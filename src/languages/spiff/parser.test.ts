/** The grammar: what follows from ordered choice without keyword boundaries, and how faults are told. */
import { expect, test } from 'vitest'
import { parseExpression } from './parser.ts'
import { printExpr } from './print.ts'

function printed(text: string): string {
  const parsed = parseExpression(text)
  return 'expr' in parsed ? printExpr(parsed.expr) : parsed.fault.message
}

test.each([
  ['1 -2', '1 -2'],
  ['a- b', 'a- b'],
  ['a-b', 'a-b'],
  ['a || b ? c :d', 'a || b ? c : d'],
  ['a ? b :c || d', 'a ? b : c || d'],
  ['! a b', '!(a) b'],
  ['a[0]', 'a.[0]'],
  ['a[ 0 ]', 'a.[0]'],
  ['a (1)', 'a ( 1 )'],
  ['a *(1)', 'a *(( 1 ))'],
  ['a*(1)', 'a*(1)'],
  ['||->1', 'lambda||->1'],
  ['($a=1) a', '("a" = 1 ) a'],
  ['merge required a', 'merge a'],
  ['merge replace on k', 'merge replace on k'],
  ['lambdax', 'lambdax'],
  ['.mergex', '.mergex'],
  ['tag::.', 'tag::.'],
  ['"\u00e9\\n"', '"\u00e9\\n"'],
  ['1_000', '1000'],
  ['1.50', '1.5'],
])('%s reads as %s', (text, form) => {
  expect(printed(text)).toBe(form)
})

test.each([
  '1+2',
  'truex',
  'nil.x',
  '12a',
  'a:b:c',
  '"abc".x',
  '(1)2',
  'f(2,x=1)',
  'f(1==2)',
  '|x=1,y|->x',
  '[1,2,]',
  '{"a":1}',
  'a && b',
  '0x10',
  '1.',
  "'a'",
  '.',
  '&temporary 1',
  '&foo',
  '',
  '99999999999999999999',
  '1e999',
  '"\\q"',
])('%s is a fault', (text) => {
  expect(printed(text)).toMatch(/^parse error near line 1 column \d+: /)
})

test('a fault tells line and column in characters, what was found and what was expected', () => {
  const parsed = parseExpression('"\u{1f600}" +\n  )')

  expect('fault' in parsed && parsed.fault).toMatchObject({ line: 2, column: 3 })
  expect('fault' in parsed && parsed.fault.message).toContain('found ")", expected ')
})
