import { expect, test } from 'vitest'
import { lastLines, nearest, plural, printable, shorten, sizeText } from './text.ts'

test.each([
  ['lisen', ['listen', 'admin'], 'listen'],
  ['zzz', ['listen', 'admin'], undefined],
  ['LISTEN', ['lists', 'listener', 'listen'], 'listen'],
  ['abcdefghi', ['abcdef', 'abcxyzghi', 'abcdefghijk'], 'abcdefghijk'],
  ['ab', ['abcd', 'abcde'], 'abcd'],
  ['ab', ['abcde', 'xyz'], undefined],
  ['', ['a', 'abc'], 'a'],
  ['x'.repeat(201), ['x'.repeat(201)], undefined],
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

test.each<readonly [string, string, readonly string[]]>([
  ['nothing', '\n \n', []],
  ['the last of many', 'one\ntwo\nthree\nfour\n', ['two', 'three', 'four']],
  ['without colours', '\u001b[31mred\u001b[0m\r\n', ['red']],
  ['without what moves a terminal', 'a\u0007b\u202ec', ['a\ufffdb\ufffdc']],
  ['no longer than together allowed', `${'x'.repeat(30)}\nlast`, [`${'x'.repeat(15)}…`, 'last']],
])('last lines: %s', (_what, text, lines) => {
  expect(lastLines(text, { lines: 3, characters: 20 })).toEqual(lines)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [16 * 1024 ** 2, '16.0 MiB'],
  [300 * 1024 ** 3, '300 GiB'],
  [5 * 1024 ** 5, '5120 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
