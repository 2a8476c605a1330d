import { expect, test } from 'vitest'
import { systemChance, systemClock } from './clock.ts'

test('sleep ends at once when its signal fires', async () => {
  const stop = new AbortController()
  const slept = systemClock.sleep(3_600_000, stop.signal)
  stop.abort()
  await expect(slept).resolves.toBeUndefined()
})

test('chance gives as many bytes as asked for', () => {
  expect(systemChance.bytes(12)).toHaveLength(12)
  expect(systemChance.number()).toBeLessThan(1)
})
