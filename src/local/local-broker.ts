/** A broker without a server: the store of a data folder, shared with other commands, and a worker in this process. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { makeCatalog, type Offer } from '../broker/catalog.ts'
import { offeringsOf } from '../broker/offering.ts'
import { type Asker, orders } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { cnabInstallation } from '../contracts/cnab/index.ts'
import type { Engine } from '../engines/engine.ts'
import { endProcess } from '../host/end-process.ts'
import { contractNamed } from '../host/read-package.ts'
import { openWorkshop, type Workshop } from '../host/workshop.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import { ulidSource } from '../kit/id.ts'
import { canonical } from '../kit/json.ts'
import { type Problem, toProblem } from '../model/problem.ts'
import { faultOfHost } from '../model/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import { openStore } from '../store/index.ts'
import { type KeyRing, openKeyRing } from '../store/keys.ts'
import { makePrivateFolder } from '../store/private-folder.ts'
import type { Store } from '../store/store.ts'
import { endHints } from '../work/end-hints.ts'
import { makeLogWriter } from '../work/log-writer.ts'
import { sweep } from '../work/maintenance.ts'
import { engineFor, type Tools } from '../work/tools.ts'
import type { WorkEvent } from '../work/work-report.ts'
import { startWorker, type Worker } from '../work/worker.ts'
import { driverEngine } from './cnab/driver-engine.ts'
import { runAboutOf } from './cnab/run-about.ts'
import { ownerName } from './owner.ts'
import { takeOver } from './take-over.ts'

/** The platform that all instances of commands belong to. */
export const localPlatform = 'local'

export interface LocalBroker {
  readonly dataDir: string
  /** Where packages are read. */
  readonly workshop: Workshop
  readonly ports: Ports
  readonly bell: Tools['bell']
  readonly store: Store
  /** The account that orders; each order is a request of its own. */
  asker(): Asker
  /** Lets orders name these offers, and keeps them for commands that come later. */
  offer(offers: readonly Offer[]): Promise<void>
  /** Has the worker take up these operations, and no others but those it was told of before. */
  workOn(operations: readonly string[]): void
  /** Calls back with what the worker reports, until the signal fires. */
  onWork(listener: (event: WorkEvent) => void, signal: AbortSignal): void
  /** Gives what is still under way to whichever command takes it up next. */
  close(): Promise<void>
}

export interface LocalBrokerOptions {
  readonly dataDir: string
  /** Absent: this command only looks. */
  readonly engine?: Settings['engine']
  /** The program of a CNAB driver that runs everything instead of the engines. */
  readonly driver?: string
}

const limits = { leaseMs: 10_000, heartbeatMs: 2000, stagesMax: 20, attemptsMax: 3 } as const
/** Jobs have limits of their own; this ends an operation that no command has come back to. */
const dayMs = 86_400_000
const openMs = 10_000
/** As in a broker: younger ones may still be in work, or belong to a row that is not seen yet. */
const leftovers = { orphanAgeMs: 3_600_000, leftoverAgeMs: 10_000 } as const

/** Opens the house of a data folder; it is made when it is not there. Problems: file.unwritable, store.locked, store.newer, key.wrong. */
export async function openLocalBroker(options: LocalBrokerOptions): Promise<LocalBroker> {
  const dataDir = resolve(options.dataDir)
  const folder = join(dataDir, 'local')
  makePrivateFolder(folder)
  const [workshop, { store, ring }] = await Promise.all([
    openWorkshop(dataDir, options.engine ?? 'none'),
    openShared(folder),
  ])
  const offered = new Map<string, Offer>()
  const driver = driverEngine(options.driver, (operation) => runAboutOf(store, operation))
  const engines = [driver, ...workshop.room.engines]
  const ports = portsOf({ store, engines, offered })
  await takeOver(folder, ring, ports)
  const bell = endHints()
  const wanted = new Set<string>()
  const hearing = new Set<(event: WorkEvent) => void>()
  const cluster = await store.look.cluster()
  let worker: Worker | undefined
  let sweeping: Promise<void> | undefined
  const tools: Tools = {
    ports,
    cluster,
    engines,
    bell,
    logs: makeLogWriter(store, systemClock),
    limits,
    room: () => ({ concurrency: 16, perPlatform: 1000, only: [...wanted] }),
    report: {
      event: (event) => {
        for (const hear of hearing) hear(event)
      },
    },
  }
  // What commands left that were killed between the end of an operation and the removal of its run. An engine that is away is
  // none of this command's business, so nothing is told of it.
  const sweepQuietly = () =>
    sweep({ ...tools, report: { event: () => undefined } }, leftovers).catch(() => undefined)
  return {
    dataDir,
    workshop,
    ports,
    bell,
    store,
    asker: () => ({
      platform: localPlatform,
      account: { kind: 'user', id: userName() },
      requestId: ports.newId(systemClock.now()),
    }),
    async offer(offers) {
      for (const offer of offers) offered.set(offer.plan.id, offer)
      await keepOffers(store, offers)
    },
    workOn(operations) {
      for (const id of operations) wanted.add(id)
      worker ??= startWorker(tools)
      sweeping ??= sweepQuietly()
      worker.wake()
    },
    onWork(listener, signal) {
      hearing.add(listener)
      signal.addEventListener('abort', () => hearing.delete(listener))
    },
    async close() {
      await worker?.drain()
      await sweeping
      await store.close()
      await workshop.close()
    },
  }
}

interface Shared {
  readonly store: Store
  readonly ring: KeyRing
}

/** Of commands that start at once on a new folder one makes the key ring; the others read it after that. */
async function openShared(folder: string): Promise<Shared> {
  const file = join(folder, 'keys.json')
  const wasThere = existsSync(file)
  const ring = openKeyRing(file, systemChance)
  try {
    const store = await openStore({
      url: `sqlite:${join(folder, 'chandler.db')}`,
      keys: ring,
      clock: systemClock,
      chance: systemChance,
      processes: 'shared',
      connectMs: openMs,
      lost: endProcess,
    })
    return { store, ring }
  } catch (error) {
    if (wasThere || toProblem(error).code !== 'key.missing' || !existsSync(file)) throw error
    return openShared(folder)
  }
}

interface PortsParts {
  readonly store: Store
  readonly engines: readonly Engine[]
  readonly offered: ReadonlyMap<string, Offer>
}

function portsOf({ store, engines, offered }: PortsParts): Ports {
  const kinds = ['provision', 'update', 'deprovision', 'bind', 'unbind', 'invoke'] as const
  const deadlineMs = Object.fromEntries(kinds.map((kind) => [kind, dayMs])) as Record<
    (typeof kinds)[number],
    number
  >
  return {
    store,
    clock: systemClock,
    chance: systemChance,
    node: ownerName(systemChance),
    newId: ulidSource(systemChance),
    policy: () => ({ deadlineMs, queuedPerPlatformMax: 1000 }),
    contract: (name) => (name === cnabInstallation.name ? cnabInstallation : contractNamed(name)),
    catalog: () => makeCatalog([...offered.values()]),
    refuses: (job) => (engineFor(engines, job) ? undefined : refusalOf(engines, job)),
    // Sealed with the instance, so that another command can go on with its work.
    infrastructure: async (_, { key, look }) => (await orders.lent(look, key)) ?? {},
    began: () => undefined,
    accepted: () => undefined,
  }
}

/** Why no engine runs a job: the first that says more than that it does not. */
function refusalOf(engines: readonly Engine[], job: Parameters<Engine['refuses']>[0]): Problem {
  const reasons = engines.map((engine) => engine.refuses(job))
  const said = reasons.find((one) => one?.detail)?.detail
  return faultOfHost(reasons) ?? { code: 'engine.refused', detail: said ?? job.program.kind }
}

/** An offer that is kept as it is already is not written again. */
async function keepOffers(store: Store, offers: readonly Offer[]): Promise<void> {
  const offerings = offeringsOf(makeCatalog(offers))
  const kept = await Promise.all(offerings.map(({ planId, digest }) => store.look.offering(planId, digest)))
  const changed = offerings.filter((one, i) => {
    const before = kept[i]
    return before?.digest !== one.digest || canonical(before.document) !== canonical(one.document)
  })
  if (changed.length === 0) return
  await store.write(async (tx) => {
    for (const offering of changed) await tx.putOffering(offering)
  })
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A user id without an entry has no name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
