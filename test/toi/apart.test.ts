/** Packages whose templates are hostile: they are prepared in a process of their own, and end in time. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { toi } from '../../src/contracts/toi/index.ts'
import { openPreparer, type Preparer } from '../../src/host/apart/prepare.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { toProblem } from '../../src/model/problem.ts'
import { isTransient } from '../../src/work/retry.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { componentIn, componentName, executorRef } from './component.ts'
import { packageAt, situation } from './stage.ts'

const missing = ensurePrograms('busybox')
const provision = { kind: 'provision' } as const
const opened: Preparer[] = []
let home: string
let count = 0

beforeAll(() => {
  home = freshFolder('toi-apart')
})
afterAll(() => {
  for (const one of opened) one.close()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(({ skip }) => skip(missing !== undefined, missing))

function preparer(deadlineMs: number, choice: Parameters<typeof openPreparer>[0] = {}): Preparer {
  const made = openPreparer({ deadlineMs, ...choice })
  opened.push(made)
  return made
}

async function packageOf(configTemplate: JsonObject) {
  const folder = join(home, `${++count}`)
  const pkg = { executors: [{ resourceRef: executorRef, actions: ['install'] }], configTemplate }
  const ctf = await componentIn(folder, { run: 'true', package: pkg })
  const { package: read } = await packageAt(join(folder, 'store'), `ocm:${ctf}//${componentName}:1.0.0`)
  return read
}

test('an action is prepared as it would be here, secrets and bytes included', async () => {
  const pkg = await packageOf({ size: '(( sum[[1..10]|0|s,x|->s + x] ))' })
  const at = situation(pkg, { parameters: { size: 1 } })

  const there = await preparer(600_000).prepare(toi.name, provision, at)

  expect(there.kind).toBe('job')
  expect(there).toEqual(toi.prepare(provision, at))
})

test('a template that only a kill ends is refused at the deadline, and the next one is prepared', async () => {
  const { prepare } = preparer(200)
  // Within every limit of the evaluator, and longer than this deadline.
  const pkg = await packageOf({ size: '(( length(map[[1..1900]|x|->sum[[1..1000]|0|s,y|->s + y]]) ))' })
  const honest = await packageOf({ size: 1 })
  let turns = 0
  const timer = setInterval(() => turns++, 10)

  const refused = await prepare(toi.name, provision, situation(pkg))
  clearInterval(timer)

  expect(refused).toMatchObject({ kind: 'refused', problems: [{ code: 'spiff.limit.reached' }] })
  expect(turns).toBeGreaterThan(1)
  expect(await preparer(600_000).prepare(toi.name, provision, situation(honest))).toMatchObject({
    kind: 'job',
  })
})

test('so many may wait: more are told to come back, and the worker does', async () => {
  const { prepare } = preparer(1000, { waitingMax: 1 })
  const pkg = await packageOf({ size: '(( length(map[[1..1900]|x|->sum[[1..1000]|0|s,y|->s + y]]) ))' })
  const asked = Array.from({ length: 8 }, () => prepare(toi.name, provision, situation(pkg)))

  const ended = await Promise.allSettled(asked)

  const problems = ended.flatMap((one) => (one.status === 'rejected' ? [toProblem(one.reason)] : []))
  expect(problems.length).toBeGreaterThanOrEqual(3)
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['package.busy']))
  expect(problems.every(isTransient)).toBe(true)
})

test.each([
  ['endless', '(( (|x|->_(x))(1) ))'],
  ['quadratic', '(( length(map[[1..100000]|x|->[1..100000]]) ))'],
  ['memory-eating', '(( map[[1..1000]|x|->[1..1000]] ))'],
])('what is %s ends as a refusal, never as a crash', async (_, size) => {
  const pkg = await packageOf({ size })

  expect(
    await preparer(600_000, { memoryMegabytes: 32 }).prepare(toi.name, provision, situation(pkg)),
  ).toMatchObject({
    kind: 'refused',
  })
})
