import { expect, test } from 'vitest'
import { cutTo, padTo, widthOf } from './width.ts'

test.each([
  ['', 0],
  ['plain', 5],
  ['größe', 5],
  ['e\u0301', 1],
  ['数据库', 6],
  ['データ', 6],
  ['데이터', 6],
  ['ＡＢ', 4],
  ['🚢', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['…', 1],
])('%j takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
  expect(widthOf(padTo(text, 9))).toBe(9)
})

test.each([
  ['plain', 5, 'plain'],
  ['plain', 4, 'pla…'],
  ['数据库', 6, '数据库'],
  ['数据库', 5, '数据…'],
  ['数据库', 4, '数…'],
  ['👩‍👩‍👧 family', 4, '👩‍👩‍👧 …'],
  ['ab', 0, '…'],
])('%j cut to %i columns is %j', (text, columns, cut) => {
  expect(cutTo(text, columns)).toBe(cut)
})
