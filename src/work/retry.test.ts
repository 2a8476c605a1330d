import { expect, test } from 'vitest'
import { backoffMs, isTransient } from './retry.ts'

const always = (number: number) => ({ bytes: () => new Uint8Array(), number: () => number })

test.each([
  [0, 200],
  [1, 400],
  [5, 6400],
  [10, 30_000],
  [1000, 30_000],
])('after %i tries the wait is below %i ms', (tries, most) => {
  expect(backoffMs(tries, always(0))).toBe(0)
  expect(backoffMs(tries, always(0.999_999))).toBe(most - 1)
})

test('only the world being away is worth waiting for', () => {
  expect(isTransient({ code: 'engine.unavailable' })).toBe(true)
  expect(isTransient({ code: 'store.unavailable' })).toBe(true)
  expect(isTransient({ code: 'operation.failed' })).toBe(false)
  expect(isTransient({ code: 'internal.unexpected' })).toBe(false)
})
