import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Crashing, describeCrashes } from '../../../test/engines/crashes.ts'
import { testImages } from '../../../test/engines/images.ts'
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
    await podman?.stop()
    rmSync(crashing.folder, { recursive: true, force: true })
  })

  describeCrashes(() => crashing)
})
