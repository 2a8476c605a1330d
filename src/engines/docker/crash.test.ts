import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Crashing, describeCrashes, openSuccessor } from '../../../test/engines/crashes.ts'
import { mountsWith, processesOfHost } from '../../../test/engines/host-look.ts'
import { testImages } from '../../../test/engines/images.ts'
import { ownedJob } from '../../../test/engines/owner.ts'
import { captured, merged } from '../../../test/engines/row.ts'
import { discardAll, freshName, jobOf, listener, orderOf } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { startPodman, type TestEngine } from '../../../test/support/podman.ts'
import type { Step } from '../../model/job.ts'
import type { Engine } from '../engine.ts'
import { findPrivates } from '../privates.ts'
import { dockerAt } from './client.ts'
import { inspect } from './container.ts'

const isRoot = process.geteuid?.() === 0 ? undefined : 'the engine of these tests needs root'
const missing = isRoot ?? ensurePrograms('busybox', 'runc', 'podman')

describe.skipIf(missing !== undefined)('after crashes the docker engine', () => {
  let crashing: Crashing
  let podman: TestEngine
  beforeAll(async () => {
    const folder = freshFolder('crash')
    const { plain } = await testImages(folder)
    podman = await startPodman(freshFolder('e'))
    crashing = { folder, engine: { kind: 'docker', socket: podman.socket }, image: plain }
  })
  afterAll(async () => {
    if (podman) await discardAll(await openSuccessor(crashing))
    await podman?.stop()
    rmSync(crashing.folder, { recursive: true, force: true })
  })

  describeCrashes(() => crashing)

  test('the next to open it takes away what was thrown away with its mounts, and the sweep its secrets', async () => {
    const engine = await openSuccessor(crashing)
    const name = freshName()
    await engine.layOut(orderOf(ownedJob({ image: crashing.image, seconds: 0 }), name), listener().watch)
    // What a discard leaves that was killed after its first act.
    const place = join(crashing.folder, 'docker')
    renameSync(join(place, 'runs', name), join(place, 'trash', `${name}~0`))
    expect(mountsWith(name)).toHaveLength(1)
    const next = await openSuccessor(crashing)
    const privates = await findPrivates(place)
    const secrets = () => readdirSync(privates).filter((one) => one.startsWith(`${name}~`))

    expect(mountsWith(name)).toEqual([])
    expect(readdirSync(join(place, 'trash'))).toEqual([])
    expect(secrets()).toHaveLength(1)
    expect((await next.list('test-cluster')).map((run) => run.name)).toContain(name)
    await next.discard(name)
    expect((await next.list('test-cluster')).map((run) => run.name)).not.toContain(name)
    expect(secrets()).toEqual([])
  })

  /** Starts a program that prints, waits, and prints again; then kills the process that writes down what it prints. */
  async function unheard(engine: Engine, streams: Step['streams']): Promise<string> {
    const name = freshName()
    const row = { script: 'echo one; sleep 1; echo two', step: { streams } }
    await engine.layOut(orderOf(jobOf(row, crashing.image), name), listener().watch)
    await engine.start({ name, fence: 1 })
    const file = join(
      crashing.folder,
      'docker',
      'runs',
      name,
      streams.kind === 'merged' ? '' : 'private',
      'out.0',
    )
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('one\n')
    // The first of them leads the group.
    process.kill(-(pourersOf(name)[0] ?? 0), 'SIGKILL')
    await expect.poll(() => pourersOf(name)).toEqual([])
    return name
  }

  test('hears the rest from a program whose listener was killed', async () => {
    const engine = await openSuccessor(crashing)
    const name = await unheard(engine, merged)
    const { watch, log } = listener()
    const report = await engine.follow(name, watch)

    expect(log().toString()).toBe('one\ntwo\n')
    expect(report).toMatchObject({ end: { kind: 'finished' }, notes: [] })
    await engine.discard(name)
  })

  test.each([
    ['tells that a log may lack its end', merged, 'finished', 1],
    ['takes half an answer for none', captured, 'lost', 1],
  ] as const)('%s when nobody listened any more', async (_what, streams, end, notes) => {
    const engine = await openSuccessor(crashing)
    const name = await unheard(engine, streams)
    const docker = dockerAt(podman.socket)
    await expect.poll(async () => (await inspect(docker, name))?.status).toBe('exited')
    const report = await engine.follow(name, listener().watch)

    expect(report.end.kind).toBe(end)
    expect(report.notes).toHaveLength(notes)
    await engine.discard(name)
  })

  test('leaves no ticket, no mount and no process', async () => {
    const rooms = ['runs', 'trash'].map((room) => readdirSync(join(crashing.folder, 'docker', room)))

    expect(rooms).toEqual([[], []])
    expect(mountsWith(join(crashing.folder, 'docker'))).toEqual([])
    await expect.poll(() => pourersOf(join(crashing.folder, 'docker'))).toEqual([])
  })
})

/** The processes that write down what programs print, by a word of their command. */
function pourersOf(text: string): readonly number[] {
  return processesOfHost((command) => command.includes('pouring') && command.includes(text))
}
