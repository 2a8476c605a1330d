/** Kept answers: asked for again after a while, and at once after a failure. */
import { expect, test } from 'vitest'
import { nowAndThen } from './now-and-then.ts'

/** The time of each asking, in order; those that fail by their number. */
function asked(...failing: readonly number[]) {
  let time = 0
  let times = 0
  const ask = nowAndThen(
    () =>
      failing.includes(++times) ? Promise.reject(new RangeError(`no ${times}`)) : Promise.resolve(times),
    100,
    () => time,
  )
  return (at: number) => {
    time = at
    return ask()
  }
}

test('an answer is shared for a while, and then asked for again', async () => {
  const ask = asked()

  expect(await Promise.all([0, 0, 100, 101, 201].map(ask))).toEqual([1, 1, 1, 2, 2])
})

test('a failure is told to all who asked for it, and kept for nobody', async () => {
  const ask = asked(1)

  const settled = await Promise.allSettled([ask(0), ask(1)])

  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([await ask(2), await ask(3)]).toEqual([2, 2])
})

test('a late failure does not take the answer that came after it', async () => {
  const first = Promise.withResolvers<string>()
  const answers = [first.promise, Promise.resolve('second'), Promise.resolve('third')]
  let time = 0
  const ask = nowAndThen(
    () => answers.shift() ?? Promise.resolve('none'),
    100,
    () => time,
  )

  const failing = ask()
  time = 101
  const second = ask()
  first.reject(new RangeError('late'))

  await expect(failing).rejects.toThrow('late')
  expect([await second, await ask()]).toEqual(['second', 'second'])
})
