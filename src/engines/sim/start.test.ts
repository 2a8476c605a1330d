/** A start of the sim engine happens once, whatever is killed in its midst. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../kit/clock.ts'
import { type Job, usualLimits } from '../../model/job.ts'
import type { Engine, Watch } from '../engine.ts'
import { openSimEngine } from './index.ts'

let folder: string
let engine: Engine
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-sim-'))
  writeFileSync(join(folder, 'starts.log'), '')
  engine = await openSimEngine({ folder, clock: systemClock })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const job: Job = {
  program: { kind: 'pretend', milliseconds: 1, exit: 0 },
  steps: [
    {
      name: 'pretend',
      command: { kind: 'entrypoint', arguments: [] },
      environment: {},
      streams: { kind: 'merged' },
    },
  ],
  files: [],
  folders: [],
  wants: [],
  needs: { cluster: 'none', network: 'none', readOnlyRoot: true },
  limits: { ...usualLimits, seconds: 10, graceSeconds: 1 },
}

const unwatched: Watch = {
  had: () => 0,
  log: () => Promise.resolve(),
  progress: () => undefined,
  kept: () => Promise.resolve(),
  signal: new AbortController().signal,
}
const name = 'run-1'
const order = (fence: number) => ({ name, job, cluster: 'c', operation: 'o', fence })
const starts = () => readFileSync(join(folder, 'starts.log'), 'utf8').split('\n').filter(Boolean)

test('a layout that was cut short is none, and does not hinder the next one', async () => {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'unfinished.1'), '')

  expect(await engine.look(name)).toEqual({ kind: 'absent' })
  await engine.layOut(order(2), unwatched)
  await engine.start({ name, fence: 2 })

  expect(await engine.look(name)).toEqual({ kind: 'started', ticket: name })
  expect(starts()).toEqual([name])
})

test('a layout that was cut short and never made anew is swept when an hour has passed', async () => {
  const [old, fresh] = ['run-old', 'run-fresh'].map((run) => join(folder, run)) as [string, string]
  for (const run of [old, fresh]) {
    mkdirSync(run)
    writeFileSync(join(run, 'unfinished.1'), '{')
  }
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(join(old, 'unfinished.1'), longAgo, longAgo)

  expect(await engine.list('c')).toEqual([])
  expect([existsSync(old), existsSync(fresh)]).toEqual([false, true])
})

test('a late starter with a layout of its own does not start again', async () => {
  await engine.layOut(order(2), unwatched)
  await engine.start({ name, fence: 2 })
  writeFileSync(join(folder, name, 'laid.1'), readFileSync(join(folder, name, 'run')))

  await engine.start({ name, fence: 1 })

  expect(starts()).toEqual([name])
})
