/**
 * No-op jobs per second on PostgreSQL: our worker, from claim to settled, against graphile-worker on the same server.
 * It writes to the disk as one in production does.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Logger, run, runMigrations } from 'graphile-worker'
import { Pool } from 'pg'
import { makeCatalog, type Offer } from '../../src/broker/catalog.ts'
import { offeringsOf } from '../../src/broker/offering.ts'
import type { Ports } from '../../src/broker/ports.ts'
import { provision } from '../../src/broker/provision.ts'
import { sim } from '../../src/contracts/sim/index.ts'
import { systemChance, systemClock } from '../../src/kit/clock.ts'
import { ulidSource } from '../../src/kit/id.ts'
import { openStore } from '../../src/store/index.ts'
import { openKeyRing } from '../../src/store/keys.ts'
import { endHints } from '../../src/work/end-hints.ts'
import { makeLogWriter } from '../../src/work/log-writer.ts'
import type { Tools } from '../../src/work/tools.ts'
import { startWorker } from '../../src/work/worker.ts'
import { type PostgresServer, startPostgres } from '../../test/support/postgres.ts'
import { type Figure, median } from '../figures.ts'
import { tellQuiet, undisturbed } from './undisturbed.ts'

const jobs = 6000
const rounds = 5
const triesMax = 8
/** Jobs at work at once: as many as run while polls are measured; the goal is for these. */
const busy = 200
/** To be seen beside it. */
const lessBusy = 64
/** Connections they share. */
const connections = 12

export async function jobsPerSecond(): Promise<readonly Figure[]> {
  const server = await startPostgres({ durable: true })
  try {
    return [{ ...(await rates(server, busy)), goal: { atLeast: 1 } }, await rates(server, lessBusy)]
  } finally {
    await server.stop()
  }
}

/** Both with as many at once, by turns. */
async function rates(server: PostgresServer, atOnce: number): Promise<Figure> {
  const round = async () => ({
    peer: await graphile(await server.database(), atOnce),
    ours: await chandler(await server.database(), atOnce),
  })
  // Both work for months: the code of neither is still being compiled.
  await round()
  const quiet = await undisturbed(rounds, triesMax, round)
  tellQuiet(`jobs, ${atOnce} at once`, quiet)
  const seen = quiet.samples.map((sample) => sample.seen)
  return {
    name: `no-op jobs on PostgreSQL, ${atOnce} at once, against graphile-worker`,
    ours: median(seen.map(({ ours }) => ours)),
    floor: median(seen.map(({ peer }) => peer)),
    unit: 'jobs/s',
  }
}

async function graphile(url: string, atOnce: number): Promise<number> {
  const pool = new Pool({ connectionString: url, max: connections })
  await runMigrations({ pgPool: pool })
  await pool.query(`SELECT graphile_worker.add_job('nothing') FROM generate_series(1, $1)`, [jobs])
  const begun = performance.now()
  let done = 0
  const all = Promise.withResolvers<void>()
  const runner = await run({
    pgPool: pool,
    concurrency: atOnce,
    noHandleSignals: true,
    pollInterval: 1000,
    logger: new Logger(() => () => undefined),
    taskList: {
      nothing: () => {
        if (++done === jobs) all.resolve()
        return Promise.resolve()
      },
    },
  })
  await all.promise
  const rate = jobs / ((performance.now() - begun) / 1000)
  await runner.stop()
  await pool.end()
  return rate
}

async function chandler(url: string, atOnce: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'))
  const keys = openKeyRing(join(folder, 'keys.json'), systemChance)
  const store = await openStore({ url, keys, clock: systemClock, poolSize: connections })
  const offer = await simOffer()
  const catalog = makeCatalog([offer])
  await store.write(async (tx) => {
    for (const offering of offeringsOf(catalog)) await tx.putOffering(offering)
  })
  const hour = 3_600_000
  const ports: Ports = {
    store,
    clock: systemClock,
    chance: systemChance,
    node: 'bench',
    newId: ulidSource(systemChance),
    policy: () => ({
      deadlineMs: {
        provision: hour,
        update: hour,
        deprovision: hour,
        bind: hour,
        unbind: hour,
        invoke: hour,
      },
      queuedPerPlatformMax: jobs * 2,
    }),
    contract: () => sim,
    catalog: () => catalog,
    refuses: () => undefined,
    infrastructure: () => ({}),
    began: () => undefined,
    accepted: () => undefined,
  }
  for (let i = 0; i < jobs; i += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, j) =>
        provision(
          ports,
          { platform: 'bench', account: { kind: 'platform', id: 'bench' }, requestId: 'bench' },
          {
            instance: `i${i + j}`,
            serviceId: offer.service.id,
            planId: offer.plan.id,
            organization: 'o',
            space: 's',
            parameters: {},
            context: {},
            acceptsIncomplete: true,
          },
        ),
      ),
    )
  }
  const all = Promise.withResolvers<void>()
  let done = 0
  const { id, epoch } = await store.look.cluster()
  const tools: Tools = {
    ports,
    cluster: { id, epoch },
    engines: [],
    bell: endHints(),
    logs: makeLogWriter(ports.store, ports.clock),
    room: () => ({ concurrency: atOnce, perPlatform: atOnce }),
    limits: {
      leaseMs: 15_000,
      heartbeatMs: 5000,
      stagesMax: 5,
      attemptsMax: 3,
    },
    report: {
      event: (event) => {
        if (event.kind === 'ended' && ++done === jobs) all.resolve()
      },
    },
  }
  const begun = performance.now()
  const worker = startWorker(tools)
  await all.promise
  const rate = jobs / ((performance.now() - begun) / 1000)
  await worker.drain()
  await store.close()
  return rate
}

async function simOffer(): Promise<Offer> {
  const reading = await sim.read(
    { kind: 'document', reference: 'sim:', digest: 'sha256:sim', bytes: new Uint8Array() },
    { options: {} },
  )
  if (reading.kind !== 'package') throw new TypeError('sim is no package')
  const [service] = reading.package.services
  const [plan] = service?.plans ?? []
  if (service === undefined || plan === undefined) throw new TypeError('sim has no plan')
  return { package: reading.package, service: { ...service, id: 'service' }, plan: { ...plan, id: 'plan' } }
}
