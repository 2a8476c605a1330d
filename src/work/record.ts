/** The fenced writes of a worker: each step of an operation is written down before the next is taken. */
import { type Ending, lockForEnd, type Settled, settle } from '../broker/settle.ts'
import { decode, encode } from '../kit/codec.ts'
import type { Job } from '../model/job.ts'
import type { Operation, Run } from '../model/operation.ts'
import { fail } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import type { Durability } from '../store/database.ts'
import type { Transaction } from '../store/store.ts'
import type { Lease } from './lease.ts'
import { strikesMax } from './next.ts'
import type { Tools } from './tools.ts'

type Progress = Partial<
  Pick<Operation, 'state' | 'reason' | 'description' | 'startedAt' | 'stage' | 'attempt'>
>

type Also = (tx: Transaction, operation: Operation) => Promise<void>

/** Writes progress, and whatever belongs to it, in one transaction; throws store.fenced when another has taken over. */
export function recordProgress(tools: Tools, lease: Lease, progress: Progress, also?: Also): Promise<void> {
  return record(tools, lease, { progress, also, how: 'firm' })
}

/** The same for a start, which the engine shows, too: should the power take the record, the run is found there. */
export function recordStart(tools: Tools, lease: Lease, progress: Progress, run: Run): Promise<void> {
  return record(tools, lease, { progress, also: (tx) => tx.putRun(run), how: 'loose' })
}

/** The same for a run that an earlier claim had begun: it goes on, whatever was said of it meanwhile. */
export function recordFound(tools: Tools, lease: Lease, { name }: Run): Promise<void> {
  const progress = { reason: `run ${name} was found and goes on` }
  return record(tools, lease, { progress, also: undefined, how: 'loose' })
}

interface Recording {
  readonly progress: Progress
  readonly also: Also | undefined
  readonly how: Durability
}

async function record(tools: Tools, lease: Lease, { progress, also, how }: Recording): Promise<void> {
  const { ports } = tools
  const kept = await ports.store.write(
    async (tx) => {
      const now = (await tx.lockOperation(lease.operation)) ?? fail('operation.unknown', lease.operation)
      // Progress proves that the work does not crash us: the strikes are forgotten.
      const next: Operation = { ...now, ...progress, strikes: 0 }
      if (!(await tx.putOperation(next, { fence: lease.fence, owner: ports.node }))) return false
      if (progress.reason !== undefined) {
        const { state, reason } = next
        await tx.addHistory(next.id, { state, reason, node: ports.node, fence: lease.fence })
      }
      await also?.(tx, next)
      return true
    },
    { about: lease.target, how },
  )
  if (!kept) taken(tools, lease)
}

/** A run is intended: its job is sealed, so that recovery never prepares it again. Not for good before the store is settled. */
export async function recordIntent(tools: Tools, lease: Lease, run: Run, job: Job): Promise<void> {
  const { stage, attempt } = run
  const reason = `prepared run ${run.name} for engine ${run.engine}`
  const also = async (tx: Transaction): Promise<void> => {
    await tx.putRun(run)
    await tx.seal(`run/${run.name}`, 'job', Buffer.from(encode(job)))
  }
  await record(tools, lease, { progress: { state: 'preparing', reason, stage, attempt }, also, how: 'loose' })
  lease.notes.jobs.set(run.name, job)
}

/** The job that was sealed for a run. */
export function sealedJob({ ports }: Tools, { notes }: Lease, { name }: Run): Promise<Job> {
  return noted(notes.jobs, name, () => ports.store.look.unseal(`run/${name}`, 'job'))
}

async function noted<T>(
  notes: Map<string, T>,
  run: string,
  unseal: () => Promise<Uint8Array | undefined>,
): Promise<T> {
  const known = notes.get(run)
  if (known !== undefined) return known
  const bytes = await unseal()
  const value = bytes ? decode<T>(Buffer.from(bytes).toString()) : fail('store.fenced', run)
  notes.set(run, value)
  return value
}

/** What the engine saw is sealed. Not for good before the store is settled: until then it can be seen again. */
export async function recordReport(tools: Tools, lease: Lease, run: Run, report: Report): Promise<void> {
  const reason = `run ${run.name} ended: ${report.end.kind}`
  const also = async (tx: Transaction): Promise<void> => {
    await tx.putRun({ ...run, state: 'reported', ...(report.used && { used: report.used }) })
    await tx.seal(`run/${run.name}`, 'report', Buffer.from(encode(report)))
  }
  await record(tools, lease, { progress: { state: 'collecting', reason }, also, how: 'loose' })
  lease.notes.reports.set(run.name, report)
  tools.report.event({
    kind: 'attempted',
    format: lease.notes.format ?? 'other',
    engine: run.engine,
    result: report.end.kind,
  })
}

export function sealedReport({ ports }: Tools, { notes }: Lease, { name }: Run): Promise<Report> {
  return noted(notes.reports, name, () => ports.store.look.unseal(`run/${name}`, 'report'))
}

/** Ends the operation once. */
export async function recordEnd(
  tools: Tools,
  lease: Lease,
  ending: Ending,
  known: Pick<Settled, 'order' | 'ran'> = {},
): Promise<void> {
  const { ports } = tools
  const ended = await ports.store.write(
    async (tx) => {
      const { operation: id, target, fence } = lease
      const locked = (await lockForEnd(tx, id, target)) ?? fail('operation.unknown', id)
      const { operation } = locked
      const held = { fence, owner: ports.node }
      if (!(await settle(tx, ports, { ...locked, held, ...known }, ending))) return undefined
      const planId = locked.instance?.planId
      return { ...operation, planId, ms: (await tx.now()) - operation.createdAt }
    },
    { about: lease.target },
  )
  if (ended === undefined) taken(tools, lease)
  tools.bell.ring(lease.operation)
  tools.report.event({
    kind: 'ended',
    operation: ended.id,
    action: ended.action.kind,
    state: ending.state,
    format: formatOf(ports, ended.planId),
    problem: ending.outcome.problems[0]?.code,
    ms: ended.ms,
  })
}

/** The contract of a plan; what is not offered any more counts as other. */
function formatOf({ catalog }: Tools['ports'], planId: string | undefined): string {
  return (planId === undefined ? undefined : catalog().plan(planId)?.package.contract) ?? 'other'
}

/** Gives the operation back to the queue, to be taken up again after a while; false when it is in other hands. */
export async function giveBack(
  tools: Tools,
  lease: Lease,
  { waitMs, reason, strike }: { readonly waitMs: number; readonly reason: string; readonly strike: boolean },
): Promise<boolean> {
  const { ports } = tools
  return ports.store.write(async (tx) => {
    const operation = await tx.lockOperation(lease.operation)
    if (operation === undefined) return false
    const { lease: _given, ...rest } = operation
    // The claim counted as a strike; waiting for the world is none.
    const strikes = strike ? operation.strikes : Math.max(0, operation.strikes - 1)
    const quarantined = strike && strikes >= strikesMax
    const state = quarantined ? 'quarantined' : operation.state
    const next: Operation = { ...rest, state, reason, strikes, runAfter: (await tx.now()) + waitMs }
    if (!(await tx.putOperation(next, { fence: lease.fence, owner: ports.node }))) return false
    await tx.addHistory(next.id, { state, reason, node: ports.node, fence: lease.fence })
    if (quarantined) tools.report.event({ kind: 'quarantined', operation: next.id })
    return true
  })
}

function taken({ report }: Tools, lease: Lease): never {
  report.event({ kind: 'fenced', operation: lease.operation })
  lease.drop()
  fail('store.fenced', lease.operation)
}
