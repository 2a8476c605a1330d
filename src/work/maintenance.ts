/** The housework one node does for all: deadlines, orphans, the audit chain, what its retention has passed. */
import { lockForEnd, settle } from '../broker/settle.ts'
import type { Engine, FoundRun } from '../engines/engine.ts'
import { hasEnded, type Operation } from '../model/operation.ts'
import type { Retention } from '../store/store.ts'
import { operationOfRun } from './run-name.ts'
import { salvage } from './salvage.ts'
import type { Tools } from './tools.ts'

export interface MaintenanceLimits {
  /** How long a stopped run may take before its operation ends without it. */
  readonly overdueGraceMs: number
  readonly sweepEveryMs: number
  readonly forgetEveryMs: number
  /** An orphan younger than this may belong to a row we do not see yet. */
  readonly orphanAgeMs: number
  /** So long after its end what an operation left is not in work any more: its worker would have removed it. */
  readonly leftoverAgeMs: number
  readonly retention: Retention
}

export interface Maintenance {
  stop(): Promise<void>
  /** When its last round began, by the monotonic clock; for health. */
  readonly pulse: { readonly round: number }
}

const tickMs = 1000
const batch = 100
const removalsPerSweep = 100

/** Starts the housework; of several nodes one does it at a time. */
export function startMaintenance(tools: Tools, limitsNow: () => MaintenanceLimits): Maintenance {
  const { clock, store, node } = tools.ports
  const leaving = new AbortController()
  const pulse = { round: clock.monotonic() }
  const due = { sweep: 0, forget: 0 }
  let sweeping: Promise<void> | undefined

  async function loop(): Promise<void> {
    while (!leaving.signal.aborted) {
      pulse.round = clock.monotonic()
      await tick().catch((error: unknown) =>
        tools.report.event({ kind: 'fault', doing: 'keep house', error }),
      )
      await clock.sleep(tickMs, leaving.signal)
    }
  }

  async function tick(): Promise<void> {
    if (!(await store.write((tx) => tx.holdSingleton('keeper', node, tickMs * 15)))) return
    await store.write((tx) => tx.chainAudit(batch * 10))
    const forced = await endForced(tools)
    // What is not known any more may be alive: nothing ends and nothing is cleared away on the word of a copy.
    if ((await store.look.cluster()).freeze?.isCopy) return
    const limits = limitsNow()
    const ended = forced + (await endOverdue(tools, limits))
    const now = clock.monotonic()
    // The node that worked on what has just been ended may be about to start its run: the sweep stops that soon.
    if (ended > 0) due.sweep = Math.min(due.sweep, now + limits.leftoverAgeMs)
    if (now >= due.sweep && sweeping === undefined) {
      due.sweep = now + limits.sweepEveryMs * (0.8 + 0.4 * tools.ports.chance.number())
      // An engine that does not answer must not keep operations from ending.
      sweeping = sweepOnce(limits)
    }
    if (now >= due.forget) {
      const forgotten = await store.write((tx) => tx.forget(limits.retention, batch * 5))
      due.forget = now + (forgotten > 0 ? tickMs : limits.forgetEveryMs)
    }
  }

  async function sweepOnce(limits: MaintenanceLimits): Promise<void> {
    await sweep(tools, limits).catch((error: unknown) =>
      tools.report.event({ kind: 'fault', doing: 'sweep', error }),
    )
    sweeping = undefined
  }

  const running = loop()
  return {
    pulse,
    async stop() {
      leaving.abort()
      await running
      await sweeping
    },
  }
}

/** Everything ends: what is overdue by more than the grace ends now, whichever node holds it and whatever its engine does. */
export async function endOverdue(
  tools: Tools,
  { overdueGraceMs }: Pick<MaintenanceLimits, 'overdueGraceMs'>,
): Promise<number> {
  const { store } = tools.ports
  const overdue = await store.write((tx) => tx.overdue(overdueGraceMs, batch))
  for (const operation of overdue) await endOne(tools, operation, 'overdue')
  return overdue.length
}

/** What an operator has forced to end ends, also in a copy of before: it is the operator's word. */
export async function endForced(tools: Tools): Promise<number> {
  const forced = await tools.ports.store.write((tx) => tx.forced(batch))
  await Promise.all(forced.map((operation) => endOne(tools, operation, 'forced to end')))
  return forced.length
}

async function endOne(tools: Tools, active: Operation, why: string): Promise<void> {
  const { ports, bell } = tools
  const { id, target } = active
  const ending = await salvage(tools, active)
  const ended = await ports.store.write(async (tx) => {
    const locked = await lockForEnd(tx, id, target)
    if (locked === undefined || hasEnded(locked.operation.state)) return false
    const { operation } = locked
    for (const run of await tx.runs(id)) {
      if (run.state !== 'discarded') await tx.addTombstone(run.name, why, 24 * 3_600_000)
    }
    const held = { fence: operation.fence }
    return settle(
      tx,
      ports,
      { ...locked, operation: { ...operation, fence: operation.fence + 1 }, held },
      ending,
    )
  })
  if (ended) bell.ring(id)
}

/** Removes what is no longer needed, found by our mark and never by memory. */
export async function sweep(
  tools: Tools,
  limits: Pick<MaintenanceLimits, 'orphanAgeMs' | 'leftoverAgeMs'>,
): Promise<void> {
  const forbidden = new Set(await tools.ports.store.look.tombstones())
  let removals = 0
  for (const engine of tools.engines) {
    const found = await engine.list(tools.cluster.id).catch((error: unknown) => {
      tools.report.event({ kind: 'fault', doing: `list the runs of ${engine.name}`, error })
      return undefined
    })
    if (found === undefined) continue
    let left = 0
    for (const run of found.flatMap((one) => named(tools, one))) {
      const why = await reasonToRemove(tools, limits, run, forbidden)
      if (why === undefined) continue
      const isRemoved = removals++ < removalsPerSweep && (await remove(tools, engine, run, why))
      if (!isRemoved) left++
    }
    tools.report.event({ kind: 'left-over', engine: engine.name, type: engine.facts.run, runs: left })
  }
}

type NamedRun = Required<FoundRun>

/** Of what a kill cut short the name tells the operation; what bears no name of this cluster is left alone. */
function named({ cluster }: Tools, found: FoundRun): readonly NamedRun[] {
  const operation = found.operation ?? operationOfRun(cluster.id, found.name)
  return operation === undefined ? [] : [{ ...found, operation }]
}

async function reasonToRemove(
  { ports }: Tools,
  limits: Pick<MaintenanceLimits, 'orphanAgeMs' | 'leftoverAgeMs'>,
  { name, operation: id, ageMs }: NamedRun,
  forbidden: ReadonlySet<string>,
): Promise<string | undefined> {
  if (forbidden.has(name)) return 'its name is forbidden'
  const operation = await ports.store.look.operation(id)
  if (operation === undefined) return ageMs > limits.orphanAgeMs ? 'no operation knows it' : undefined
  if (hasEnded(operation.state)) {
    const endedMs = (await ports.store.look.now()) - (operation.finishedAt ?? 0)
    return endedMs > limits.leftoverAgeMs ? 'its operation has ended' : undefined
  }
  const runs = await ports.store.look.runs(id)
  const run = runs.find((item) => item.name === name)
  return run?.state === 'discarded' ? 'a later attempt has taken its place' : undefined
}

async function remove(tools: Tools, engine: Engine, run: NamedRun, why: string): Promise<boolean> {
  try {
    await engine.stop(run.name, 0)
    await engine.discard(run.name)
    const type = engine.facts.run
    tools.report.event({ kind: 'swept', run: run.name, engine: engine.name, type, why })
    return true
  } catch (error) {
    tools.report.event({ kind: 'fault', doing: `remove ${run.name}`, error })
    return false
  }
}
