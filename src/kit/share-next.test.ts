/** Shared work: a call is never answered by a round that began before the call. */
import { expect, test } from 'vitest'
import { shareNext } from './share-next.ts'

test('who asks while the work is done waits for the next time, all of them for the same', async () => {
  const times: PromiseWithResolvers<void>[] = []
  const ask = shareNext(() => {
    const time = Promise.withResolvers<void>()
    times.push(time)
    return time.promise
  })
  const answered: string[] = []
  const note = (name: string) => () => answered.push(name)

  const first = ask().then(note('first'))
  const late = [ask().then(note('second')), ask().then(note('third'))]
  expect(times).toHaveLength(1)
  times[0]?.resolve()
  await first
  await Promise.resolve()
  expect(answered).toEqual(['first'])
  expect(times).toHaveLength(2)
  times[1]?.resolve()
  await Promise.all(late)

  expect(times).toHaveLength(2)
  expect(answered).toEqual(['first', 'second', 'third'])
})

test('a time that fails is told to those who shared it and to no one after', async () => {
  let times = 0
  const ask = shareNext(() => (times++ === 0 ? Promise.reject(new RangeError('no')) : Promise.resolve()))

  const first = ask()
  const second = ask()

  await expect(first).rejects.toThrow('no')
  await expect(second).resolves.toBeUndefined()
})
