/** Puts the parts together: settings in, a running broker out. Knows every part and does nothing else. */
import { hostname } from 'node:os'
import type { ArtifactStore } from './artifacts/index.ts'
import type { Catalog } from './broker/catalog.ts'
import type { Ports } from './broker/ports.ts'
import { type LiveCatalog, makeLiveCatalog } from './catalog/live-catalog.ts'
import { startSourceRefresh } from './catalog/source-refresh.ts'
import { makeAcceptances } from './compose/acceptances.ts'
import { admissionOf } from './compose/admission.ts'
import { startArtifactSweep } from './compose/artifact-sweep.ts'
import { addBrokerMetrics } from './compose/broker-metrics.ts'
import { builtFolder } from './compose/built-folder.ts'
import { openCallers } from './compose/callers.ts'
import { startCertificateWatch } from './compose/certificate-watch.ts'
import { inviteFirst } from './compose/first-account.ts'
import { measuredArtifacts, measuredEngine, measuredStore, startProbes } from './compose/measured.ts'
import { type OperatorSide, openOperatorSide } from './compose/operator-side.ts'
import { type OwnDeed, ownDeeds } from './compose/own-deeds.ts'
import { tellPackages } from './compose/package-words.ts'
import { type RefusalRecorder, startRefusalRecorder } from './compose/refusals.ts'
import { type Difference, differenceOf } from './compose/reload.ts'
import {
  bodyLimitsOf,
  keyRingOf,
  knownOf,
  listenerOf,
  makeRules,
  type Rules,
  workLimitsOf,
} from './compose/settings-of-parts.ts'
import { openBrokerStore } from './compose/store.ts'
import { type Telemetry, telemetryOf } from './compose/telemetry.ts'
import { readTls } from './compose/tls.ts'
import { tellLint } from './diagnostics/lint.ts'
import type { Engine } from './engines/engine.ts'
import { openPreparer, type Preparer } from './host/apart/prepare.ts'
import { openArtifacts } from './host/artifacts.ts'
import { openEngines } from './host/engines.ts'
import { contractNamed } from './host/read-package.ts'
import { signingOf } from './host/signing.ts'
import type { Admission } from './http/admit.ts'
import { type Gate, makeGate } from './http/authenticate.ts'
import { type Metrics, openMetrics } from './http/metrics.ts'
import type { Observe } from './http/observe.ts'
import { makeLastSeen } from './http/osb/last-seen.ts'
import { makeOsbRouter, type OsbRouter, type OsbRouterParts } from './http/osb/router.ts'
import { makeWaits } from './http/osb/waits.ts'
import { type Listening, listen } from './http/server.ts'
import { type Sources, sourcesOf } from './http/source.ts'
import { systemChance, systemClock } from './kit/clock.ts'
import { ulidSource } from './kit/id.ts'
import type { JsonObject } from './kit/json.ts'
import type { Log } from './kit/log.ts'
import { storeUrlOf } from './settings/data-folder.ts'
import type { Entry } from './settings/read.ts'
import type { Settings } from './settings/settings.ts'
import type { KeyRing } from './store/keys.ts'
import { makeBeforehand } from './work/beforehand.ts'
import { endHints } from './work/end-hints.ts'
import { foresee } from './work/foresee.ts'
import { makeLogWriter } from './work/log-writer.ts'
import { type Maintenance, startMaintenance } from './work/maintenance.ts'
import { engineFor, type Tools } from './work/tools.ts'
import { waitForEnd } from './work/wait.ts'
import { startWorker, type Worker } from './work/worker.ts'

export interface Broker {
  readonly url: string
  /** Where health and figures are, unless they are off. */
  readonly adminUrl: string | undefined
  /** What the process around it counts. */
  readonly figures: Pick<Metrics, 'reloaded' | 'logLineDropped'>
  catalog(): Catalog
  /** Takes over what may change while running: catalog, accounts, certificate, limits, deadlines, retention, log level. */
  reload(settings: Settings): Promise<Difference>
  /** What is going on, in figures, for the log. */
  snapshot(): Promise<JsonObject>
  /** Gives running work to the next process, answers what is under way, closes. */
  stop(): Promise<void>
}

export interface Surroundings {
  readonly log: Log
  readonly version: string
  /** Processes that worked on this store before shall not any more: what they hold is taken over, whether they live or not. */
  readonly takeOver?: boolean | undefined
  /** The settings of the moment with their origins, for support bundles. */
  readonly entries?: (() => readonly Entry[]) | undefined
  /** The folder of the built web UI, where it is not the one beside the program. */
  readonly uiFolder?: string | undefined
  /** The folder of the built documents, likewise. */
  readonly documentsFolder?: string | undefined
}

/** Starts a broker; it answers as soon as this resolves. */
export async function startBroker(settings: Settings, around: Surroundings): Promise<Broker> {
  const { log, version, takeOver } = around
  const ring = keyRingOf(settings, systemChance)
  const metrics = openMetrics({
    version,
    nodeVersion: process.version,
    unread: (figure, error) => log.warn('metrics.unread', 'A figure cannot be read', { figure, error }),
  })
  const telemetry = telemetryOf(log, metrics)
  const house = await openHouse(settings, ring, { ...telemetry, takeOver }, metrics)
  const { tools, worker, keeper, artifacts } = house
  const { ports } = tools
  log.tag({ node: ports.node, cluster: tools.cluster.id })
  addBrokerMetrics(metrics, {
    dataDir: settings.dataDir,
    storeUrl: storeUrlOf(settings),
    store: ports.store,
    clock: systemClock,
    catalog: ports.catalog,
    artifacts,
    running: () => worker.running,
  })
  const gate = makeGate(knownOf(settings))
  const now = { settings, sources: sourcesOf(settings.http.trustedProxies) }
  const sources: Sources = {
    of: (request) => now.sources.of(request),
    trusts: (address) => now.sources.trusts(address),
  }
  const { oidc, stored } = openCallers({ ports, gate, ring, settings: () => now.settings })
  const admission = admissionOf(settings, { gate, stored, sources, metrics })
  const refusals = startRefusalRecorder(ports, log, metrics.auditFailed)
  const observe = observeOf(telemetry, { metrics, refusals })
  const router = openOsb(settings, tools, { gate, admission, source: sources.of, observe })
  const operator = await openOperatorSide(settings, {
    ports,
    gate,
    stored,
    oidc,
    observe,
    metrics,
    admission,
    sources,
    settings: () => now.settings,
    entries: around.entries,
    log,
    ring,
    version,
    uiFolder: around.uiFolder ?? builtFolder('ui'),
    documentsFolder: around.documentsFolder ?? builtFolder('docs'),
    ...{ worker, keeper, probes: house.probes, artifacts, engines: tools.engines },
  })
  const tls = readTls(settings)
  const server = await listen(
    { ...listenerOf(settings, { settings: () => now.settings, sources }), ...(tls ? { tls } : {}) },
    { osb: router.handle, other: operator.handle },
  )
  const deed = ownDeeds(ports, metrics, log)
  await deed('broker.start')
  await inviteFirst(settings, ports, log)
  operator.started()
  const { freeze } = await ports.store.look.cluster()
  if (freeze?.isCopy) log.warn('store.copy', 'The store is a copy of before', { reason: freeze.reason })
  // Judging a large catalog takes a while, and it need not be waited for.
  setImmediate(() => {
    tellLint(ports.catalog(), log)
    foresee(tools, house.shelf.lentTo)
  })
  return brokerOf(settings, { house, server, operator, gate, admission, now, log, refusals, metrics, deed })
}

interface Parts {
  readonly house: House
  readonly server: Listening
  readonly operator: OperatorSide
  readonly gate: Gate
  readonly admission: Admission
  /** What a reload replaces. */
  readonly now: { settings: Settings; sources: Sources }
  readonly log: Log
  readonly refusals: RefusalRecorder
  readonly metrics: Metrics
  readonly deed: (action: OwnDeed) => Promise<void>
}

/** What the HTTP side tells, to the log, the figures and the audit trail. */
function observeOf(
  { observe }: Telemetry,
  { metrics, refusals }: { readonly metrics: Metrics; readonly refusals: RefusalRecorder },
): Observe {
  return {
    ...observe,
    begins: metrics.requestBegins,
    read: refusals.read,
    refused: (refusal) => {
      refusals.note(refusal)
      if (refusal.deed.refusal?.code !== 'broker.quota') return
      metrics.quotaRefused(refusal.deed.action.startsWith('binding.') ? 'bindings' : 'instances')
    },
  }
}

/** What the outside may do with a running broker. */
function brokerOf(
  settings: Settings,
  { house, server, operator, gate, admission, now, log, refusals, metrics, deed }: Parts,
): Broker {
  const { ports } = house.tools
  const certificate = startCertificateWatch({
    clock: ports.clock,
    log,
    settings: () => now.settings,
    renew: server.renew,
    endsAt: (seconds) => metrics.certificate('server', seconds),
  })
  return {
    url: server.url,
    figures: metrics,
    adminUrl: operator.adminUrl,
    catalog: () => ports.catalog(),
    snapshot: async () => ({
      running: house.worker.running,
      counts: (await ports.store.look.countByState()).map((one) => ({ ...one })),
    }),
    async reload(fresh) {
      // What waits for a restart waits until there is one, however often it is read again.
      const difference = {
        ...differenceOf(now.settings, fresh),
        waiting: differenceOf(settings, fresh).waiting,
      }
      const renewed = readTls(fresh)
      const sources = sourcesOf(fresh.http.trustedProxies)
      if (difference.taken.includes('catalog')) {
        await house.shelf.fill(fresh.catalog)
        foresee(house.tools, house.shelf.lentTo)
      }
      if (renewed) server.renew(renewed)
      gate.replace(knownOf(fresh))
      admission.change(fresh.limits)
      house.rules.change(fresh)
      now.sources = sources
      log.setLevel(fresh.logs.level)
      now.settings = fresh
      await deed('config.reload')
      return difference
    },
    async stop() {
      await certificate.stop()
      await operator.drain()
      // Load balancers need a while to notice; until then requests are served as ever.
      await ports.clock.sleep(now.settings.shutdown.drainDelay)
      operator.dismiss()
      await server.close(now.settings.shutdown.drain)
      await operator.stop()
      await refusals.stop()
      await deed('broker.stop')
      await operator.stopFeed()
      await house.close()
    },
  }
}

/** The platforms' side. */
function openOsb(settings: Settings, tools: Tools, door: Omit<OsbRouterParts, 'around'>): OsbRouter {
  return makeOsbRouter({
    ...door,
    around: {
      ports: tools.ports,
      lastSeen: makeLastSeen(tools.ports.clock),
      waits: makeWaits(),
      read: door.observe.read,
      options: {
        deletedLastOperation: settings.osb.deletedLastOperation,
        missingVersionStatus: settings.osb.missingVersionStatus,
        syncWaitMs: settings.operations.syncWait,
        body: bodyLimitsOf(settings),
      },
      waitForEnd: (operation, ms, signal) => {
        const late = AbortSignal.timeout(ms)
        return waitForEnd(tools, operation, signal ? AbortSignal.any([late, signal]) : late)
      },
    },
  })
}

interface House {
  readonly artifacts: ArtifactStore
  readonly rules: Rules
  readonly shelf: LiveCatalog
  readonly tools: Tools
  readonly worker: Worker
  readonly keeper: Maintenance
  readonly probes: ReturnType<typeof startProbes>
  close(): Promise<void>
}

interface PortParts extends Pick<Ports, 'store' | 'clock' | 'chance' | 'node'> {
  readonly rules: Rules
  readonly shelf: LiveCatalog
  readonly engines: readonly Engine[]
  readonly metrics: Metrics
  readonly preparer: Preparer
}

/** What the broker may touch of the world. */
function portsOf({ store, clock, chance, node, rules, shelf, engines, metrics, preparer }: PortParts): Ports {
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
    refuses: (job) =>
      engineFor(engines, job) ? undefined : { code: 'engine.refused', detail: job.program.kind },
    infrastructure: shelf.lentTo,
    ...makeAcceptances(metrics),
  }
}

/** Store, engines, catalog and workers. */
async function openHouse(
  settings: Settings,
  ring: KeyRing,
  { report, takeOver }: Telemetry & Pick<Surroundings, 'takeOver'>,
  metrics: Metrics,
): Promise<House> {
  const clock = systemClock
  const chance = systemChance
  const rules = makeRules(settings)
  const node = settings.node.name ?? `${hostname()}-${Buffer.from(chance.bytes(4)).toString('hex')}`
  const unmeasured = await openBrokerStore(settings, { ring, clock, chance })
  const store = measuredStore(unmeasured, metrics, clock)
  const opened = openArtifacts(settings, {
    loginFor: (host, repository) => shelf.loginFor(host, repository),
    arrived: metrics.imageArrived,
  })
  const artifacts = measuredArtifacts(opened, metrics, clock)
  const { dataDir: folder, engine: choice, kubernetes, runs } = settings
  const found = await openEngines({ folder, clock, artifacts, choice, kubernetes, network: runs.network })
  const engines = found.map((engine) => measuredEngine(engine, metrics, clock))
  const leaving = new AbortController()
  const tell = tellPackages(metrics, report)
  const reading = { artifacts, engines, signing: signingOf(settings) }
  const shelf = makeLiveCatalog({ store, room: reading, signal: leaving.signal, tell })
  const preparer = openPreparer()
  const ports = portsOf({ store, clock, chance, node, rules, shelf, engines, metrics, preparer })
  await shelf.fill(settings.catalog)
  if (takeOver) await store.write((tx) => tx.raiseEpoch())
  const cluster = await store.look.cluster()
  const beforehand = makeBeforehand(cluster.id, clock, (error) =>
    report.event({ kind: 'fault', doing: 'prepare for later runs', error }),
  )
  const limits = workLimitsOf(settings)
  const { room } = rules
  const logs = makeLogWriter(store, clock)
  const tools: Tools = { ports, cluster, engines, bell: endHints(), logs, limits, room, report, beforehand }
  const worker = startWorker(tools)
  const keeper = startMaintenance(tools, rules.keeper)
  const probes = startProbes(engines, metrics, clock)
  const refresh = startSourceRefresh({
    shelf,
    clock,
    chance,
    leaving,
    changed: () => foresee(tools, shelf.lentTo),
    fault: (error) => report.event({ kind: 'fault', doing: 'list the sources of the catalog', error }),
  })
  const sweep = startArtifactSweep({
    store,
    artifacts,
    clock,
    chance,
    keepUnusedMs: settings.registries.keepUnused,
    fault: (error) => report.event({ kind: 'fault', doing: 'give back the room of unused packages', error }),
  })
  return {
    artifacts,
    rules,
    shelf,
    tools,
    worker,
    keeper,
    probes,
    async close() {
      await probes.stop()
      await keeper.stop()
      await refresh.stop()
      await sweep.stop()
      await worker.drain()
      await beforehand.close()
      preparer.close()
      for (const engine of engines) await engine.close()
      await store.close()
    },
  }
}
