/** What the broker adds to a pattern's own container: provision through OSB, from request to succeeded, minus the same run on the bare engine. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { openEngines } from '../../src/compose/engines.ts'
import { runJob } from '../../src/compose/run-job.ts'
import { tweed } from '../../src/contracts/tweed/index.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { Job } from '../../src/model/job.ts'
import { Stage } from '../../test/tweed/case-stage.ts'
import { openTheatre } from '../../test/tweed/cases.ts'
import { situation } from '../../test/tweed/stage.ts'
import { median } from '../figures.ts'

const rounds = 25
const warmUp = 5
const goalMs = 15

export async function bench(): Promise<void> {
  const theatre = await openTheatre({ engine: 'embedded' })
  const image = { ops: { provision: 'exit 0\n' } }
  const reference = await theatre.shop.build('bench', image)
  const images = join(theatre.folder, 'images')
  const one = { id: 'bench', title: 'nothing to do', image, steps: [] }
  const stage = new Stage({
    folder: mkdtempSync(join(theatre.folder, 'bench-')),
    images,
    reference,
    case: one,
    ...(theatre.settings ? { settings: theatre.settings } : {}),
  })
  const store = openArtifactStore({ folder: images })
  const engines = await openEngines({
    folder: join(theatre.folder, 'bare'),
    clock: systemClock,
    artifacts: store,
    choice: 'embedded',
  })
  try {
    const { digest } = await store.images.open(reference)
    const job = await provisionJob(reference, digest)
    const withBroker: number[] = []
    const bare: number[] = []
    for (let i = 0; i < rounds + warmUp; i++) {
      const ours = await provision(stage, `b${i}`)
      const begun = performance.now()
      await runJob(engines, job, {
        cluster: 'bench',
        purpose: 'bench',
        signal: new AbortController().signal,
        log: () => Promise.resolve(),
        progress: () => undefined,
      })
      if (i < warmUp) continue
      bare.push(performance.now() - begun)
      withBroker.push(ours)
    }
    const added = median(withBroker) - median(bare)
    console.log(
      `provision through OSB: ${median(withBroker).toFixed(1)} ms against ${median(bare).toFixed(1)} ms on the engine alone = ${added.toFixed(1)} ms added (goal less than ${goalMs}: ${added < goalMs ? 'met' : 'missed'})`,
    )
  } finally {
    for (const engine of engines) await engine.close()
    await stage.close()
    theatre.close()
  }
}

async function provisionJob(reference: string, digest: string): Promise<Job> {
  const prepared = tweed.prepare({ kind: 'provision' }, await situation())
  if (prepared.kind !== 'job') throw new Error(prepared.kind)
  return { ...prepared.job, program: { kind: 'image', reference, digest } }
}

/** From the request to the first poll that says succeeded, polling without a pause. */
async function provision(stage: Stage, instance: string): Promise<number> {
  const ids = await stage.ids()
  const body = JSON.stringify({ ...ids, organization_guid: 'o', space_guid: 's' })
  const begun = performance.now()
  await stage.osb('PUT', `/${instance}?accepts_incomplete=true`, body)
  for (;;) {
    const { body: answer } = await stage.osb('GET', `/${instance}/last_operation`)
    const { state } = answer as { readonly state?: string }
    if (state === 'succeeded') return performance.now() - begun
    if (state === 'failed') throw new Error(JSON.stringify(answer))
    await systemClock.sleep(1)
  }
}
