/** Owners of runs that die or are paused at every step: the next owner finds the run, and it starts once. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Engine } from '../../src/engines/engine.ts'
import { type OwnerOrder, openFor, ownedJob, type Point } from './owner.ts'
import { freshName, listener, orderOf } from './run-row.ts'

export interface Crashing {
  readonly folder: string
  readonly engine: OwnerOrder['engine']
  readonly image: OwnerOrder['image']
  readonly waits?: NonNullable<OwnerOrder['waits']>
}

const supplies = {
  deliver: async (_what: unknown, to: string) => writeFileSync(to, 'delivered\n'),
}

/** The engine as the next process opens it. */
export function openSuccessor(crashing: Crashing): Promise<Engine> {
  return openFor(crashing, supplies)
}

/** Starts an owner. */
export function startOwner(
  crashing: Crashing,
  more: Pick<OwnerOrder, 'name' | 'at' | 'how'> & { seconds?: number },
): ChildProcess {
  const order: OwnerOrder = { ...crashing, seconds: 0.5, ...more }
  const script = join(import.meta.dirname, 'owner.ts')
  const owner = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // One that is paused would stay for ever when the test fails.
  onTestFinished(() => {
    owner.kill('SIGKILL')
  })
  return owner
}

/** What a worker does with a run of which it knows no more than the name. */
export async function succeed(engine: Engine, crashing: Crashing, name: string, seconds = 0.5) {
  const { watch, log } = listener()
  const sight = await engine.look(name)
  if (sight.kind !== 'started') {
    await engine.layOut(orderOf(ownedJob({ ...crashing, seconds }), name, 2), watch)
    await engine.start({ name, fence: 2 })
  }
  const report = await engine.follow(name, watch)
  return { sight: sight.kind, report, log: log().toString() }
}

const whole = 'began\ndelivered\nended\n'

/** Kills and pauses, as tests. */
export function describeCrashes(crashing: () => Crashing): void {
  const kills: readonly (readonly [Point, readonly string[]])[] = [
    ['mid-layout', ['absent', 'laid-out']],
    ['laid-out', ['laid-out']],
    ['started', ['started']],
    ['following', ['started']],
    ['ended', ['started']],
  ]

  test.each(kills)('an owner killed when the run is %s leaves it to the next, whole', async (at, sights) => {
    const name = freshName()
    const owner = startOwner(crashing(), { name, at, how: 'SIGKILL' })
    const [, signal] = await once(owner, 'exit')
    const engine = await openSuccessor(crashing())
    const { sight, report, log } = await succeed(engine, crashing(), name)

    expect(signal).toBe('SIGKILL')
    expect(sights).toContain(sight)
    expect(log).toBe(whole)
    expect(report.end).toEqual({ kind: 'finished' })
    expect(Buffer.from((report.got.get('out') as { bytes: Uint8Array }).bytes).toString()).toBe('result\n')
    await engine.discard(name)
  })

  test('an owner killed while it discards leaves nothing that could start', async () => {
    const name = freshName()
    const owner = startOwner(crashing(), { name, at: 'discarding', how: 'SIGKILL' })
    await once(owner, 'exit')
    const engine = await openSuccessor(crashing())
    await engine.discard(name)

    expect((await engine.look(name)).kind).toBe('absent')
    await expect((async () => engine.start({ name, fence: 1 }))()).rejects.toThrow()
  })

  test('an owner paused before its start cannot start what its successor finished', async () => {
    const name = freshName()
    const owner = startOwner(crashing(), { name, at: 'laid-out', how: 'SIGSTOP' })
    const said = collected(owner)
    await expect.poll(() => said()).toBe('laid-out\n')
    const engine = await openSuccessor(crashing())
    const { log } = await succeed(engine, crashing(), name)
    await engine.discard(name)
    owner.kill('SIGCONT')
    await once(owner, 'exit')

    expect(log).toBe(whole)
    expect(said()).toBe('laid-out\nengine.layout-gone\n')
    expect((await engine.look(name)).kind).toBe('absent')
  })

  test('an owner paused before its start cannot start what its successor runs', async () => {
    const name = freshName()
    const owner = startOwner(crashing(), { name, at: 'laid-out', how: 'SIGSTOP', seconds: 2 })
    const said = collected(owner)
    await expect.poll(() => said()).toBe('laid-out\n')
    const engine = await openSuccessor(crashing())
    const succeeding = succeed(engine, crashing(), name, 2)
    await expect.poll(async () => (await engine.look(name)).kind).toBe('started')
    owner.kill('SIGCONT')
    const { log } = await succeeding
    owner.kill('SIGKILL')

    expect(log).toBe(whole)
    await engine.discard(name)
  })

  test('owners killed at any moment leave runs that start once and end', async () => {
    const engine = await openSuccessor(crashing())
    const names = Array.from({ length: 12 }, freshName)
    for (const [i, name] of names.entries()) {
      const owner = startOwner(crashing(), { name, at: 'never', how: 'SIGKILL', seconds: 0.2 })
      // Opening takes most of the time of an owner; the kills are spread over what follows.
      const timer = setTimeout(() => owner.kill('SIGKILL'), 150 + i * 60)
      await once(owner, 'exit')
      clearTimeout(timer)
    }
    for (const name of names) {
      const { report, log } = await succeed(engine, crashing(), name, 0.2)
      expect(log).toBe(whole)
      expect(report.end).toEqual({ kind: 'finished' })
      await engine.discard(name)
    }
    expect((await engine.list('test-cluster')).filter(({ name }) => names.includes(name))).toEqual([])
  })
}

function collected(child: ChildProcess): () => string {
  let text = ''
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece.toString()
  })
  return () => text
}
