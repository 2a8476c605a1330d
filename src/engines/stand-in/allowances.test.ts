import { expect, test } from 'vitest'
import { systemClock } from '../../kit/clock.ts'
import { openAllowances } from './allowances.ts'

function opened() {
  let now = 0
  const allowances = openAllowances({ ...systemClock, monotonic: () => now })
  const askedAtOnce = (run: string): number => {
    let count = 0
    while (allowances.mayAsk(run)) count += 1
    return count
  }
  return {
    allowances,
    askedAtOnce,
    pass: (ms: number): void => {
      now += ms
    },
  }
}

test('a run asks so often at once, and again after a while; another one is not kept from asking', () => {
  const { askedAtOnce, pass } = opened()
  const first = askedAtOnce('one')
  pass(1000)

  expect(first).toBe(200)
  expect(askedAtOnce('one')).toBe(50)
  expect(askedAtOnce('two')).toBe(200)
})

test('what is large counts for more, and less where it is only kept', () => {
  const { allowances, askedAtOnce, pass } = opened()
  allowances.moved('one', 10 * 64 * 1024)

  expect(askedAtOnce('one')).toBe(190)

  allowances.moved('one', 100 * 64 * 1024)
  pass(1000)
  expect(askedAtOnce('one')).toBe(0)

  pass(2000)
  expect(askedAtOnce('one')).toBe(50)

  allowances.kept('one', 4 * 10 * 64 * 1024)
  expect(askedAtOnce('one')).toBe(0)
  pass(1000)
  expect(askedAtOnce('one')).toBe(40)

  allowances.moved('one', 1e12)
  pass(5000)
  expect(askedAtOnce('one')).toBe(50)
})
