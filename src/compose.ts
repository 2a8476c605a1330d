/** Puts the parts together: settings in, a running broker out. Knows every part and does nothing else. */
import type { Catalog } from './broker/catalog.ts'
import type { Ports } from './broker/ports.ts'
import { admissionOf } from './compose/admission.ts'
import { addBrokerMetrics } from './compose/broker-metrics.ts'
import { builtFolder } from './compose/built-folder.ts'
import { openCallers } from './compose/callers.ts'
import { startCertificateWatch } from './compose/certificate-watch.ts'
import { inviteFirst } from './compose/first-account.ts'
import { type House, openHouse } from './compose/house.ts'
import { type OperatorSide, openOperatorSide } from './compose/operator-side.ts'
import { type OwnDeed, ownDeeds } from './compose/own-deeds.ts'
import { type RefusalRecorder, startRefusalRecorder } from './compose/refusals.ts'
import { type Difference, differenceOf } from './compose/reload.ts'
import { bodyLimitsOf, keyRingOf, knownOf, listenerOf } from './compose/settings-of-parts.ts'
import { type Telemetry, telemetryOf } from './compose/telemetry.ts'
import { readTls } from './compose/tls.ts'
import { type BrokerTraces, openTraces, tracedAnswers, tracedSides } from './compose/traces.ts'
import { tellLint } from './diagnostics/lint.ts'
import { accessReviewsOf } from './host/cluster-reviews.ts'
import type { Admission } from './http/admit.ts'
import { type Gate, makeGate } from './http/authenticate.ts'
import { type Metrics, openMetrics } from './http/metrics.ts'
import type { Observe } from './http/observe.ts'
import type { Oidc } from './http/oidc/oidc.ts'
import { makeAccessReviews } from './http/osb/access-review.ts'
import { makeLastSeen } from './http/osb/last-seen.ts'
import { makeOsbRouter, type OsbRouter, type OsbRouterParts } from './http/osb/router.ts'
import { makeWaits } from './http/osb/waits.ts'
import { type Listening, listen } from './http/server.ts'
import { type Sources, sourcesOf } from './http/source.ts'
import type { StoredAccounts } from './http/stored-accounts.ts'
import { systemChance, systemClock } from './kit/clock.ts'
import type { JsonObject } from './kit/json.ts'
import type { Log } from './kit/log.ts'
import { storeUrlOf } from './settings/data-folder.ts'
import type { Environment } from './settings/environment.ts'
import type { Entry } from './settings/read.ts'
import type { Settings } from './settings/settings.ts'
import type { KeyRing } from './store/keys.ts'
import { foresee } from './work/foresee.ts'
import type { Tools } from './work/tools.ts'
import { waitForEnd } from './work/wait.ts'

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
  /** What says whether and where traces are wanted (`OTEL_*`); absent: they are not. */
  readonly environment?: Environment | undefined
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
  const traces = await openTraces(around.environment ?? {}, { version, metrics, log })
  const house = await openHouse(settings, {
    ring,
    metrics,
    report: traces.reported(telemetry.report),
    takeOver,
    spans: traces.spans,
  })
  const { tools, worker, maintenance, artifacts } = house
  const { ports } = tools
  log.tag({ node: ports.node, cluster: tools.cluster.id })
  traces.traces?.tag({ 'service.instance.id': ports.node, 'chandler.cluster.id': tools.cluster.id })
  addBrokerMetrics(metrics, {
    dataDir: settings.dataDir,
    storeUrl: storeUrlOf(settings),
    store: ports.store,
    clock: systemClock,
    catalog: ports.catalog,
    artifacts,
    running: () => worker.running,
  })
  const now = { settings, sources: sourcesOf(settings.http.trustedProxies) }
  const door = openDoor(settings, { ports, ring, metrics, telemetry, traces, log, now })
  const { sources, gate, admission, observe } = door
  const router = openOsb(settings, tools, { gate, admission, source: sources.of, observe })
  const operator = await openOperatorSide(settings, {
    ...door,
    ports,
    metrics,
    settings: () => now.settings,
    entries: around.entries,
    log,
    ring,
    version,
    traces: traces.seen,
    uiFolder: around.uiFolder ?? builtFolder('ui'),
    documentsFolder: around.documentsFolder ?? builtFolder('docs'),
    ...{ worker, maintenance, probes: house.probes, artifacts, engines: tools.engines },
    ...{ sandbox: house.sandbox, takeTenants: house.takeTenants },
  })
  const tls = readTls(settings)
  const server = await listen(
    { ...listenerOf(settings, { settings: () => now.settings, sources }), ...(tls ? { tls } : {}) },
    tracedSides(traces, { osb: router.handle, other: operator.handle }),
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
  return brokerOf(settings, { ...door, house, server, operator, traces, now, log, metrics, deed })
}

/** What a reload replaces. */
interface Now {
  settings: Settings
  sources: Sources
}

interface Door {
  readonly gate: Gate
  readonly admission: Admission
  readonly sources: Sources
  readonly stored: StoredAccounts
  readonly oidc: Oidc
  readonly refusals: RefusalRecorder
  readonly observe: Observe
}

interface DoorParts {
  readonly ports: Ports
  readonly ring: KeyRing
  readonly metrics: Metrics
  readonly telemetry: Telemetry
  readonly traces: BrokerTraces
  readonly log: Log
  readonly now: Now
}

/** Which callers are let in and from where, and what is told of those that are not. */
function openDoor(
  settings: Settings,
  { ports, ring, metrics, telemetry, traces, log, now }: DoorParts,
): Door {
  const gate = makeGate(knownOf(settings))
  const sources: Sources = {
    of: (request) => now.sources.of(request),
    trusts: (address) => now.sources.trusts(address),
  }
  const { oidc, stored } = openCallers({ ports, gate, ring, settings: () => now.settings })
  const admission = admissionOf(settings, { gate, stored, sources, metrics })
  const refusals = startRefusalRecorder(ports, log, metrics.auditFailed)
  const observe = observeOf(telemetry, { metrics, refusals, traces })
  return { gate, admission, sources, stored, oidc, refusals, observe }
}

interface Parts extends Pick<Door, 'gate' | 'admission' | 'refusals'> {
  readonly house: House
  readonly server: Listening
  readonly operator: OperatorSide
  readonly traces: BrokerTraces
  readonly now: Now
  readonly log: Log
  readonly metrics: Metrics
  readonly deed: (action: OwnDeed) => Promise<void>
}

/** What the HTTP side tells, to the log, the figures and the audit trail. */
function observeOf(
  { observe }: Telemetry,
  { metrics, refusals, traces }: Pick<Door, 'refusals'> & Pick<DoorParts, 'metrics' | 'traces'>,
): Observe {
  return {
    ...observe,
    request: tracedAnswers(traces, observe.request),
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
  { house, server, operator, gate, admission, traces, now, log, refusals, metrics, deed }: Parts,
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
      await traces.close()
    },
  }
}

/** The platforms' side. */
function openOsb(settings: Settings, tools: Tools, door: Omit<OsbRouterParts, 'around'>): OsbRouter {
  return makeOsbRouter({
    ...door,
    around: {
      ports: tools.ports,
      reviewAccess: makeAccessReviews({
        ask: accessReviewsOf(settings.kubernetes, tools.ports.clock),
        clock: tools.ports.clock,
      }),
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
