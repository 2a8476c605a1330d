/** What the broker adds to a pattern's own container: provision through OSB, from request to succeeded, minus the same run on the bare engine. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { tweed } from '../../src/contracts/tweed/index.ts'
import { openEmbeddedEngine } from '../../src/engines/index.ts'
import { runJob } from '../../src/host/run-job.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { Job } from '../../src/model/job.ts'
import { startBrokerProcess } from '../../test/support/broker-process.ts'
import { openTheatre } from '../../test/tweed/cases.ts'
import { callOsb } from '../../test/tweed/osb.ts'
import { situation } from '../../test/tweed/stage.ts'
import { median } from '../figures.ts'

const rounds = 40
const warmUp = 40
/** After such a pause the broker has nothing left to do, and the next container waits. */
const pauseMs = 700
const pausedRounds = 20
const goalMs = 15
const account = { user: 'platform', password: 'of-the-benchmark' }

export async function bench(): Promise<void> {
  const theatre = await openTheatre()
  const reference = await theatre.shop.build('bench', { ops: { provision: 'exit 0\n' } })
  const config = join(theatre.folder, 'chandler.yml')
  writeFileSync(config, JSON.stringify(configuration(reference)))
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
    const platform = await connect(broker.url)
    const onEngine = async (): Promise<number> => {
      const begun = performance.now()
      await runJob([engine], job, quiet())
      return performance.now() - begun
    }
    let count = 0
    const pairs = async (wanted: number, pause: () => Promise<void>): Promise<readonly Pair[]> => {
      const found: Pair[] = []
      for (let i = 0; i < wanted; i++) {
        // In turns, for each pays for what the one before it left to be cleared away.
        const first = i % 2 === 0 ? await pause().then(onEngine) : undefined
        await pause()
        const ours = await platform.provision(`b${count++}`)
        found.push({ ours, alone: first ?? (await pause().then(onEngine)) })
      }
      return found
    }
    const busy = await pairs(warmUp + rounds, () => Promise.resolve())
    tell('provision through OSB, one right after another', busy.slice(warmUp))
    platform.forget()
    tell('provision through OSB, after a pause', await pairs(pausedRounds, () => systemClock.sleep(pauseMs)))
  } finally {
    await engine.close()
    await store.close()
    await broker.end('SIGTERM')
    theatre.close()
  }
}

interface Pair {
  readonly ours: number
  /** The same run on the engine. */
  readonly alone: number
}

function tell(what: string, pairs: readonly Pair[]): void {
  const [ours, alone] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.alone))]
  const added = median(pairs.map((pair) => pair.ours - pair.alone))
  console.log(
    `${what}: ${ours.toFixed(1)} ms against ${alone.toFixed(1)} ms on the engine alone; added by pairs ${added.toFixed(1)} ms (goal less than ${goalMs}: ${added < goalMs ? 'met' : 'missed'})`,
  )
}

function configuration(reference: string) {
  const user = { name: account.user, password: account.password, role: 'platform' }
  return {
    http: { adminListen: 'off' },
    engine: 'embedded',
    shutdown: { drainDelay: '0s' },
    auth: { users: [user] },
    catalog: [
      { package: reference, contract: 'tweed', service: { name: 'bench' }, plans: [{ name: 'plan' }] },
    ],
  }
}

async function provisionJob(reference: string, digest: string): Promise<Job> {
  const prepared = tweed.prepare({ kind: 'provision' }, await situation())
  if (prepared.kind !== 'job') throw new Error(prepared.kind)
  return { ...prepared.job, program: { kind: 'image', reference, digest } }
}

function quiet() {
  return {
    cluster: 'bench',
    purpose: 'bench',
    signal: new AbortController().signal,
    log: () => Promise.resolve(),
    progress: () => undefined,
  }
}

interface CatalogAnswer {
  readonly services: readonly { readonly id: string; readonly plans: readonly { readonly id: string }[] }[]
}

/** A platform that asks finely only when the end is near: asking costs the broker time, too. */
async function connect(url: string) {
  const at = { url, ...account }
  const { body } = await callOsb(at, 'GET', '/v2/catalog')
  const [service] = (body as CatalogAnswer).services
  const ids = { service_id: service?.id, plan_id: service?.plans[0]?.id }
  const order = JSON.stringify({ ...ids, organization_guid: 'o', space_guid: 's' })
  let shortest = 0
  return {
    /** The next may be quicker than the shortest so far. */
    forget() {
      shortest = 0
    },
    /** From the request to the first answer that says succeeded. */
    async provision(instance: string): Promise<number> {
      const path = `/v2/service_instances/${instance}`
      const begun = performance.now()
      await callOsb(at, 'PUT', `${path}?accepts_incomplete=true`, order)
      const spent = () => performance.now() - begun
      await systemClock.sleep(Math.max(0, shortest * 0.85 - spent()))
      for (;;) {
        const { body: answer } = await callOsb(at, 'GET', `${path}/last_operation`)
        const { state } = answer as { readonly state?: string }
        if (state === 'succeeded') break
        if (state === 'failed') throw new Error(JSON.stringify(answer))
        await systemClock.sleep(1)
      }
      const took = spent()
      shortest = shortest === 0 ? took : Math.min(shortest, took)
      return took
    },
  }
}
