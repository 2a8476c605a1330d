/** The server's time, reckoned on. */
import { expect, test } from 'vitest'
import { makeClock } from '../../../test/support/stores.ts'
import { makeServerTime } from './server-time.ts'

const unheard = (): void => undefined

test('nothing is known before the server has told', () => {
  expect(makeServerTime(makeClock(), 1000, unheard).reckoned()).toBeUndefined()
})

test('what was told goes on with our own clock for as long as it is trusted', () => {
  const clock = makeClock()
  const time = makeServerTime(clock, 1000, unheard)
  time.asked()(5000)

  clock.advance(999)
  expect(time.reckoned()).toBe(5999)
  clock.advance(1)

  expect(time.reckoned()).toBeUndefined()
})

test('it never goes back, even if the server does', () => {
  const clock = makeClock()
  const time = makeServerTime(clock, 1000, unheard)
  time.asked()(5000)
  expect(time.reckoned()).toBe(5000)

  time.asked()(4000)

  expect(time.reckoned()).toBe(5000)
})

test('trusted for no time it is asked for each time', () => {
  const time = makeServerTime(makeClock(), 0, unheard)
  time.asked()(5000)

  expect(time.reckoned()).toBeUndefined()
})

test.each([
  ['forward', 10_800_000],
  ['back', -10_800_000],
])('a clock that is set %s is told with how far, once', (_, ms) => {
  const clock = makeClock()
  const steps: number[] = []
  const time = makeServerTime(clock, 1000, (step) => steps.push(step))

  time.asked()(20_000_000)
  clock.advance(60_000)
  time.asked()(20_060_000 + ms)
  clock.advance(60_000)
  time.asked()(20_120_000 + ms)

  expect(steps).toEqual([ms])
})

test('answers that were long on their way are no step of the clock', () => {
  const clock = makeClock()
  const steps: number[] = []
  const time = makeServerTime(clock, 1000, (step) => steps.push(step))

  const heard = time.asked()
  clock.advance(60_000)
  heard(20_000_000)
  clock.advance(100)
  time.asked()(20_060_100)

  expect(steps).toEqual([])
})

test('it remembers how far the clock was set forward, and from when on', () => {
  const clock = makeClock()
  const time = makeServerTime(clock, 1000, unheard)

  time.asked()(20_000_000)
  clock.advance(60_000)
  time.asked()(30_860_000)
  clock.advance(60_000)
  time.asked()(20_120_000)

  expect(time.steps()).toEqual([{ at: 20_060_000, ms: 10_800_000 }])
})
