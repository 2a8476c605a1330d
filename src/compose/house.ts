/** What carries the broker's work: store, engines, catalog, workers and the loops beside them. */
import { hostname } from 'node:os'
import type { ArtifactStore } from '../artifacts/index.ts'
import type { Ports } from '../broker/ports.ts'
import { type LiveCatalog, makeLiveCatalog } from '../catalog/live-catalog.ts'
import { checkReference, readForSandbox } from '../catalog/sandbox.ts'
import { startSourceRefresh } from '../catalog/source-refresh.ts'
import type { Engine } from '../engines/engine.ts'
import { openPreparer, type Preparer } from '../host/apart/prepare.ts'
import { openArtifacts } from '../host/artifacts.ts'
import { secretsOf } from '../host/cluster-reviews.ts'
import { openEngines } from '../host/engines.ts'
import { contractNamed } from '../host/read-package.ts'
import { signingOf } from '../host/signing.ts'
import type { Metrics } from '../http/metrics.ts'
import type { OperatorPorts } from '../http/operator/ports.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import { ulidSource } from '../kit/id.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import { makeBeforehand } from '../work/beforehand.ts'
import { startDeliveries } from '../work/deliveries.ts'
import { endHints } from '../work/end-hints.ts'
import { foresee } from '../work/foresee.ts'
import { makeLogWriter } from '../work/log-writer.ts'
import { type Maintenance, startMaintenance } from '../work/maintenance.ts'
import { engineFor, refusedBy, type Tools } from '../work/tools.ts'
import { startWorker, type Worker } from '../work/worker.ts'
import { makeAcceptances } from './acceptances.ts'
import { startArtifactSweep } from './artifact-sweep.ts'
import { measuredArtifacts, measuredEngine, measuredStore, startProbes } from './measured.ts'
import { tellPackages } from './package-words.ts'
import { makeRules, type Rules, workLimitsOf } from './settings-of-parts.ts'
import { openBrokerStore } from './store.ts'
import { startStoreWatch } from './store-watch.ts'
import type { Telemetry } from './telemetry.ts'
import { type BrokerSpans, tracedStore } from './traces.ts'

const clock = systemClock
const chance = systemChance

export interface House {
  readonly artifacts: ArtifactStore
  readonly rules: Rules
  readonly shelf: LiveCatalog
  readonly tools: Tools
  readonly worker: Worker
  readonly maintenance: Maintenance
  readonly probes: ReturnType<typeof startProbes>
  readonly sandbox: OperatorPorts['sandbox']
  /** Reads what was decided for tenants by command, and what is offered in them. */
  takeTenants(): Promise<void>
  close(): Promise<void>
}

interface HouseParts extends Pick<Telemetry, 'report'> {
  readonly ring: KeyRing
  readonly metrics: Metrics
  /** Processes that worked on this store before shall not any more. */
  readonly takeOver: boolean | undefined
  /** Absent: no traces are wanted. */
  readonly spans: BrokerSpans | undefined
}

/** Opens all of it; its loops turn as soon as this resolves. */
export async function openHouse(settings: Settings, parts: HouseParts): Promise<House> {
  const { ring, metrics, report, takeOver, spans } = parts
  const rules = makeRules(settings)
  const opened = await openBrokerStore(settings, { ring, clock, chance, report })
  const store = tracedStore(measuredStore(opened, metrics, clock), spans)
  const watch = (kind: 'tenants' | 'sandbox', doing: string, take: () => Promise<unknown>) =>
    startStoreWatch({
      store,
      kind,
      take,
      clock,
      fault: (error) => report.event({ kind: 'fault', doing, error }),
    })
  // Before anything is offered or carried out.
  const tenants = await watch('tenants', 'read what holds for tenants', async () =>
    rules.takeTenants(await store.look.tenantRules()),
  )
  const leaving = new AbortController()
  const packages = await openPackages(settings, { ...parts, store, rules, signal: leaving.signal })
  const { artifacts, engines, shelf, preparer, sandbox } = packages
  const ports = portsOf({ ...packages, store, rules, metrics, spans, node: nodeNameOf(settings) })
  await shelf.fill(settings.catalog)
  if (takeOver) await store.write((tx) => tx.raiseEpoch())
  const cluster = await store.look.cluster()
  const beforehand = makeBeforehand(cluster.id, clock, (error) =>
    report.event({ kind: 'fault', doing: 'prepare for later runs', error }),
  )
  const limits = workLimitsOf(settings)
  const { room } = rules
  const logs = makeLogWriter(store, clock)
  const bell = endHints()
  const tools: Tools = { ports, cluster, engines, bell, logs, limits, room, report, beforehand, spans }
  const worker = startWorker(tools)
  const maintenance = startMaintenance(tools, rules.maintenance)
  const deliveries = startDeliveries({
    tools,
    secrets: secretsOf(settings.kubernetes, clock),
    isWanted: () => (rules.policy().bindingSecrets?.size ?? 0) > 0,
  })
  const probes = startProbes(engines, metrics, clock)
  const sandboxes = await watch('sandbox', 'offer what stands in sandboxes', async () => {
    if (await shelf.takeSandboxes()) foresee(tools, shelf.lentTo)
  })
  const catalogLoops = startCatalogLoops(settings, { tools, shelf, artifacts, leaving })
  return {
    ...{ artifacts, rules, shelf, tools, worker, maintenance, probes, sandbox },
    takeTenants: async () => {
      await tenants.refresh()
      await sandboxes.refresh()
    },
    async close() {
      await tenants.stop()
      await sandboxes.stop()
      await probes.stop()
      await maintenance.stop()
      await deliveries.stop()
      await catalogLoops.stop()
      await worker.drain()
      await beforehand.close()
      preparer.close()
      for (const engine of engines) await engine.close()
      await store.close()
    },
  }
}

function nodeNameOf({ node }: Settings): string {
  return node.name ?? `${hostname()}-${Buffer.from(chance.bytes(4)).toString('hex')}`
}

interface Packages {
  readonly artifacts: ArtifactStore
  readonly engines: readonly Engine[]
  readonly shelf: LiveCatalog
  readonly preparer: Preparer
  readonly sandbox: OperatorPorts['sandbox']
}

/** Where packages are read, offered and run. */
async function openPackages(
  settings: Settings,
  {
    store,
    rules,
    metrics,
    report,
    spans,
    signal,
  }: HouseParts & { readonly store: Store; readonly rules: Rules; readonly signal: AbortSignal },
): Promise<Packages> {
  const opened = openArtifacts(settings, {
    loginFor: (host, repository) => shelf.loginFor(host, repository),
    arrived: metrics.imageArrived,
    traced: spans?.registry,
  })
  const artifacts = measuredArtifacts(opened, metrics, clock)
  const { dataDir: folder, engine: choice, kubernetes, runs, tenants } = settings
  const named = tenants.flatMap(({ engine }) => engine ?? [])
  const { network } = runs
  const ofTenants = () => rules.policy().tenants ?? []
  const decided = ofTenants().flatMap(({ engine }) => engine ?? [])
  const found = await openEngines({
    ...{ folder, clock, artifacts, choice, kubernetes, network, named, decided },
    unopened: (name, error) => report.event({ kind: 'fault', doing: `open the engine ${name}`, error }),
  })
  const engines = found.map((engine) => measuredEngine(engine, metrics, clock, spans))
  const tell = tellPackages(metrics, report)
  const reading = { artifacts, engines, signing: signingOf(settings), tenants: ofTenants }
  const shelf = makeLiveCatalog({ store, room: reading, clock, signal, tell })
  const sandbox: OperatorPorts['sandbox'] = {
    async read(one, registries, gone) {
      checkReference(one.reference, registries)
      return readForSandbox(reading, one, AbortSignal.any([gone, signal]))
    },
  }
  return { artifacts, engines, shelf, preparer: openPreparer(), sandbox }
}

interface PortParts extends Packages, Pick<HouseParts, 'spans'> {
  readonly store: Store
  readonly rules: Rules
  readonly metrics: Metrics
  readonly node: string
}

/** What the broker may touch of the world. */
function portsOf({ store, node, rules, shelf, engines, metrics, preparer, spans }: PortParts): Ports {
  return {
    store,
    clock,
    chance,
    node,
    newId: ulidSource(chance),
    policy: rules.policy,
    contract: contractNamed,
    apart: preparer.prepare,
    catalog: () => shelf.catalog(),
    refuses: (job, name) => (engineFor(engines, job, name) ? undefined : refusedBy(engines, job, name)),
    infrastructure: shelf.lentTo,
    ...makeAcceptances(metrics, spans),
  }
}

interface CatalogLoopParts extends Pick<Packages, 'artifacts' | 'shelf'> {
  readonly tools: Tools
  /** Aborted when the lists of sources are to end. */
  readonly leaving: AbortController
}

/** Lists sources again and gives back the room of packages that nothing uses. */
function startCatalogLoops(
  settings: Settings,
  { tools, shelf, artifacts, leaving }: CatalogLoopParts,
): { stop(): Promise<void> } {
  const { ports, report } = tools
  const fault = (doing: string) => (error: unknown) => report.event({ kind: 'fault', doing, error })
  const refresh = startSourceRefresh({
    ...{ shelf, clock, chance, leaving },
    changed: () => foresee(tools, shelf.lentTo),
    fault: fault('list the sources of the catalog'),
  })
  const sweep = startArtifactSweep({
    ...{ store: ports.store, artifacts, clock, chance },
    keepUnusedMs: settings.registries.keepUnused,
    fault: fault('give back the room of unused packages'),
  })
  return {
    async stop() {
      await refresh.stop()
      await shelf.settled()
      await sweep.stop()
    },
  }
}
