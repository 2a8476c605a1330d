/** Engines and images that tell how long they took, and probes of engines in the background. */
import type { ArtifactStore } from '../artifacts/index.ts'
import type { Engine } from '../engines/engine.ts'
import type { HealthCheck } from '../http/health.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Clock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import { describeProblem, type Problem, toProblem } from '../model/problem.ts'
import { type ProblemCode, problemCodes } from '../model/problem-codes.ts'
import type { DeliveryLook } from '../store/delivery-rows.ts'
import type { Look, Store } from '../store/store.ts'
import type { BrokerSpans } from './traces.ts'

/** The same artifacts, timed while images become present. */
export function measuredArtifacts(artifacts: ArtifactStore, metrics: Metrics, clock: Clock): ArtifactStore {
  const { images } = artifacts
  return {
    ...artifacts,
    images: {
      ...images,
      unpack: async (image) => {
        const begun = clock.monotonic()
        const unpacked = await images.unpack(image)
        metrics.imageUnpacked((clock.monotonic() - begun) / 1000)
        return unpacked
      },
    },
  }
}

/** The same engine, timed where it answers; following takes as long as the program. */
export function measuredEngine(
  engine: Engine,
  metrics: Metrics,
  clock: Clock,
  spans?: Pick<BrokerSpans, 'call'>,
): Engine {
  const timedOnly = timer(clock, (call, seconds, failed) =>
    metrics.engineCall(engine.name, call, seconds, failed),
  )
  const attributes = { 'chandler.engine': engine.name }
  const timed: Timed =
    spans === undefined
      ? timedOnly
      : (call, work) => timedOnly(call, () => spans.call(`engine ${call}`, attributes, work))
  const { anticipate } = engine
  return {
    name: engine.name,
    facts: engine.facts,
    reserved: engine.reserved ?? false,
    check: (signal) => timed('check', () => engine.check(signal)),
    refuses: (job) => engine.refuses(job),
    ...(anticipate && {
      anticipate: (run, signal) => timed('anticipate', () => anticipate(run, signal)),
    }),
    layOut: (run, watch) => timed('lay_out', () => engine.layOut(run, watch)),
    start: (run) => timed('start', () => engine.start(run)),
    look: (run) => timed('look', () => engine.look(run)),
    follow: (ticket, watch) => engine.follow(ticket, watch),
    stop: (run, grace) => timed('stop', () => engine.stop(run, grace)),
    discard: (run) => timed('discard', () => engine.discard(run)),
    list: (cluster) => timed('list', () => engine.list(cluster)),
    close: () => engine.close(),
  }
}

/** Questions about Secrets of bindings. */
function timedDeliveries(look: Look, timed: ReturnType<typeof timer>): DeliveryLook {
  return {
    deliveries: (key) => timed('deliveries', () => look.deliveries(key)),
    failedDeliveries: (most) => timed('failed_deliveries', () => look.failedDeliveries(most)),
    isDeliveryDue: () => timed('is_delivery_due', () => look.isDeliveryDue()),
  }
}

/** The same store, timed question by question. */
export function measuredStore(store: Store, metrics: Metrics, clock: Clock): Store {
  const [look, timed] = [store.look, timer(clock, (...of) => metrics.storeAnswered(...of))]
  const measured: Omit<Look, keyof DeliveryLook> = {
    now: () => timed('now', () => look.now()),
    nowFor: (began) => timed('now', () => look.nowFor(began)),
    cluster: () => timed('cluster', () => look.cluster()),
    instance: (key) => timed('instance', () => look.instance(key)),
    instances: (filter) => timed('instances', () => look.instances(filter)),
    binding: (key) => timed('binding', () => look.binding(key)),
    bindings: (key) => timed('bindings', () => look.bindings(key)),
    operation: (id) => timed('operation', () => look.operation(id)),
    tenantOf: (thing) => timed('tenant_of', () => look.tenantOf(thing)),
    operations: (filter) => timed('operations', () => look.operations(filter)),
    poll: (target, operation) => timed('poll', () => look.poll(target, operation)),
    runs: (operation) => timed('runs', () => look.runs(operation)),
    history: (operation) => timed('history', () => look.history(operation)),
    log: (operation, after, most) => timed('log', () => look.log(operation, after, most)),
    printedLog: (id, after, most) => timed('log', () => look.printedLog(id, after, most)),
    lastLog: (operation, most) => timed('lastLog', () => look.lastLog(operation, most)),
    logEnds: (run) => timed('log_ends', () => look.logEnds(run)),
    unseal: (owner, name) => timed('unseal', () => look.unseal(owner, name)),
    offering: (plan, digest) => timed('offering', () => look.offering(plan, digest)),
    offerings: () => timed('offerings', () => look.offerings()),
    countInstances: (...of) => timed('count_instances', () => look.countInstances(...of)),
    countOrders: (count) => timed('count_orders', () => look.countOrders(count)),
    countBindings: (tenants) => timed('count_bindings', () => look.countBindings(tenants)),
    countQueued: (platform, most) => timed('count_queued', () => look.countQueued(platform, most)),
    countByState: () => timed('count_by_state', () => look.countByState()),
    audit: (after, most, tenants) => timed('audit', () => look.audit(after, most, tenants)),
    auditOf: (filter) => timed('audit_of', () => look.auditOf(filter)),
    auditWritten: () => timed('audit_written', () => look.auditWritten()),
    changeMark: (tenants) => timed('change_mark', () => look.changeMark(tenants)),
    bindingsNamed: (filter) => timed('bindings_named', () => look.bindingsNamed(filter)),
    account: (name) => timed('account', () => look.account(name)),
    accounts: (page) => timed('accounts', () => look.accounts(page)),
    token: (digest) => timed('token', () => look.token(digest)),
    tokens: (filter) => timed('tokens', () => look.tokens(filter)),
    tenantRules: () => timed('tenant_rules', () => look.tenantRules()),
    sandboxPackages: () => timed('sandbox_packages', () => look.sandboxPackages()),
    tenants: (filter) => timed('tenants', () => look.tenants(filter)),
    isSessionEnded: (id) => timed('is_session_ended', () => look.isSessionEnded(id)),
    auditHeight: () => timed('audit_height', () => look.auditHeight()),
    auditHead: () => timed('audit_head', () => look.auditHead()),
    auditAnchors: (after, most) => timed('audit_anchors', () => look.auditAnchors(after, most)),
    auditRetained: () => timed('audit_retained', () => look.auditRetained()),
    auditCursor: (sink) => timed('audit_cursor', () => look.auditCursor(sink)),
    auditKey: () => look.auditKey(),
    nodes: () => timed('nodes', () => look.nodes()),
    tombstones: () => timed('tombstones', () => look.tombstones()),
    enrolment: (name) => timed('enrolment', () => look.enrolment(name)),
    enrolments: () => timed('enrolments', () => look.enrolments()),
    idempotent: (scope, key) => timed('idempotent', () => look.idempotent(scope, key)),
    sealedByKey: () => timed('sealed_by_key', () => look.sealedByKey()),
    sealedByOthers: () => timed('sealed_by_others', () => look.sealedByOthers()),
  }
  return {
    look: { ...measured, ...timedDeliveries(look, timed) },
    write: (work, manner) => timed('write', () => store.write(work, manner)),
    settled: () => timed('settled', () => store.settled()),
    verify: () => store.verify(),
    probe: () => timed('probe', () => store.probe()),
    busy: () => store.busy(),
    onHint: (listener) => store.onHint(listener),
    backup: (file) => timed('backup', () => store.backup(file)),
    takeKeys: () => timed('take_keys', () => store.takeKeys()),
    retireKey: (key, remove) => timed('retire_key', () => store.retireKey(key, remove)),
    reseal: (batch) => timed('reseal', () => store.reseal(batch)),
    close: () => store.close(),
  }
}

type Timed = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** What does a work and tells how long it took, and whether it failed. */
function timer(clock: Clock, tell: (name: string, seconds: number, failed: boolean) => void): Timed {
  return async (name, work) => {
    const begun = clock.monotonic()
    let failed = true
    try {
      const done = await work()
      failed = false
      return done
    } finally {
      tell(name, (clock.monotonic() - begun) / 1000, failed)
    }
  }
}

/** What keeps an engine from running anything; the rest are shortcomings, told by doctor. */
const down: ReadonlySet<ProblemCode> = new Set(['engine.unavailable', 'engine.tool-missing'])

const probeEveryMs = 300_000
const probeWithinMs = 5_000

export interface Probes {
  /** How each engine was when it was asked last. */
  latest(): readonly HealthCheck[]
  stop(): Promise<void>
}

/** Asks every engine now and then how it is; no start waits for that, and readiness does not depend on it. */
export function startProbes(engines: readonly Engine[], metrics: Metrics, clock: Clock): Probes {
  const leaving = new AbortController()
  const latest = new Map<string, HealthCheck>()
  const probe = async (engine: Engine): Promise<void> => {
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(probeWithinMs)])
    const { problems, answered } = await engine.check(signal).then(
      (found) => ({ problems: found, answered: true }),
      (error: unknown) => ({ problems: [toProblem(error)], answered: false }),
    )
    const ok = answered && !problems.some(({ code }) => down.has(code))
    if (leaving.signal.aborted) return
    metrics.engine(engine.name, ok)
    latest.set(engine.name, engineCheck(engine.name, ok, problems))
  }
  const running = (async () => {
    while (!leaving.signal.aborted) {
      await Promise.all(engines.map(probe))
      await clock.sleep(probeEveryMs, leaving.signal)
    }
  })()
  return {
    latest: () => [...latest.values()],
    async stop() {
      leaving.abort()
      await running
    },
  }
}

/** Shortcomings are named, too, with which the engine works all the same. */
function engineCheck(name: string, ok: boolean, problems: readonly Problem[]): HealthCheck {
  const [first] = problems
  return present({
    name: `engine ${name}`,
    ok,
    detail: first === undefined ? 'works' : problems.map(describeProblem).join('; '),
    hint: first && (first.hint ?? problemCodes[first.code].hint),
  })
}
