/** The one table of what an engine does; every engine is given it, and what comes around starting, stopping and finding. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Engine } from '../src/engines/engine.ts'
import { testImages } from './engines/images.ts'
import { describeLife } from './engines/life.ts'
import type { Row } from './engines/row.ts'
import { confinementRows } from './engines/rows-confinement.ts'
import { endingRows } from './engines/rows-endings.ts'
import { fileRows } from './engines/rows-files.ts'
import { programRows } from './engines/rows-programs.ts'
import { streamRows } from './engines/rows-streams.ts'
import { type Candidate, discardAll, type Images, jobOf, runJob } from './engines/run-row.ts'
import { freshFolder } from './support/image.ts'

export const rows: readonly Row[] = [
  ...programRows,
  ...fileRows,
  ...streamRows,
  ...endingRows,
  ...confinementRows,
]

/** Gives the engine the whole table. */
export function engineSuite(candidate: Candidate): void {
  describe.skipIf(candidate.missing !== undefined)(candidate.name, () => {
    const folder = freshFolder(`engine-${candidate.name}`)
    let engine: Engine
    let images: Images

    beforeAll(async () => {
      images = await testImages(folder)
      engine = await candidate.open(folder, images)
    })
    afterAll(async () => {
      // A test that failed in its midst may have left a run, and a run has mounts.
      if (engine) await discardAll(engine)
      await engine?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const own = rows.filter(
      ({ title, act }) => (candidate.shell || act !== undefined) && candidate.only?.includes(title) !== false,
    )
    test.for(own)('$title', async (row, { skip }) => {
      const job = jobOf(row, images[row.image ?? 'plain'])
      const refused = engine.refuses(job)
      const why = refused?.detail ?? row.cannot?.(engine.facts) ?? candidate.skips?.[row.title]
      if (why !== undefined) skip(why)

      row.see(await runJob(engine, job))
    })

    describeLife(() => ({ engine, images, candidate, folder }))
  })
}
