import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Crashing,
  describeCrashes,
  openSuccessor,
  startOwner,
  succeed,
} from '../../../test/engines/crashes.ts'
import { groupsOfRuns, mountsWith, processesOfHost } from '../../../test/engines/host-look.ts'
import { testImages } from '../../../test/engines/images.ts'
import { ownedJob } from '../../../test/engines/owner.ts'
import { discardAll, freshName, listener, orderOf, ownRuns } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import type { Engine } from '../engine.ts'
import { findPrivates } from '../privates.ts'
import { markOf } from './identity.ts'

const missing = ensurePrograms('busybox')

describe.skipIf(missing !== undefined)('after crashes the embedded engine', () => {
  let crashing: Crashing
  beforeAll(async () => {
    const folder = freshFolder('crash')
    const { plain } = await testImages(folder)
    crashing = { folder, engine: { kind: 'embedded' }, image: plain }
  })
  afterAll(async () => {
    await discardAll(await openSuccessor(crashing))
    rmSync(crashing.folder, { recursive: true, force: true })
  })

  describeCrashes(() => crashing)

  describe.each(['program', 'sandbox'] as const)('of an owner whose %s waits', (waits) => {
    describeCrashes(() => ({ ...crashing, waits }))

    test.each([0, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60])(
      'nothing stays of what was on its way to its door, killed after %i ms',
      (delay) => killOnTheWay(waits, delay),
    )
  })

  // Where the host can make no network for it, it waits with that of the host.
  describe('of an owner that lends addresses to what waits', () => {
    test.each([0, 30, 100])('nothing stays of what was on its way to its door, killed after %i ms', (delay) =>
      killOnTheWay('network', delay),
    )

    test('the next owner starts it with a network of its own', async () => {
      const lending: Crashing = { ...crashing, waits: 'network' }
      const name = freshName()
      const owner = startOwner(lending, { name, at: 'laid-out', how: 'SIGKILL' })
      await once(owner, 'exit')
      const engine = await openSuccessor(lending)
      const { report, log } = await succeed(engine, lending, name)
      await engine.discard(name)

      expect(report.end).toEqual({ kind: 'finished' })
      expect(log).toBe('began\ndelivered\nended\n')
    })
  })

  async function killOnTheWay(waits: NonNullable<Crashing['waits']>, delay: number): Promise<void> {
    const before = shimsAside()
    const owner = startOwner({ ...crashing, waits }, { name: freshName(), at: 'waiting', how: 'SIGKILL' })
    const exited = once(owner, 'exit')
    // An owner that waits ends itself; on a slow host it may have done so before anything was seen of it.
    const isComing = () => owner.exitCode !== null || owner.signalCode !== null || isNewAside(before)
    await expect.poll(isComing, { interval: 1 }).toBe(true)
    setTimeout(() => owner.kill('SIGKILL'), delay)
    await exited
    await expect.poll(() => processesOf(join(crashing.folder, 'embedded', 'aside'))).toEqual([])
    await (await openSuccessor(crashing)).list('another-cluster')
    const rooms = [
      join(crashing.folder, 'embedded', 'aside'),
      await findPrivates(join(crashing.folder, 'embedded')),
    ]
    expect(rooms.flatMap(namesIn).filter((one) => one.startsWith(`chd-ahead-${owner.pid}-`))).toEqual([])
  }

  const isNewAside = (before: readonly string[]) => shimsAside().some((name) => !before.includes(name))

  test('a layout whose owner was killed over it is listed, and nothing of it stays once the run is discarded', async () => {
    const name = freshName()
    const owner = startOwner(crashing, { name, at: 'mid-layout', how: 'SIGKILL' })
    await once(owner, 'exit')
    const engine = await openSuccessor(crashing)
    const rooms = [
      join(crashing.folder, 'embedded', 'aside'),
      await findPrivates(join(crashing.folder, 'embedded')),
    ]
    const left = () => rooms.flatMap(namesIn).filter((one) => one.startsWith(name))
    expect(left()).toHaveLength(2)
    const listed = (await engine.list('test-cluster')).filter((one) => one.name === name)
    expect(listed).toEqual([{ name, ageMs: expect.any(Number) }])

    await engine.discard(name)

    expect(left()).toEqual([])
  })

  /** Those that wait, or are on their way, and have a shim. */
  function shimsAside(): readonly string[] {
    const aside = join(crashing.folder, 'embedded', 'aside')
    return namesIn(aside).filter((name) =>
      namesIn(join(aside, name)).some((file) => file.startsWith('lock.')),
    )
  }

  const runFolder = (name: string): string => join(crashing.folder, 'embedded', 'runs', name)

  async function running(engine: Engine) {
    const name = freshName()
    const heard = listener()
    await engine.layOut(orderOf(ownedJob({ image: crashing.image, seconds: 1000 }), name), heard.watch)
    await engine.start({ name, fence: 1 })
    const following = engine.follow(name, heard.watch)
    await expect.poll(() => heard.log().toString()).toBe('began\ndelivered\n')
    return { name, following, ...heard }
  }

  test('reports a run lost whose shim was killed, and ends what it left running', async () => {
    const engine = await openSuccessor(crashing)
    const { name, following } = await running(engine)
    const shim = markOf(readFileSync(join(runFolder(name), 'began'), 'utf8'))
    process.kill(shim?.pid ?? 0, 'SIGKILL')
    const report = await following
    await engine.discard(name)

    expect(report.end).toEqual({ kind: 'lost' })
    expect(processesOf(name)).toEqual([])
  })

  test('reports a run lost when everything of it was killed', async () => {
    const engine = await openSuccessor(crashing)
    const { name, following } = await running(engine)
    const shim = markOf(readFileSync(join(runFolder(name), 'began'), 'utf8'))
    process.kill(-(shim?.pid ?? 0), 'SIGKILL')
    const report = await following
    await engine.discard(name)

    expect(report.end).toEqual({ kind: 'lost' })
    expect(processesOf(name)).toEqual([])
  })

  test('takes a run of an earlier boot for started and lost, and never starts it again', async () => {
    const engine = await openSuccessor(crashing)
    const name = freshName()
    const { watch, log } = listener()
    await engine.layOut(orderOf(ownedJob({ image: crashing.image, seconds: 0 }), name), watch)
    const record = join(runFolder(name), 'run.json')
    const text = readFileSync(record, 'utf8')
    writeFileSync(record, text.replace(/"boot":"[^"]+"/, '"boot":"another"'))

    expect(await engine.look(name)).toEqual({ kind: 'started', ticket: name })
    expect(await engine.start({ name, fence: 1 })).toBe(name)
    expect((await engine.follow(name, watch)).end).toEqual({ kind: 'lost' })
    expect(log().toString()).toBe('')
    await engine.discard(name)
    expect((await engine.look(name)).kind).toBe('absent')
  })

  test('takes a run whose record was lost with the power for started and lost, and removes it', async () => {
    const engine = await openSuccessor(crashing)
    const name = freshName()
    const { watch } = listener()
    await engine.layOut(orderOf(ownedJob({ image: crashing.image, seconds: 0 }), name), watch)
    writeFileSync(join(runFolder(name), 'run.json'), '')

    expect(await engine.look(name)).toEqual({ kind: 'started', ticket: name })
    expect(await engine.start({ name, fence: 1 })).toBe(name)
    expect((await engine.follow(name, watch)).end).toEqual({ kind: 'lost' })
    await engine.discard(name)
    expect((await engine.look(name)).kind).toBe('absent')
  })

  test('does not touch a folder that is not its own', async () => {
    const engine = await openSuccessor(crashing)
    const name = freshName()
    mkdirSync(runFolder(name))
    const order = orderOf(ownedJob({ image: crashing.image, seconds: 0 }), name)

    expect((await engine.look(name)).kind).toBe('foreign')
    await expect(engine.layOut(order, listener().watch)).rejects.toMatchObject({
      problem: { code: 'engine.name-conflict' },
    })
    await engine.discard(name)
    expect((await engine.look(name)).kind).toBe('foreign')
  })

  test('leaves no process, group or mount', async () => {
    // What waited for an owner that was killed a moment ago is just about to end.
    await expect.poll(() => processesOf(crashing.folder)).toEqual([])
    expect(mountsWith(crashing.folder)).toEqual([])
    expect(groupsOfRuns().filter((name) => name.includes(ownRuns))).toEqual([])
  })
})

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Processes whose command names the text. */
function processesOf(text: string): readonly number[] {
  return processesOfHost((command) => command.includes(text))
}
