/** What a terminal would show of a line, without what it would do. */
import { expect, test } from 'vitest'
import { beginningOf, plainOf } from './ansi.ts'

test.each<[string, string, readonly (readonly [string, string])[]]>([
  ['plain', 'as it is', [['as it is', '']]],
  [
    'a colour that ends',
    '\u001b[31mred\u001b[0m plain',
    [
      ['red', 'ansi-red'],
      [' plain', ''],
    ],
  ],
  [
    'bright and strong',
    '\u001b[1;92mok\u001b[22m then',
    [
      ['ok', 'strong ansi-green'],
      [' then', 'ansi-green'],
    ],
  ],
  [
    'another colour',
    '\u001b[31ma\u001b[34mb\u001b[39mc',
    [
      ['a', 'ansi-red'],
      ['b', 'ansi-blue'],
      ['c', ''],
    ],
  ],
  ['a colour of the large palette is passed over', '\u001b[38;5;31mtext', [['text', '']]],
  [
    'moves of the cursor, titles of windows and bells do nothing',
    '\u001b[2Ka\u001b]0;title\u0007b\u0007',
    [
      ['a', ''],
      ['b', ''],
    ],
  ],
  ['a progress bar shows its end', '10 %\r50 %\r100 %', [['100 %', '']]],
  ['turned directions are left out', 'a\u202eb', [['ab', '']]],
])('%s', (_name, line, expected) => {
  expect(beginningOf(line, 1000).spans.map(({ text, look }) => [text, look])).toEqual(expected)
  expect(plainOf(line)).toBe(expected.map(([text]) => text).join(''))
})

test('of a line without an end the beginning is shown, and how much is left out', () => {
  const { spans, left } = beginningOf(`before\r\u001b[31m${'x'.repeat(100)}`, 15)

  expect([spans, left]).toEqual([[{ text: 'x'.repeat(10), look: 'ansi-red' }], 90])
  expect(beginningOf('short', 15)).toEqual({ spans: [{ text: 'short', look: '' }], left: 0 })
})
