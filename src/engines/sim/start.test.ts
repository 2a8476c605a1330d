/** A start of the sim engine happens once, whatever is killed in its midst. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

test.each([
  ['before anything was in its folder', []],
  ['while its layout was written', ['unfinished.1']],
  ['while it was taken away', ['stop']],
])('a run that was cut short %s is listed by its name', async (_, files) => {
  mkdirSync(join(folder, name))
  for (const file of files) writeFileSync(join(folder, name, file), '')

  expect(await engine.list('c')).toEqual([{ name, ageMs: expect.any(Number) }])
  await engine.discard(name)
  expect(await engine.list('c')).toEqual([])
})

test('a late starter with a layout of its own does not start again', async () => {
  await engine.layOut(order(2), unwatched)
  await engine.start({ name, fence: 2 })
  writeFileSync(join(folder, name, 'laid.1'), readFileSync(join(folder, name, 'run')))

  await engine.start({ name, fence: 1 })

  expect(starts()).toEqual([name])
})
