import { expect, test } from 'vitest'
import { openMemoryEngine } from '../../test/support/memory-engine.ts'
import type { Engine } from '../engines/engine.ts'
import { systemClock } from '../kit/clock.ts'
import { type Job, type Step, usualLimits } from '../model/job.ts'
import { makeBeforehand } from './beforehand.ts'

function step(name: string): Step {
  return {
    name,
    command: { kind: 'exec', argv: [name] },
    environment: {},
    streams: { kind: 'apart', stdout: { kind: 'logged' } },
  }
}

const plain: Job = {
  program: { kind: 'image', reference: 'r', digest: 'd' },
  steps: [step('whole')],
  files: [],
  folders: [],
  wants: [],
  needs: { cluster: 'none', network: 'none', readOnlyRoot: false },
  limits: usualLimits,
}

const job: Job = {
  ...plain,
  beforehand: {
    job: {
      ...plain,
      steps: [step('first part')],
      wants: [{ kind: 'file', name: 'made', path: '/made', bytesMax: 100 }],
    },
    steps: [step('rest')],
  },
}

/** Pauses end when the test says so; `done` comes true when the first part was run. */
function setUp() {
  const pauses: (() => void)[] = []
  const clock = {
    ...systemClock,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        pauses.push(resolve)
        signal?.addEventListener('abort', () => resolve())
      }),
  }
  let ran = 0
  const engine = openMemoryEngine({
    clock: systemClock,
    program: () => (world) => {
      ran++
      world.files.set('/made', Buffer.from('it'))
      return 0
    },
  })
  const faults: unknown[] = []
  const beforehand = makeBeforehand('cluster', clock, (error) => faults.push(error))
  const stepOf = () => beforehand.fit(engine, job).steps[0].name
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20))
  return { beforehand, engine, pauses, faults, stepOf, settle, ran: () => ran }
}

test('what was missed once is done when nothing else was to be done for a while', async () => {
  const { beforehand, engine, pauses, faults, stepOf, settle, ran } = setUp()
  const first = beforehand.enter()
  expect(stepOf()).toBe('whole')
  first()
  await settle()
  expect(ran()).toBe(0)

  // Another operation comes before the while is over.
  const second = beforehand.enter()
  await settle()
  expect(ran()).toBe(0)
  second()
  await settle()
  pauses.at(-1)?.()
  await expect.poll(ran).toBe(1)

  await expect.poll(() => beforehand.fit(engine, job).steps).toEqual([step('rest')])
  expect(beforehand.fit(engine, job).files.map(({ path }) => path)).toEqual(['/made'])
  expect(faults).toEqual([])
})

test('what is foreseen is done before anybody asks for it, once', async () => {
  const { beforehand, engine, pauses, stepOf, settle, ran } = setUp()
  const first = job.beforehand?.job ?? plain
  beforehand.foresee(engine, first)
  beforehand.foresee(engine, first)
  await settle()
  expect(ran()).toBe(0)
  pauses.at(-1)?.()

  await expect.poll(stepOf).toBe('rest')
  beforehand.foresee(engine, first)
  await settle()
  expect([ran(), pauses.length]).toEqual([1, 1])
})

test('what was missed twice is done beside other work', async () => {
  const { beforehand, stepOf, settle, ran } = setUp()
  const [first, second] = [beforehand.enter(), beforehand.enter()]
  stepOf()
  stepOf()
  await settle()
  expect(ran()).toBe(0)
  first()

  await expect.poll(ran).toBe(1)
  await expect.poll(stepOf).toBe('rest')
  second()
})

test('the next of a kind is begun ahead when nothing else is to be done, of one kind at a time', async () => {
  const { beforehand, engine, pauses, settle, faults } = setUp()
  const begun: Job[] = []
  const foresighted: Engine = { ...engine, anticipate: async ({ job: like }) => void begun.push(like) }
  const late = { files: ['/order'] }
  const ordered = (limits: Job['limits']): Job => ({
    ...job,
    limits,
    beforehand: { job: job.beforehand?.job ?? plain, steps: [step('rest')], late },
  })
  beforehand.foresee(foresighted, job.beforehand?.job ?? plain)
  await settle()
  pauses.at(-1)?.()
  await expect.poll(() => beforehand.fit(foresighted, job).steps).toEqual([step('rest')])

  const over = beforehand.enter()
  for (const seconds of [1, 2]) {
    const fitted = beforehand.fit(foresighted, ordered({ ...usualLimits, seconds }))
    expect(fitted.late).toEqual(late)
  }
  over()
  await settle()
  expect(begun).toEqual([])
  pauses.at(-1)?.()

  await expect.poll(() => begun.map(({ limits }) => limits.seconds)).toEqual([2])
  expect(begun[0]?.steps).toEqual([step('rest')])
  expect(faults).toEqual([])
})

test('closing ends the waiting, and nothing is done any more', async () => {
  const { beforehand, stepOf, settle, ran } = setUp()
  const first = beforehand.enter()
  stepOf()
  first()
  await settle()
  await beforehand.close()
  beforehand.enter()()

  await settle()
  expect(ran()).toBe(0)
})
