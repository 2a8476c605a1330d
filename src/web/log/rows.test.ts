/** Rows of a folded log. */
import { expect, test } from 'vitest'
import type { Section } from './lines.ts'
import { rowsOf } from './rows.ts'

const section = (step: string, line: number): Section => ({ step, run: 1, line, at: '' })
const sections = [section('init', 0), section('plan', 3), section('apply', 5)]
const none = (): boolean => false

test('a log of one section is its lines, whatever is folded', () => {
  const rows = rowsOf([section('run', 0)], 3, none)

  expect(rows.slice(0, 9)).toEqual([0, 1, 2].map((line) => ({ kind: 'line', line })))
  expect(rows.rowOf(2)).toBe(2)
})

test('a log without a line has no row', () => {
  expect(rowsOf([], 0, none).slice(0, 9)).toEqual([])
})

test('a folded section is a head, an open one a head and its lines', () => {
  const rows = rowsOf(sections, 7, (one) => one === 1)

  expect(rows.slice(0, rows.count)).toEqual([
    { kind: 'head', section: 0 },
    { kind: 'head', section: 1 },
    { kind: 'line', line: 3 },
    { kind: 'line', line: 4 },
    { kind: 'head', section: 2 },
  ])
  expect(rows.slice(2, 4)).toEqual([3, 4].map((line) => ({ kind: 'line', line })))
})

test('a line is found in its section; where that is folded, its head is', () => {
  const rows = rowsOf(sections, 7, (one) => one === 2)

  expect([0, 3, 5, 6].map(rows.sectionOf)).toEqual([0, 1, 2, 2])
  expect([0, 4, 5, 6].map(rows.rowOf)).toEqual([0, 1, 3, 4])
})
