/** Lines are put together from pieces, each stream for itself. */
import { expect, test } from 'vitest'
import { makeLines } from './lines.ts'

const piece = (stream: 'stdout' | 'stderr' | 'system', text: string, step = 's', run = 'first') => ({
  number: 1,
  at: '',
  stream,
  run,
  step,
  text,
})

test('a line that comes in pieces is one, and streams do not mix', () => {
  const lines = makeLines()
  lines.add(piece('stdout', 'one\ntw'))
  lines.add(piece('stderr', 'oh\n'))
  lines.add(piece('stdout', 'o\n\nfour'))

  expect(lines.all.map(({ text }) => text)).toEqual(['one', 'two', 'oh', '', 'four'])
  expect(lines.all.map(({ isError }) => isError)).toEqual([false, false, true, false, false])
})

test('what each step of each run printed is a section; remarks stay in the one they came in', () => {
  const lines = makeLines()
  lines.add(piece('stdout', 'one\ntwo\n', 'plan'))
  lines.add(piece('stderr', 'oh\n', 'plan'))
  lines.add(piece('stdout', 'three\n', 'apply'))
  lines.add(piece('system', 'over its limit\n', 'plan'))
  lines.add(piece('stdout', 'four\n', 'apply', 'second'))

  expect(lines.sections).toEqual([
    { step: 'plan', run: 1, line: 0, at: '' },
    { step: 'apply', run: 1, line: 3, at: '' },
    { step: 'apply', run: 2, line: 5, at: '' },
  ])
})
