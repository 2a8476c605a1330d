/** The operator's side of a broker: operator API, health and figures, presence in the cluster, keys, backups. */
import { mkdirSync, readdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import type { ArtifactStore } from '../artifacts/index.ts'
import { startAuditFeed } from '../audit/feed.ts'
import type { Ports } from '../broker/ports.ts'
import { makeExamination } from '../diagnostics/examine-broker.ts'
import { type HealthParts, healthOf } from '../diagnostics/health.ts'
import type { Seen } from '../diagnostics/seen.ts'
import { supportOf } from '../diagnostics/support/of-broker.ts'
import type { Engine } from '../engines/engine.ts'
import type { Admission } from '../http/admit.ts'
import type { Gate } from '../http/authenticate.ts'
import { openDashboards } from '../http/dashboards.ts'
import { openDocuments } from '../http/documents.ts'
import { type HealthPorts, serveHealth } from '../http/health.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Observe } from '../http/observe.ts'
import type { Oidc } from '../http/oidc/oidc.ts'
import { operatorApi } from '../http/operator/plugin.ts'
import type { OperatorPorts } from '../http/operator/ports.ts'
import { type Listening, listen, nothingHere } from '../http/server.ts'
import { isEncrypted, type Sources } from '../http/source.ts'
import type { StoredAccounts } from '../http/stored-accounts.ts'
import { openUi } from '../http/ui.ts'
import type { Clock } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import type { Log } from '../kit/log.ts'
import type { Entry } from '../settings/read.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import type { Maintenance } from '../work/maintenance.ts'
import type { Worker } from '../work/worker.ts'
import type { Probes } from './measured.ts'
import { openNode } from './node.ts'
import { openSessions } from './sessions.ts'
import { bodyLimitsOf, listenerOf } from './settings-of-parts.ts'

export interface OperatorSideParts {
  readonly ports: Ports
  readonly gate: Gate
  readonly stored: StoredAccounts
  readonly oidc: Oidc
  readonly observe: Observe
  readonly metrics: Metrics
  readonly admission: Admission
  readonly log: Log
  readonly ring: KeyRing
  readonly version: string
  /** What doctor says of traces. */
  readonly traces: () => readonly Seen[]
  /** The folder of the built web UI. */
  readonly uiFolder: string
  /** The folder of the documents, built as pages. */
  readonly documentsFolder: string
  readonly sources: Sources
  /** As they are at the moment. */
  readonly settings: () => Settings
  /** The same with their origins; absent where they were made by a program. */
  readonly entries: (() => readonly Entry[]) | undefined
  readonly worker: Worker
  readonly maintenance: Maintenance
  readonly engines: readonly Engine[]
  readonly artifacts: ArtifactStore
  readonly probes: Pick<Probes, 'latest'>
  readonly sandbox: OperatorPorts['sandbox']
  /** Reads what was decided for tenants by command, and what is offered in them. */
  takeTenants(): Promise<void>
}

export interface OperatorSide {
  /** Serves what is not OSB. */
  readonly handle: RequestListener
  /** Where health and figures are, unless they are off. */
  readonly adminUrl: string | undefined
  /** The start has ended. */
  started(): void
  /** Readiness says no from now on. */
  drain(): Promise<void>
  /** Sends followers of logs away. */
  dismiss(): void
  /** Brings what is left of the audit trail to its sinks. */
  stopFeed(): Promise<void>
  stop(): Promise<void>
}

/** Opens everything operators use. */
export async function openOperatorSide(settings: Settings, parts: OperatorSideParts): Promise<OperatorSide> {
  const { ports, log } = parts
  const { store, clock } = ports
  const own = await openNode(settings, parts)
  const feed = startAuditFeed(ports, settings.audit, log)
  const state = { started: false, draining: false }
  const leaving = new AbortController()
  const loop = startBeat(clock)
  const health = healthIn(settings, parts, { loop, state, sinksBehind: feed.behind })
  const checks = async () => [...health.alive(), ...(await health.ready()), ...parts.probes.latest()]
  const api = await operatorApi({
    ...portsOfApi(settings, parts),
    leaving: leaving.signal,
    keys: own.keys,
    health: checks,
    support: supportOf({ ...parts, health: checks }),
  })
  const admin = await openAdmin(settings, parts, (request, response) => {
    if (!serveHealth(health, 'admin', request, response)) nothingHere(request, response)
  })
  const dashboards = openDashboards(store.look, settings.http.dashboards)
  const ui = openUi(parts.uiFolder, settings.http.pathPrefix ?? '')
  const documents = openDocuments(parts.documentsFolder, settings.http.pathPrefix ?? '')
  return {
    adminUrl: admin?.url,
    handle: (request, response) => {
      const isServed =
        serveHealth(health, 'main', request, response) ||
        dashboards.serve(request, response) ||
        ui.serve(request, response) ||
        documents.serve(request, response)
      if (!isServed) api.routing(request, response)
    },
    started: () => {
      state.started = true
    },
    async drain() {
      state.draining = true
      await own.drain()
    },
    dismiss: () => leaving.abort(),
    stopFeed: feed.stop,
    async stop() {
      loop.stop()
      await admin?.close(0)
      await api.close()
      await own.stop()
    },
  }
}

function portsOfApi(
  settings: Settings,
  parts: OperatorSideParts,
): Omit<OperatorPorts, 'leaving' | 'keys' | 'health' | 'support'> {
  const { ports, gate, stored, oidc, ring, sources, version, admission, observe } = parts
  const { clock, chance } = ports
  return {
    broker: ports,
    version,
    gate,
    admission,
    oidc,
    observe,
    sessions: openSessions({
      ...{ store: ports.store, clock, chance, ring },
      named: stored.named,
      person: oidc.person,
      settings: parts.settings,
    }),
    pathPrefix: settings.http.pathPrefix ?? '',
    isEncrypted: (request) => isEncrypted(request, sources),
    bodyLimits: bodyLimitsOf(settings),
    source: sources.of,
    engines: parts.engines
      .filter(({ facts }) => facts.programs.some((kind) => kind !== 'pretend'))
      .map(({ name }) => name),
    sandbox: parts.sandbox,
    takeTenants: parts.takeTenants,
    examine: makeExamination(parts),
    backup: (seed) => backUp(ports, settings.dataDir, seed),
  }
}

function healthIn(
  settings: Settings,
  parts: OperatorSideParts,
  { loop, ...seen }: Pick<HealthParts, 'state' | 'sinksBehind'> & { readonly loop: { readonly at: number } },
): HealthPorts {
  const { clock, chance, store } = parts.ports
  return healthOf({
    ...{ clock, chance, store, metrics: parts.metrics, ...seen },
    dataDir: settings.dataDir,
    minFreeDisk: settings.limits.minFreeDisk,
    pulses: () => [{ name: 'event loop', at: loop.at, withinMs: 10_000 }, ...pulsesOf(settings, parts)],
  })
}

/** When timers last came round. */
function startBeat({ monotonic }: Clock): { readonly at: number; stop(): void } {
  const beat = { at: monotonic(), stop: () => clearInterval(timer) }
  const timer = setInterval(() => {
    beat.at = monotonic()
  }, 1000)
  timer.unref()
  return beat
}

/** Three missed rounds are too many. */
function pulsesOf({ operations }: Settings, { worker, maintenance }: OperatorSideParts) {
  return [
    { name: 'claim loop', at: worker.pulse.claim, withinMs: 10_000 },
    {
      name: 'heartbeat loop',
      at: worker.pulse.heartbeat,
      withinMs: Math.max(10_000, operations.heartbeat * 3),
    },
    { name: 'maintenance loop', at: maintenance.pulse.round, withinMs: 60_000 },
  ]
}

async function openAdmin(
  settings: Settings,
  parts: OperatorSideParts,
  handle: RequestListener,
): Promise<Listening | undefined> {
  const { adminListen } = settings.http
  if (adminListen === 'off') return undefined
  const options = { ...listenerOf(settings, parts), listen: adminListen, pathPrefix: '' }
  return listen(options, { osb: nothingHere, other: handle })
}

async function backUp({ store, clock }: Ports, dataDir: string, seed: string): Promise<string> {
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const end = `-${sha256(seed).slice(0, 16)}.db`
  const made = readdirSync(folder).find((name) => name.endsWith(end))
  if (made !== undefined) return join(folder, made)
  const time = new Date(clock.now()).toISOString().replace(/[:.]/g, '')
  const file = join(folder, `chandler-${time}${end}`)
  await store.backup(file)
  return file
}
