import { expect, test } from 'vitest'
import { compilePattern } from './pattern.ts'

test.each([
  ['^a+$', 'aaa', true],
  ['(?i)ABC', 'xabcx', true],
  ['[[:alpha:]]+', '12', false],
  ['\\pL', 'é', true],
  ['^(a+)+$', `${'a'.repeat(50_000)}!`, false],
])('%s in a text is %s', (source, text, found) => {
  const pattern = compilePattern(source)

  expect(pattern.kind === 'pattern' && pattern.found(text)).toBe(found)
})

test.each([
  ['a(?=b)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
  ['(', 'error parsing regexp: missing closing ): `(`'],
  ['a{2000}', 'error parsing regexp: invalid repeat count: `{2000}`'],
])('%s is refused as Go refuses it', (source, message) => {
  expect(compilePattern(source)).toEqual({ kind: 'refused', message })
})

test('a repetition weighs what it unfolds to', () => {
  const [one, many] = [compilePattern('a'), compilePattern('a{1000}')]

  expect(one.kind === 'pattern' && many.kind === 'pattern' && many.weight > 100 * one.weight).toBe(true)
})
