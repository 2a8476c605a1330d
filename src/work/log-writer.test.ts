import { expect, test } from 'vitest'
import { openTestStore } from '../../test/support/stores.ts'
import { systemClock } from '../kit/clock.ts'
import type { NewLogRow, Store } from '../store/store.ts'
import { makeLogWriter } from './log-writer.ts'

const piece = (run: string, position: number, text = 'x'): NewLogRow => ({
  operation: run,
  run,
  step: 's',
  stream: 'stdout',
  position,
  span: text.length,
  bytes: Buffer.from(text),
})

/** A clock that sleeps until it is woken. */
const still = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
}

function counted(store: Store): { readonly store: Store; readonly writes: () => number } {
  let writes = 0
  const write: Store['write'] = (work, manner) => {
    writes++
    return store.write(work, manner)
  }
  return { store: { ...store, write }, writes: () => writes }
}

async function textOf(store: Store, run: string): Promise<string> {
  return (await store.look.log(run, 0, 1000)).map(({ bytes }) => Buffer.from(bytes).toString()).join('')
}

test('the pieces of many runs share a transaction', async () => {
  await using opened = await openTestStore('memory')
  const { store, writes } = counted(opened.store)
  const writer = makeLogWriter(store, still)
  const kept = ['a', 'b', 'c'].map((run) => writer.write([piece(run, 0, run)]))
  writer.hurry()
  await Promise.all(kept)

  expect(writes()).toBe(1)
  expect(await Promise.all(['a', 'b', 'c'].map((run) => textOf(store, run)))).toEqual(['a', 'b', 'c'])
})

test('so many that the requests would wait are parted', async () => {
  await using opened = await openTestStore('memory')
  const { store, writes } = counted(opened.store)
  const writer = makeLogWriter(store, still)
  const kept = Array.from({ length: 40 }, (_, i) => writer.write([piece('a', i, String(i % 10))]))
  writer.hurry()
  await Promise.all(kept)

  expect(writes()).toBe(5)
  expect(await textOf(store, 'a')).toBe('0123456789'.repeat(4))
})

test('nobody needs to hurry it when there is much', async () => {
  await using opened = await openTestStore('memory')
  const writer = makeLogWriter(opened.store, still)

  await writer.write([piece('a', 0, 'x'.repeat(100_000))])

  expect(await textOf(opened.store, 'a')).toHaveLength(100_000)
})

test('nobody needs to hurry it when there is time', async () => {
  await using opened = await openTestStore('memory')
  const writer = makeLogWriter(opened.store, systemClock)

  await writer.write([piece('a', 0, 'little')])

  expect(await textOf(opened.store, 'a')).toBe('little')
})

test('what one log has wrong is not the fault of the others', async () => {
  await using opened = await openTestStore('memory')
  const writer = makeLogWriter(opened.store, still)
  const good = writer.write([piece('a', 0, 'good')])
  const bad = writer.write([{ ...piece('b', 0), operation: null as unknown as string }])
  const more = writer.write([piece('c', 0, 'more')])
  const ends = Promise.allSettled([good, bad, more])
  writer.hurry()

  expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await textOf(opened.store, 'c')).toBe('more')
})
