import { expect, test } from 'vitest'
import { systemChance, systemClock } from './clock.ts'

test('sleep ends at once when its signal fires', async () => {
  const stop = new AbortController()
  const slept = systemClock.sleep(3_600_000, stop.signal)
  stop.abort()
  await expect(slept).resolves.toBeUndefined()
})

test.each([0, 12, 512, 513, 5000])('chance gives %d bytes when asked for so many', (count) => {
  expect(systemChance.bytes(count)).toHaveLength(count)
})

test('no two answers of chance are alike, and none is empty', () => {
  const answers = Array.from({ length: 1000 }, () => Buffer.from(systemChance.bytes(16)).toString('hex'))

  expect(new Set(answers).size).toBe(1000)
  expect(answers).not.toContain('0'.repeat(32))
})

test('numbers of chance lie from 0 up to 1 and differ', () => {
  const numbers = Array.from({ length: 100 }, () => systemChance.number())

  expect(numbers.every((one) => one >= 0 && one < 1)).toBe(true)
  expect(new Set(numbers).size).toBeGreaterThan(90)
})
