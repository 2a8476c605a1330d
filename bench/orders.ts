/** Provisions through OSB in turns with the same container on the engine alone: what a broker adds to it. */
import type { Engine } from '../src/engines/engine.ts'
import { runJob } from '../src/host/run-job.ts'
import { systemClock } from '../src/kit/clock.ts'
import type { JsonObject } from '../src/kit/json.ts'
import type { Job } from '../src/model/job.ts'
import { callOsb } from '../test/tweed/osb.ts'

/** The account of the platform in every configuration here. */
export const account = { user: 'platform', password: 'of-the-benchmark' }

/** Settings of a broker that offers these entries. */
export function offering(catalog: readonly JsonObject[]): JsonObject {
  return {
    http: { adminListen: 'off' },
    engine: 'embedded',
    shutdown: { drainDelay: '0s' },
    auth: { users: [{ name: account.user, password: account.password, role: 'platform' }] },
    catalog,
  }
}

export interface Pair {
  readonly ours: number
  /** The same run on the engine. */
  readonly alone: number
}

/** As many pairs as wanted, the two in turns, for each pays for what the one before it left to be cleared away. */
export async function inTurns(
  wanted: number,
  { ours, alone }: { ours(): Promise<number>; alone(): Promise<number> },
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<readonly Pair[]> {
  const found: Pair[] = []
  for (let i = 0; i < wanted; i++) {
    const first = i % 2 === 0 ? await pause().then(alone) : undefined
    await pause()
    const took = await ours()
    found.push({ ours: took, alone: first ?? (await pause().then(alone)) })
  }
  return found
}

/** How long a job takes on an engine, from layout to discard. */
export async function onEngine(engine: Engine, job: Job): Promise<number> {
  const begun = performance.now()
  const report = await runJob([engine], job, {
    cluster: 'bench',
    purpose: 'bench',
    signal: new AbortController().signal,
    log: () => Promise.resolve(),
    progress: () => undefined,
  })
  if (report.steps.some(({ exit }) => exit !== 0)) throw new Error(JSON.stringify(report.steps))
  return performance.now() - begun
}

/** Instances that any platform here has ordered. */
let orders = 0

interface CatalogAnswer {
  readonly services: readonly {
    readonly id: string
    readonly name: string
    readonly plans: readonly { readonly id: string }[]
  }[]
}

/** A platform that asks finely only when the end is near: asking costs the broker time, too. */
export async function connect(url: string, serviceName: string) {
  const at = { url, ...account }
  const { body } = await callOsb(at, 'GET', '/v2/catalog')
  const service = (body as CatalogAnswer).services.find(({ name }) => name === serviceName)
  const ids = { service_id: service?.id, plan_id: service?.plans[0]?.id }
  let shortest = 0
  return {
    /** The next may be quicker than the shortest so far. */
    forget() {
      shortest = 0
    },
    /** From the request to the first answer that says succeeded. */
    async provision(parameters: JsonObject = {}): Promise<number> {
      const order = JSON.stringify({ ...ids, organization_guid: 'o', space_guid: 's', parameters })
      const path = `/v2/service_instances/${serviceName}-${orders++}`
      const begun = performance.now()
      const { status, body: accepted } = await callOsb(at, 'PUT', `${path}?accepts_incomplete=true`, order)
      if (status !== 202) throw new Error(JSON.stringify(accepted))
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
