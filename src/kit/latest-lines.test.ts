import { expect, test } from 'vitest'
import { keepLatest } from './latest-lines.ts'

test('the newest lines are kept, oldest first, and never more characters than asked', () => {
  const latest = keepLatest(100)
  for (let i = 10; i < 60; i++) latest.add(`line ${i}\n`)
  const kept = latest.all()

  expect(kept.at(-1)).toBe('line 59\n')
  expect(kept.length).toBeGreaterThan(5)
  expect(kept.join('').length).toBeLessThanOrEqual(100)
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => `line ${60 - kept.length + i}\n`))
})

test('a line that is longer than all of it is not kept', () => {
  const latest = keepLatest(10)
  latest.add('a')
  latest.add('b'.repeat(11))
  latest.add('c')

  expect(latest.all()).toEqual(['c'])
})
