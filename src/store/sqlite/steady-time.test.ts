/** The time of a database file while the clock of the machine is set. */
import { expect, test } from 'vitest'
import { steadyTime } from './steady-time.ts'

const hour = 3_600_000

test.each([
  ['three hours back', -3 * hour],
  ['three hours forward', 3 * hour],
])('a step of the wall clock %s moves it by what has passed', (_, step) => {
  const clock = makeClock()
  const time = steadyTime(clock)
  const before = time()

  clock.pass(1000)
  clock.step(step)
  clock.pass(60_000)
  const passed = time() - before

  expect(passed).toBeGreaterThanOrEqual(61_000 * 0.99 - 1)
  expect(passed).toBeLessThanOrEqual(61_000 * 1.01 + 1)
})

test('it only grows, and is the wall clock again in the end', () => {
  const clock = makeClock()
  const time = steadyTime(clock)
  clock.step(-60_000)
  const told = Array.from({ length: 100 }, () => {
    clock.pass(100_000)
    return time()
  })

  expect(told).toEqual(told.toSorted((a, b) => a - b))
  expect(Math.abs((told.at(-1) ?? 0) - clock.now())).toBeLessThanOrEqual(1)
})

function makeClock() {
  let [wall, monotonic] = [1_900_000_000_000, 0]
  return {
    now: () => wall,
    monotonic: () => monotonic,
    sleep: () => Promise.resolve(),
    step: (ms: number) => {
      wall += ms
    },
    pass: (ms: number) => {
      wall += ms
      monotonic += ms
    },
  }
}
