import { expect, test } from 'vitest'
import { patiently } from './patience.ts'

const cell = new Int32Array(new SharedArrayBuffer(4))

test('work that the host kept waiting is answered, however long it took', () => {
  let begun = 0

  const answer = patiently(() => {
    begun += 1
    // Three waits: work is cut short between two steps of its own only.
    for (let i = 0; i < 3; i += 1) Atomics.wait(cell, 0, 0, 200)
    return true
    // The collection of garbage of other tests counts, too, and takes a small part of that.
  }, 200)

  expect(answer).toBe(true)
  expect(begun).toBeGreaterThan(1)
})

test.each([
  [
    'takes the processor without end',
    () => {
      for (;;);
    },
  ],
  [
    'nests without end',
    () => {
      const deeper = (): boolean => !deeper()
      return deeper()
    },
  ],
  [
    'fails',
    () => {
      throw new RangeError('of its own')
    },
  ],
])('work is given up that %s', (_, work: () => boolean) => {
  expect(patiently(work, 20)).toBeUndefined()
})
