/** What the broker adds to a pattern's own container: provision through OSB, from request to succeeded, minus the same run on the bare engine. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { tweed } from '../../src/contracts/tweed/index.ts'
import { openEmbeddedEngine } from '../../src/engines/index.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import type { Job } from '../../src/model/job.ts'
import { startBrokerProcess } from '../../test/support/broker-process.ts'
import { openTheatre } from '../../test/tweed/cases.ts'
import { situation } from '../../test/tweed/stage.ts'
import { median } from '../figures.ts'
import { connect, inTurns, offering, onEngine, type Pair } from '../orders.ts'

const rounds = 40
const warmUp = 40
/** After such a pause the broker has nothing left to do, and the next container waits. */
const pauseMs = 700
const pausedRounds = 20
const goalMs = 15

export async function bench(): Promise<void> {
  const theatre = await openTheatre()
  const reference = await theatre.shop.build('bench', { ops: { provision: 'exit 0\n' } })
  const config = join(theatre.folder, 'chandler.yml')
  writeFileSync(config, JSON.stringify(offering([entry(reference)])))
  const dataDir = join(theatre.folder, 'data')
  // In a process of its own, as it is in life: what the client does here must not hold it up.
  const broker = await startBrokerProcess({ dataDir, config })
  const store = openArtifactStore({ folder: join(dataDir, 'images') })
  // In the same folder, for what a file system takes for a new file differs from folder to folder.
  const engine = await openEmbeddedEngine({
    folder: join(dataDir, 'embedded'),
    clock: systemClock,
    images: store.images,
    supplies: store,
  })
  try {
    const { digest } = await store.images.open(reference)
    const job = await provisionJob(reference, digest)
    const platform = await connect(broker.url, 'bench')
    const turns = { ours: () => platform.provision(), alone: () => onEngine(engine, job) }
    const busy = await inTurns(warmUp + rounds, turns)
    tell('provision through OSB, one right after another', busy.slice(warmUp))
    platform.forget()
    tell(
      'provision through OSB, after a pause',
      await inTurns(pausedRounds, turns, () => systemClock.sleep(pauseMs)),
    )
  } finally {
    await engine.close()
    await store.close()
    await broker.end('SIGTERM')
    theatre.close()
  }
}

function tell(what: string, pairs: readonly Pair[]): void {
  const [ours, alone] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.alone))]
  const added = median(pairs.map((pair) => pair.ours - pair.alone))
  console.log(
    `${what}: ${ours.toFixed(1)} ms against ${alone.toFixed(1)} ms on the engine alone; added by pairs ${added.toFixed(1)} ms (goal less than ${goalMs}: ${added < goalMs ? 'met' : 'missed'})`,
  )
}

function entry(reference: string): JsonObject {
  return { package: reference, contract: 'tweed', service: { name: 'bench' }, plans: [{ name: 'plan' }] }
}

async function provisionJob(reference: string, digest: string): Promise<Job> {
  const prepared = tweed.prepare({ kind: 'provision' }, await situation())
  if (prepared.kind !== 'job') throw new Error(prepared.kind)
  return { ...prepared.job, program: { kind: 'image', reference, digest } }
}
