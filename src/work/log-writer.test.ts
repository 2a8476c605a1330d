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

/** A clock whose sleeps end only when they are cut short. */
const still = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
}

/** A clock whose sleeps are over at once. */
const quick = { ...systemClock, sleep: () => Promise.resolve() }

function counted(store: Store): { readonly store: Store; readonly writes: () => number } {
  let writes = 0
  const write: Store['write'] = (work, manner) => {
    writes++
    return store.write(work, manner)
  }
  return { store: { ...store, write }, writes: () => writes }
}

async function textOf(store: Store, run: string): Promise<string> {
  return (await store.look.log(run, 0, 5000)).map(({ bytes }) => Buffer.from(bytes).toString()).join('')
}

test('the pieces of many runs share a transaction', async () => {
  await using opened = await openTestStore('memory')
  const { store, writes } = counted(opened.store)
  const writer = makeLogWriter(store, quick)

  await Promise.all(['a', 'b', 'c'].map((run) => writer.write([piece(run, 0, run)]).kept))

  expect(writes()).toBe(1)
  expect(await Promise.all(['a', 'b', 'c'].map((run) => textOf(store, run)))).toEqual(['a', 'b', 'c'])
})

test.each([
  ['so many that the requests would wait are parted', 40, 5],
  ['of very many each share is the longer, so that all get their turn', 4000, 138],
])('%s', async (_fact, logs, shares) => {
  await using opened = await openTestStore('memory')
  const { store, writes } = counted(opened.store)
  const writer = makeLogWriter(store, quick)

  await Promise.all(Array.from({ length: logs }, (_, i) => writer.write([piece('a', i)]).kept))

  expect(writes()).toBe(shares)
  expect(await textOf(store, 'a')).toHaveLength(logs)
})

test('who hurries is next, and the others keep their pace', async () => {
  await using opened = await openTestStore('memory')
  const { store, writes } = counted(opened.store)
  const writer = makeLogWriter(store, still)
  const order: string[] = []
  const write = (run: string) => {
    const writing = writer.write([piece(run, 0, run)])
    void writing.kept.then(() => order.push(run))
    return writing
  }
  for (let i = 0; i < 10; i++) write(`early-${i}`)
  const late = write('late')
  late.hurry()
  await late.kept
  await systemClock.sleep(50)

  expect(writes()).toBe(1)
  expect(order).toEqual(['late', ...Array.from({ length: 7 }, (_, i) => `early-${i}`)])
})

test('nobody needs to hurry it when there is much', async () => {
  await using opened = await openTestStore('memory')
  const writer = makeLogWriter(opened.store, still)

  await writer.write([piece('a', 0, 'x'.repeat(300_000))]).kept

  expect(await textOf(opened.store, 'a')).toHaveLength(300_000)
})

test('nobody needs to hurry it when there is time', async () => {
  await using opened = await openTestStore('memory')
  const writer = makeLogWriter(opened.store, systemClock)

  await writer.write([piece('a', 0, 'little')]).kept

  expect(await textOf(opened.store, 'a')).toBe('little')
})

test('what one log has wrong is not the fault of the others', async () => {
  await using opened = await openTestStore('memory')
  const writer = makeLogWriter(opened.store, quick)
  const rows = [piece('a', 0, 'good'), { ...piece('b', 0), operation: null as unknown as string }]

  const ends = await Promise.allSettled(
    [...rows, piece('c', 0, 'more')].map((row) => writer.write([row]).kept),
  )

  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await textOf(opened.store, 'c')).toBe('more')
})
