/** Lines are put together from pieces, each stream for itself. */
import { expect, test } from 'vitest'
import { makeLines } from './lines.ts'

const piece = (stream: 'stdout' | 'stderr', text: string, step = 's') => ({
  number: 1,
  at: '',
  stream,
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

test('each step of a run is known with its first line', () => {
  const lines = makeLines()
  lines.add(piece('stdout', 'one\ntwo\n', 'plan'))
  lines.add(piece('stderr', 'oh\n', 'plan'))
  lines.add(piece('stdout', 'three\n', 'apply'))

  expect(lines.steps).toEqual([
    { name: 'plan', line: 0 },
    { name: 'apply', line: 3 },
  ])
})
