/** The server's time, reckoned on. */
import { expect, test } from 'vitest'
import { makeClock } from '../../../test/support/stores.ts'
import { makeServerTime } from './server-time.ts'

test('nothing is known before the server has told', () => {
  expect(makeServerTime(makeClock(), 1000).reckoned()).toBeUndefined()
})

test('what was told goes on with our own clock for as long as it is trusted', () => {
  const clock = makeClock()
  const time = makeServerTime(clock, 1000)
  time.told(5000)

  clock.advance(999)
  expect(time.reckoned()).toBe(5999)
  clock.advance(1)

  expect(time.reckoned()).toBeUndefined()
})

test('it never goes back, even if the server does', () => {
  const clock = makeClock()
  const time = makeServerTime(clock, 1000)
  time.told(5000)
  expect(time.reckoned()).toBe(5000)

  time.told(4000)

  expect(time.reckoned()).toBe(5000)
})

test('trusted for no time it is asked for each time', () => {
  const time = makeServerTime(makeClock(), 0)
  time.told(5000)

  expect(time.reckoned()).toBeUndefined()
})
