/** Processes that hang, eat memory or die: the caller goes on, and the next question is answered. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openProcessPool, type ProcessPool } from './process-pool.ts'

let pool: ProcessPool
const open = (deadlineMs: number, waitingMax = 20): ProcessPool => {
  const program = new URL('../../../test/fixtures/hostile-process.ts', import.meta.url)
  pool = openProcessPool({ program, processesMax: 2, waitingMax, deadlineMs, memoryMegabytes: 64 })
  return pool
}
afterEach(() => pool.close())

const long = 600_000

test('questions are answered one after another, by as many processes as there may be', async () => {
  const { ask } = open(long)

  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(`say ${i}`)))

  expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => ({ kind: 'answer', text: `${i}` })))
})

test('an endless answer is ended at the deadline, while the caller goes on and others are answered', async () => {
  const { ask } = open(2000)
  let turns = 0
  const timer = setInterval(() => turns++, 10)

  const [endless, other] = await Promise.all([ask('loop'), ask('say x')])
  clearInterval(timer)

  expect(endless).toEqual({ kind: 'too-long' })
  expect(other).toEqual({ kind: 'answer', text: 'x' })
  expect(turns).toBeGreaterThan(1)
  expect(await ask('say y')).toEqual({ kind: 'answer', text: 'y' })
})

test.each(['eat', 'die'])('a process that ends by itself is told and replaced: %s', async (deed) => {
  const { ask } = open(long)

  expect(await ask(deed)).toEqual({ kind: 'ended' })
  expect(await ask('say y')).toEqual({ kind: 'answer', text: 'y' })
})

test('more hang than there are processes: each is ended in its turn', async () => {
  const { ask } = open(500)

  const answers = await Promise.all([ask('loop'), ask('loop'), ask('loop'), ask('loop'), ask('say y')])

  expect(answers.map(({ kind }) => kind)).toEqual(['too-long', 'too-long', 'too-long', 'too-long', 'answer'])
})

test('what would wait behind too many others is turned away at once, and who waits is answered', async () => {
  const { ask } = open(2000, 1)

  const answers = await Promise.all([ask('loop'), ask('loop'), ask('say x'), ask('say y')])

  expect(answers.map(({ kind }) => kind)).toEqual(['too-long', 'too-long', 'answer', 'busy'])
})

test('a pool that is closed answers all that wait', async () => {
  const { ask, close } = open(long)
  const asked = Promise.all([ask('loop'), ask('loop'), ask('say x')])

  close()

  expect(await asked).toEqual(Array(3).fill({ kind: 'ended' }))
})

test('a process sees no environment and may write nothing', async () => {
  const { ask } = open(long)

  expect(await ask('environment')).toEqual({ kind: 'answer', text: '0' })
  expect(await ask(`write ${join(tmpdir(), 'written-by-a-process')}`)).toEqual({
    kind: 'answer',
    text: 'refused: ERR_ACCESS_DENIED',
  })
})
