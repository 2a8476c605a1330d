import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Crashing, describeCrashes, openSuccessor } from '../../../test/engines/crashes.ts'
import { testImages } from '../../../test/engines/images.ts'
import { ownedJob } from '../../../test/engines/owner.ts'
import { discardAll, freshName, listener, orderOf } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { startPodman, type TestEngine } from '../../../test/support/podman.ts'

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

  test('whoever opens it next takes away what was thrown away with its mounts', async () => {
    const engine = await openSuccessor(crashing)
    const name = freshName()
    await engine.layOut(orderOf(ownedJob({ image: crashing.image, seconds: 0 }), name), listener().watch)
    // What a discard leaves that was killed after its first act.
    const place = join(crashing.folder, 'docker')
    renameSync(join(place, 'runs', name), join(place, 'trash', `${name}~0`))
    expect(mountsOf(name)).toHaveLength(1)
    const next = await openSuccessor(crashing)

    expect(mountsOf(name)).toEqual([])
    expect(readdirSync(join(place, 'trash'))).toEqual([])
    expect((await next.list('test-cluster')).map((run) => run.name)).toContain(name)
    await next.discard(name)
    expect((await next.list('test-cluster')).map((run) => run.name)).not.toContain(name)
  })

  test('leaves no ticket and no mount', () => {
    const rooms = ['runs', 'trash'].map((room) => readdirSync(join(crashing.folder, 'docker', room)))

    expect(rooms).toEqual([[], []])
    expect(mountsOf(join(crashing.folder, 'docker'))).toEqual([])
  })
})

function mountsOf(text: string): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(text))
}
