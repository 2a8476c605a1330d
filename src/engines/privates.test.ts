import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freshFolder } from '../../test/support/image.ts'
import { systemClock } from '../kit/clock.ts'
import { findPrivates, leavePrivates, makePrivates, sweepStrays } from './privates.ts'

async function madeFor(folder: string): Promise<string> {
  const privates = await findPrivates(folder)
  onTestFinished(() => {
    for (const path of [folder, privates]) rmSync(path, { recursive: true, force: true })
  })
  return privates
}

test('a place for secrets goes with the last who closes, and comes back when it is needed', async () => {
  const folder = freshFolder('privates')
  const privates = await madeFor(folder)
  mkdirSync(join(privates, 'run~1'))
  await leavePrivates(privates)
  expect(existsSync(join(privates, 'run~1'))).toBe(true)

  rmSync(join(privates, 'run~1'), { recursive: true })
  await leavePrivates(privates)
  expect(existsSync(privates)).toBe(false)

  makePrivates(privates, folder)
  expect(existsSync(privates)).toBe(true)
})

test('a place that holds what runs depend on stays the place, whatever room there is elsewhere', async () => {
  const folder = freshFolder('privates')
  await madeFor(folder)
  const beside = join(folder, 'private')
  mkdirSync(join(beside, 'sessions'), { recursive: true })
  const empty = await findPrivates(folder, 'sessions')
  writeFileSync(join(beside, 'sessions', 'run.json'), '{}')

  expect(await findPrivates(folder, 'sessions')).toBe(beside)
  expect(empty).toBe(await findPrivates(folder))
})

test('one path is one place, however it is written', async () => {
  const folder = freshFolder('privates')

  expect(await findPrivates(`${folder}/x/../.`)).toBe(await madeFor(folder))
})

test('secrets of an engine whose folder was removed go, those of others stay', async () => {
  const gone = freshFolder('privates')
  const there = freshFolder('privates')
  const [ofGone, ofThere] = [await madeFor(gone), await madeFor(there)]
  for (const place of [ofGone, ofThere]) {
    mkdirSync(join(place, 'run~1'))
    writeFileSync(join(place, 'run~1', 'secret'), 'x')
  }
  rmSync(gone, { recursive: true })
  await sweepStrays(systemClock)
  // A disk that is not there for a moment is no reason.
  expect(existsSync(join(ofGone, 'run~1'))).toBe(true)

  await sweepStrays(systemClock, 0)
  expect([ofGone, ofThere].map((place) => existsSync(place))).toEqual([false, true])
})
