import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testImages } from '../../../test/engines/images.ts'
import { type Images, jobOf, runJob } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { openEmbeddedEngine } from './index.ts'

const missing =
  process.geteuid?.() === 0 ? ensurePrograms('busybox') : 'only root can give a folder a small disk'
const folder = freshFolder('small-disk')
const place = join(folder, 'disk')

let images: Images

beforeAll(async () => {
  if (missing !== undefined) return
  mkdirSync(place)
  images = await testImages(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', place])
})
afterAll(() => {
  if (missing === undefined) execFileSync('umount', [place])
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(missing !== undefined).each([
  [
    'slowly',
    'i=0; while :; do dd if=/dev/zero bs=1048576 count=1 2>/dev/null >/f$i || exit 1; i=$((i+1)); sleep 0.1; done',
  ],
  ['at once', 'cat /dev/zero >/big; exit 1'],
])('a disk smaller than the limit is not filled for good: %s', async (_how, script) => {
  const free = (): number => statfsSync(place).bavail * statfsSync(place).bsize
  const engine = await openEmbeddedEngine({
    folder: join(place, 'engine'),
    images: openArtifactStore({ folder: join(folder, 'images') }).images,
    supplies: { deliver: () => fail('internal.unexpected', 'nothing is supplied here') },
    clock: systemClock,
    runtime: 'plain',
  })
  const before = free()
  const { report } = await runJob(engine, jobOf({ script }, images.plain))
  await engine.close()

  expect(report.end).toEqual({ kind: 'limit', limit: 'disk' })
  expect(before - free()).toBeLessThan(1024 * 1024)
})
