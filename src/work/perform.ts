/** One operation from where it stands to its end: ask what is next, do it, write it down, ask again. */
import { prepare as prepareAction } from '../broker/decide.ts'
import { orders } from '../broker/orders.ts'
import { maskFor, secretsOf } from '../broker/secrets.ts'
import type { Ending } from '../broker/settle.ts'
import type { Engine, RunSight } from '../engines/engine.ts'
import { never } from '../kit/assert.ts'
import { makeMask } from '../kit/redact.ts'
import type { Operation, Run } from '../model/operation.ts'
import { fail, type Problem, ProblemError, toProblem } from '../model/problem.ts'
import { emptyReport, type Report } from '../model/report.ts'
import { assemble, notedFacts } from './assemble.ts'
import { conclude } from './conclude.ts'
import { endingOf, failedWith, withoutSecrets } from './ending.ts'
import { followRun } from './follow.ts'
import type { Lease } from './lease.ts'
import { type Next, nextStep, type StopReason } from './next.ts'
import {
  giveBack,
  recordEnd,
  recordFound,
  recordIntent,
  recordReport,
  recordStart,
  sealedJob,
} from './record.ts'
import { isTransient } from './retry.ts'
import { runName } from './run-name.ts'
import { placedFor, type Tools } from './tools.ts'
import type { Phase } from './work-report.ts'

/** Works on the operation, which its claim saw so, until it has ended, or until told to leave it to others. */
export async function perform(
  tools: Tools,
  lease: Lease,
  claimed: Operation,
  leave: AbortSignal,
): Promise<void> {
  const ended = tools.beforehand?.enter()
  let known: Operation | undefined = claimed
  try {
    while (!leave.aborted) {
      lease.check()
      const { next, operation } = await decide(tools, lease, known)
      known = undefined
      if (next.kind === 'nothing') return
      if ((await step({ tools, lease, operation, leave }, next)) === 'over') return
    }
  } finally {
    ended?.()
  }
}

interface Performing {
  readonly tools: Tools
  readonly lease: Lease
  readonly operation: Operation
  readonly leave: AbortSignal
}

interface Decided {
  readonly operation: Operation
  readonly next: Exclude<Next, { kind: 'look' }>
}

async function decide(tools: Tools, lease: Lease, known: Operation | undefined): Promise<Decided> {
  const { look } = tools.ports.store
  // At its first claim it has no run yet; later also a queued one may: it was held back and released.
  const isNew = known?.fence === 1
  const [found, runs] = await Promise.all([
    known ?? look.operation(lease.operation),
    isNew ? [] : look.runs(lease.operation),
  ])
  const operation = found ?? fail('operation.unknown', lease.operation)
  const now = await look.nowFor(operation.createdAt)
  const run = runs.at(-1)
  const facts = { operation, run, now }
  const next = nextStep({ ...facts, sight: undefined })
  if (next.kind !== 'look') return { next, operation }
  const sight = await engineOf(tools, next.run).look(next.run.name)
  if (known !== undefined) {
    tellSought(tools, next.run, sight)
    // That it was found alive is progress: whatever ended its owners before, it is not what this run does. And nothing waits any more.
    const wasStarted = next.run.state === 'started' && sight.kind === 'started'
    if (wasStarted) await recordFound(tools, lease, next.run)
  }
  const seen = nextStep({ ...facts, sight })
  if (seen.kind === 'look') fail('internal.unexpected', 'looked and must look again')
  return { next: seen, operation }
}

/** A run that was begun before this claim: whether the engine still has it. */
function tellSought({ report }: Tools, run: Run, sight: RunSight): void {
  const { operation, name, engine } = run
  if (sight.kind === 'started' || sight.kind === 'foreign') {
    const result = sight.kind === 'started' ? 'found' : 'foreign'
    report.event({ kind: 'sought', operation, run: name, engine, result })
  } else if (run.state === 'started') {
    report.event({ kind: 'sought', operation, run: name, engine, result: 'missing' })
  }
}

/** The same as `take`, within a span where there are any. */
async function step(at: Performing, next: Parameters<typeof take>[1]): Promise<'over' | 'on'> {
  const { spans } = at.tools
  if (spans === undefined) return take(at, next)
  const { stage, attempt } = at.operation
  const engine = 'run' in next ? next.run.engine : undefined
  const attributes = { 'chandler.stage': stage, 'chandler.attempt': attempt, 'chandler.engine': engine }
  return spans.within(`step ${next.kind}`, attributes, () => take(at, next))
}

/** Does one step; over: the operation has ended or is in other hands. */
async function take(
  at: Performing,
  next: Exclude<Decided['next'], { kind: 'nothing' }>,
): Promise<'over' | 'on'> {
  const { tools, lease } = at
  switch (next.kind) {
    case 'prepare':
      return timed(at, { phase: 'prepare', engine: 'none' }, prepare(at))
    case 'quarantine': {
      const reason = 'claimed several times without progress'
      await giveBack(tools, lease, { waitMs: 0, reason, strike: true })
      return 'over'
    }
    case 'end-unstarted':
      return endUnstarted(at, next.why)
    case 'start':
      return timed(at, { phase: 'start', engine: next.run.engine }, start(at, next.run))
    case 'adopt':
      return recordStarted(at, next.run, next.ticket)
    case 'follow':
      return follow(at, next)
    case 'lost':
      // What is read here is needed for the conclusion, and tells the figures whose run it was.
      await notedFacts(tools.ports, at.operation, lease.notes)
      await recordReport(
        tools,
        lease,
        next.run,
        emptyReport({ kind: 'lost' }, await tools.ports.store.look.now()),
      )
      return 'on'
    case 'name-conflict':
      return end(at, failedWith({ code: 'engine.name-conflict', detail: next.detail }))
    case 'conclude':
      return timed(
        at,
        { phase: 'finish', engine: next.run.engine },
        conclude(tools, lease, next.run, {
          engine: engineOf(tools, next.run),
          operation: at.operation,
          stop: next.stop,
        }),
      )
    default:
      return never(next)
  }
}

async function timed<T>(
  at: Performing,
  what: { readonly phase: Phase; readonly engine: string },
  work: Promise<T>,
): Promise<T> {
  const begun = at.tools.ports.clock.monotonic()
  const done = await work
  tellSpent(at, { ...what, since: begun })
  return done
}

function tellSpent(
  { tools, lease }: Performing,
  { since, ...what }: { readonly phase: Phase; readonly engine: string; readonly since: number },
): void {
  // Not known when another claim had prepared the run that this one starts.
  const format = lease.notes.format ?? 'other'
  tools.report.event({ kind: 'spent', ...what, format, ms: tools.ports.clock.monotonic() - since })
}

async function prepare(at: Performing): Promise<'over' | 'on'> {
  const { tools, lease, operation } = at
  const obstacle = await obstacleBefore(tools, operation)
  if (obstacle) return end(at, failedWith(obstacle))
  const { contract, situation, order } = await assemble(tools.ports, operation, lease.notes)
  const prepared = await prepareAction(tools.ports, contract, order.action, situation)
  switch (prepared.kind) {
    case 'refused':
      return end(at, withoutSecrets(failedWith(...prepared.problems), maskFor(situation, {})))
    case 'nothing-to-run': {
      const mask = maskFor(situation, { outcome: prepared.outcome })
      const ran = operation.state !== 'queued'
      await recordEnd(tools, lease, withoutSecrets(endingOf(prepared.outcome), mask), { order, ran })
      return 'over'
    }
    case 'job': {
      const placed = placedFor(tools, operation.tenant, prepared.job)
      if (!('engine' in placed)) return end(at, failedWith(placed))
      const { engine } = placed
      const { id, stage, attempt } = operation
      const name = runName(tools.cluster.id, operation)
      const run: Run = { operation: id, stage, attempt, name, engine: engine.name, state: 'intended' }
      const job = tools.beforehand?.fit(engine, placed.job) ?? placed.job
      await recordIntent(tools, lease, run, job)
      return 'on'
    }
    default:
      return never(prepared)
  }
}

/** A new attempt must not start over the remains of a failed one that could not be cleared. */
async function obstacleBefore(
  { ports }: Tools,
  { action, blockedBy }: Operation,
): Promise<Problem | undefined> {
  if (blockedBy === undefined || (action.kind !== 'provision' && action.kind !== 'bind')) return undefined
  const before = await ports.store.look.operation(blockedBy)
  const clears =
    before?.action.kind === 'deprovision' || (before?.action.kind === 'unbind' && action.kind === 'bind')
  if (!clears || before?.state === 'succeeded') return undefined
  return { code: 'operation.failed', detail: 'what an earlier attempt left behind could not be cleared away' }
}

/** A layout that takes longer has the operation asked once more whether it is still to start. */
const slowLayoutMs = 2000

async function start(at: Performing, run: Run): Promise<'on'> {
  const { tools, lease, leave } = at
  const engine = engineOf(tools, run)
  const job = await sealedJob(tools, lease, run)
  const { operation, fence } = lease
  const order = { name: run.name, job, cluster: tools.cluster.id, operation, fence }
  const begun = tools.ports.clock.monotonic()
  try {
    // The intent reaches the disk while the layout is made; nothing is started before.
    const laidOut = engine.layOut(order, quietWatch(AbortSignal.any([leave, lease.lost])))
    const tookMs = laidOut.then(() => tools.ports.clock.monotonic() - begun)
    const [layoutMs] = await Promise.all([tookMs, tools.ports.store.settled()])
    if (layoutMs > slowLayoutMs && lease.notes.slowLayout !== run.name) {
      // An image took its time: by now the run may not be wanted any more.
      lease.notes.slowLayout = run.name
      return 'on'
    }
    lease.check()
    return await recordStarted(at, run, await engine.start({ name: run.name, fence }))
  } catch (error) {
    if (!(error instanceof ProblemError) || !isFinal(error.problem)) throw error
    // What cannot be started is a report like any other: the contract says what it means.
    const end = { kind: 'not-started', detail: error.message } as const
    await recordReport(tools, lease, run, emptyReport(end, await tools.ports.store.look.now()))
    return 'on'
  }
}

/** Whether trying the same start again could not end otherwise. */
function isFinal(problem: Problem): boolean {
  return !isTransient(problem) && problem.code !== 'store.fenced' && problem.code !== 'internal.unexpected'
}

async function recordStarted({ tools, lease }: Performing, run: Run, ticket: string): Promise<'on'> {
  const startedAt = await tools.ports.store.look.now()
  const progress = { state: 'running', reason: `run ${run.name} was started`, startedAt } as const
  await recordStart(tools, lease, progress, { ...run, state: 'started', ticket })
  return 'on'
}

async function follow(
  at: Performing,
  { run, ticket, stop }: Extract<Next, { kind: 'follow' }>,
): Promise<'on'> {
  const { tools, lease, operation, leave } = at
  const [{ situation }, job, outputs] = await Promise.all([
    assemble(tools.ports, operation, lease.notes),
    sealedJob(tools, lease, run),
    orders.outputs(tools.ports.store.look, operation.target),
  ])
  const engine = engineOf(tools, run)
  const { values, files } = secretsOf(situation, { job, outputs })
  const mask = await makeMask(values, tools.ports.clock, files)
  const ended = await followRun({ tools, lease, run, engine, job, leave, mask }, ticket, stop).catch(
    (error: unknown) => giveUpFollowing(at, { run, stop, error }),
  )
  if (ended === undefined) return 'on'
  const { report } = ended
  await recordReport(tools, lease, run, report)
  tellSpent(at, { phase: 'collect', engine: run.engine, since: ended.at })
  tools.report.event({
    kind: 'ran',
    operation: lease.operation,
    action: operation.action.kind,
    format: situation.package.contract,
    engine: run.engine,
    end: report.end.kind,
    ms: report.finishedAt - report.startedAt,
  })
  return 'on'
}

/** What must end and cannot be followed is stopped, and ends with what was kept of it. */
async function giveUpFollowing(
  { tools, operation, lease }: Performing,
  { run, stop, error }: { readonly run: Run; readonly stop: StopReason | undefined; readonly error: unknown },
): Promise<{ readonly report: Report; readonly at: number }> {
  const problem = toProblem(error)
  if (stop === undefined || isTransient(problem) || problem.code === 'store.fenced') throw error
  tools.report.event({ kind: 'fault', operation: operation.id, doing: `follow run ${run.name}`, error })
  lease.check()
  await engineOf(tools, run).stop(run.name, 0)
  const { clock, store } = tools.ports
  return { report: emptyReport({ kind: 'lost' }, await store.look.now()), at: clock.monotonic() }
}

async function endUnstarted(at: Performing, why: StopReason): Promise<'over'> {
  const { tools, lease } = at
  const run = (await tools.ports.store.look.runs(lease.operation)).at(-1)
  lease.check()
  // Without its layout no paused owner can start the run any more.
  if (run && run.state !== 'discarded') await engineOf(tools, run).discard(run.name)
  const problem: Problem = { code: why === 'cancelled' ? 'operation.cancelled' : 'operation.deadline' }
  const state = why === 'cancelled' ? 'cancelled' : 'failed'
  return end(at, { state, outcome: { problems: [problem] } })
}

async function end({ tools, lease }: Performing, ending: Ending): Promise<'over'> {
  await recordEnd(tools, lease, ending)
  return 'over'
}

function quietWatch(signal: AbortSignal) {
  return {
    had: () => 0,
    log: () => Promise.resolve(),
    progress: () => undefined,
    kept: () => Promise.resolve(),
    signal,
  }
}

function engineOf({ engines }: Tools, run: Run): Engine {
  return (
    engines.find((engine) => engine.name === run.engine) ??
    fail('engine.unavailable', `${run.engine} is not configured here`)
  )
}
