import { expect, test } from 'vitest'
import { shownIn } from '../kit/redact.ts'
import { openLogTail } from './log-tail.ts'

const out = { step: 'one' }
const err = { step: 'one' }
const bytes = (text: string) => [{ shown: Buffer.from(text) }]

function shown(tail: ReturnType<typeof openLogTail<{ readonly step: string }>>) {
  const { left, pieces } = tail.take()
  return {
    left: left.bytes,
    pieces: pieces.map((piece) => [
      piece.of === out ? 'out' : 'err',
      shownIn(piece.parts).toString(),
      piece.before,
    ]),
  }
}

test('what fits is kept as it came', () => {
  const tail = openLogTail(10)
  tail.push(out, bytes('abc'), 3)
  tail.push(err, bytes('de'), 2)

  expect(shown(tail)).toEqual({
    left: 0,
    pieces: [
      ['out', 'abc', 0],
      ['err', 'de', 0],
    ],
  })
})

test('the newest bytes win, and each stream knows how many of its own are gone before', () => {
  const tail = openLogTail(6)
  tail.push(out, bytes('abcd'), 4)
  tail.push(err, bytes('EF'), 2)
  tail.push(out, bytes('gh'), 2)
  tail.push(err, bytes('IJK'), 3)

  expect(shown(tail)).toEqual({
    left: 5,
    pieces: [
      ['err', 'F', 1],
      ['out', 'gh', 4],
      ['err', 'IJK', 0],
    ],
  })
})

test('a piece larger than the tail leaves its end', () => {
  const tail = openLogTail(3)
  tail.push(out, bytes('abcdefgh'), 8)

  expect(shown(tail)).toEqual({ left: 5, pieces: [['out', 'fgh', 5]] })
})

test('a redacted piece stands for more than it shows and is let go whole', () => {
  const tail = openLogTail(4)
  tail.push(out, bytes('[x]'), 20)
  tail.push(out, bytes('abc'), 3)

  expect(shown(tail)).toEqual({ left: 20, pieces: [['out', 'abc', 20]] })
})

test('a tail that let everything go is not empty', () => {
  const tail = openLogTail(0)
  expect(tail.isEmpty()).toBe(true)

  tail.push(out, bytes('a'), 1)

  expect(tail.isEmpty()).toBe(false)
  expect(shown(tail)).toEqual({ left: 1, pieces: [] })
})
