import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../test/support/image.ts'
import { anInstance } from '../../test/support/rows.ts'
import { openTestStore } from '../../test/support/stores.ts'
import { type ArtifactStore, openArtifactStore } from '../artifacts/index.ts'
import { type Clock, systemChance, systemClock } from '../kit/clock.ts'
import { startArtifactSweep, sweepArtifacts } from './artifact-sweep.ts'

const home = freshFolder('artifact-sweep')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const never = new AbortController().signal
const later: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 }

async function unpackedImage(artifacts: ArtifactStore, name: string): Promise<string> {
  const root = writeTree(join(home, `root-${name}`), { [name]: name })
  const { reference } = await imageInLayout(join(home, 'layout'), name, { root })
  const { digest } = await artifacts.images.open(reference)
  await artifacts.images.unpack({ reference, digest, signal: never, progress: () => undefined })
  return digest
}

const names = ['offered', 'with-instances', 'named-by-a-package', 'enrolled', 'gone', 'never-named'] as const

test('what is offered, has instances or is named by a package in use stays; the rest goes once it is unused', async () => {
  await using opened = await openTestStore('sqlite')
  const { store } = opened
  const folder = join(home, 'images')
  const artifacts = openArtifactStore({ folder })
  const digests = new Map<string, string>()
  for (const name of names) digests.set(name, await unpackedImage(artifacts, name))
  await artifacts.close()
  const of = (name: (typeof names)[number]): string => digests.get(name) ?? ''
  const image = `registry.example/image@${of('named-by-a-package')}`
  const offering = { serviceId: 's', document: {} }
  await store.write(async (tx) => {
    await tx.putOffering({
      ...offering,
      planId: 'p1',
      digest: of('offered'),
      retired: false,
      document: { package: { notes: { images: [image] } } },
    })
    await tx.putOffering({ ...offering, planId: 'plan-1', digest: of('with-instances'), retired: true })
    await tx.putOffering({ ...offering, planId: 'p3', digest: of('gone'), retired: true })
    await tx.putInstance(anInstance())
    await tx.putEnrolment({
      name: 'e',
      reference: 'r',
      digest: of('enrolled'),
      contract: 'cnab',
      state: 'offered',
      document: {},
      updatedAt: 1,
    })
  })
  const left = (): readonly string[] => {
    const blobs = readdirSync(join(folder, 'blobs/sha256'))
    return names.filter((name) => blobs.includes(of(name).slice('sha256:'.length)))
  }
  const parts = {
    store,
    artifacts,
    chance: systemChance,
    fault: (error: unknown) => expect(error).toBe('none'),
  }

  await sweepArtifacts({ ...parts, clock: later, keepUnusedMs: 7_200_000 })
  expect(left()).toEqual(names)

  await sweepArtifacts({ ...parts, clock: later, keepUnusedMs: 60_000 })
  expect(left()).toEqual(['offered', 'with-instances', 'named-by-a-package', 'enrolled'])
})

test('sweeps again and again, also after one that failed, until it is stopped', async () => {
  await using opened = await openTestStore('sqlite')
  const faults: unknown[] = []
  let sweeps = 0
  let enough: () => void = () => undefined
  const thrice = new Promise<void>((resolve) => {
    enough = resolve
  })
  const artifacts = {
    sweep: async () => {
      if (++sweeps === 3) enough()
      if (sweeps === 1) throw new Error('the disk is away')
      return { blobs: 0, layers: 0, bytes: 0 }
    },
  }
  const pauses: number[] = []
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      pauses.push(ms)
      if (sweeps >= 3) await systemClock.sleep(ms, signal)
    },
  }

  const sweep = startArtifactSweep({
    store: opened.store,
    artifacts,
    clock,
    chance: systemChance,
    keepUnusedMs: 1,
    fault: (error) => faults.push(error),
  })
  await thrice
  await sweep.stop()

  expect(sweeps).toBe(3)
  expect(faults).toHaveLength(1)
  expect(pauses[0]).toBeLessThan(pauses[1] ?? 0)
})
