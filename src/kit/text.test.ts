import { expect, test } from 'vitest'
import { nearest, plural, printable, shorten } from './text.ts'

test.each([
  ['lisen', ['listen', 'admin'], 'listen'],
  ['zzz', ['listen', 'admin'], undefined],
])('nearest to %s of %j is %s', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected)
})

test('texts are counted, cut and made safe to show', () => {
  expect([plural(1, 'plan'), plural(2, 'plan'), plural(0, 'entry', 'entries')]).toEqual([
    '1 plan',
    '2 plans',
    '0 entries',
  ])
  expect(shorten('abcdef', 4)).toBe('abc…')
  expect(printable('a\u001b[31m\u202eb\n')).toBe('a\ufffd[31m\ufffdb\n')
})
