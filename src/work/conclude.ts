/** A report becomes an ending, a further stage, or a further attempt; its run is destroyed before that, or, when it is over, right after the end. */
import { withLent } from '../broker/lent.ts'
import { orders } from '../broker/orders.ts'
import { type Secrets, secretsOf } from '../broker/secrets.ts'
import type { Ending } from '../broker/settle.ts'
import type { Conclusion } from '../contracts/contract.ts'
import type { Engine } from '../engines/engine.ts'
import { encode } from '../kit/codec.ts'
import { present } from '../kit/present.ts'
import { type Mask, makeMask } from '../kit/redact.ts'
import type { Job } from '../model/job.ts'
import type { Operation, Run } from '../model/operation.ts'
import type { Carryover, Outcome } from '../model/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import { ownerOfBinding, ownerOfInstance } from '../model/sealed.ts'
import type { Transaction } from '../store/store.ts'
import { type Assembled, assemble } from './assemble.ts'
import { discardLeft, discardNow, isOver } from './discard.ts'
import { drawConclusion } from './draw-conclusion.ts'
import { endingOf, withLastLines, withoutSecrets } from './ending.ts'
import { withKeptFiles } from './kept-file-records.ts'
import { hideInLogs } from './late-secrets.ts'
import type { Lease } from './lease.ts'
import type { StopReason } from './next.ts'
import { recordEnd, recordProgress, sealedJob, sealedReport } from './record.ts'
import { runName } from './run-name.ts'
import { shownTailOf } from './shown-tail.ts'
import { placedFor, type Tools } from './tools.ts'

interface Around {
  readonly engine: Engine
  readonly operation: Operation
  readonly stop: StopReason | undefined
}

/** For how long a name stays forbidden: the longest pause of a process we defend against. */
const tombstoneMs = 24 * 3_600_000

/** Draws the conclusion of a run whose report is sealed. */
export async function conclude(
  tools: Tools,
  lease: Lease,
  run: Run,
  { engine, operation, stop }: Around,
): Promise<'over' | 'on'> {
  const [seen, job] = await Promise.all([sealedReport(tools, lease, run), sealedJob(tools, lease, run)])
  const report = await withKeptFiles(tools.ports.store, run, job, seen)
  const assembled = await assemble(tools.ports, operation, lease.notes)
  const { contract, order } = assembled
  if (
    report.end.kind === 'lost' &&
    stop === undefined &&
    mayRunAgain(tools, operation, contract.interrupted(order.action))
  ) {
    await discardNow(tools, lease, run, engine)
    await runAgain(tools, lease, { operation, run, job })
    return 'on'
  }
  const { conclusion, mask } = await concluded(tools, assembled, { operation, run, job, report })
  if (conclusion.kind === 'next' && stop === undefined) {
    await discardNow(tools, lease, run, engine)
    const next = withLent(conclusion.job, assembled.situation.plan)
    return nextStage(tools, lease, { operation, run, job: next, carryover: conclusion.carryover })
  }
  const outcome =
    conclusion.kind === 'done'
      ? conclusion.outcome
      : { problems: [], carryover: conclusion.unstarted ?? conclusion.carryover }
  // A chain that was stopped between two stages is not done, however well the last one ended.
  const isDone = report.end.kind === 'finished' && conclusion.kind === 'done'
  const ending = withLastLines(judged(outcome, report, isDone ? undefined : stop), report)
  if (!isOver(report)) await discardNow(tools, lease, run, engine)
  await recordEnd(tools, lease, withoutSecrets(ending, mask), { order })
  if (isOver(report)) await discardLeft(tools, run, engine)
  return 'over'
}

interface Ran {
  readonly operation: Operation
  readonly run: Run
  readonly job: Job
  readonly report: Report
}

/** What the report means. Whatever came out as a secret is hidden in the log first, and in the lines that the conclusion may quote. */
export async function concluded(
  { ports, report: log }: Tools,
  assembled: Assembled,
  { operation, run, job, report }: Ran,
): Promise<{ readonly conclusion: Conclusion; readonly mask: Mask }> {
  const { situation } = assembled
  const outputs = await orders.outputs(ports.store.look, operation.target)
  const known = secretsOf(situation, { job, outputs })
  const conclusion = drawConclusion(log, assembled, report)
  const outcome = conclusion.kind === 'done' ? conclusion.outcome : undefined
  const made = conclusion.secrets ?? []
  const all = secretsOf(situation, { job, outputs, made, ...present({ outcome }) })
  const late = without(all, known)
  const mask = await makeMask(all.values, ports.clock, all.files)
  if (late.values.length === 0 && late.files.length === 0) return { conclusion, mask }
  await hideInLogs(ports, operation, mask)
  const kept = await shownTailOf(ports.store, operation.id, run.name)
  const logTail = kept === '' ? mask.text(report.logTail) : kept
  return {
    conclusion:
      logTail === report.logTail ? conclusion : drawConclusion(log, assembled, { ...report, logTail }),
    mask,
  }
}

function without(all: Secrets, known: Secrets): Secrets {
  const [values, files] = [new Set(known.values), new Set(known.files)]
  return {
    values: all.values.filter((text) => !values.has(text)),
    files: all.files.filter((text) => !files.has(text)),
  }
}

function mayRunAgain({ limits }: Tools, { attempt }: Operation, word: 'run-again' | 'give-up'): boolean {
  return word === 'run-again' && attempt < limits.attemptsMax
}

/** A new attempt under a new name; the old name is forbidden, so that no process that wakes up late can start it. */
async function runAgain(
  tools: Tools,
  lease: Lease,
  { operation, run, job }: { readonly operation: Operation; readonly run: Run; readonly job: Job },
): Promise<void> {
  const attempt = operation.attempt + 1
  const name = runName(tools.cluster.id, { ...operation, attempt })
  const progress = {
    state: 'preparing',
    reason: `run ${run.name} vanished; attempt ${attempt} follows`,
    attempt,
  } as const
  await recordProgress(tools, lease, progress, async (tx) => {
    await tx.putRun({ ...run, state: 'discarded' })
    await tx.addTombstone(run.name, 'vanished', tombstoneMs)
    await intend(tx, { ...withoutTicket(run), attempt, name, state: 'intended' }, job)
  })
}

async function nextStage(
  tools: Tools,
  lease: Lease,
  what: {
    readonly operation: Operation
    readonly run: Run
    readonly job: Job
    readonly carryover: Carryover
  },
): Promise<'over' | 'on'> {
  const { operation, run, carryover } = what
  const stage = operation.stage + 1
  const placed = placedFor(tools, operation.tenant, what.job)
  if (!('engine' in placed) || stage >= tools.limits.stagesMax) {
    const problem: Problem =
      'engine' in placed
        ? { code: 'operation.failed', detail: `there are more than ${tools.limits.stagesMax} stages` }
        : placed
    await recordEnd(tools, lease, { state: 'failed', outcome: { problems: [problem], carryover } })
    return 'over'
  }
  const { engine, job } = placed
  const name = runName(tools.cluster.id, { ...operation, stage, attempt: 1 })
  const progress = { state: 'preparing', reason: `stage ${stage} follows`, stage, attempt: 1 } as const
  lease.notes.facts = undefined
  await recordProgress(tools, lease, progress, async (tx) => {
    await tx.putRun({ ...run, state: 'discarded' })
    await keepCarryover(tx, operation, carryover)
    await intend(
      tx,
      { ...withoutTicket(run), stage, attempt: 1, name, engine: engine.name, state: 'intended' },
      tools.beforehand?.fit(engine, job) ?? job,
    )
  })
  return 'on'
}

async function intend(tx: Transaction, run: Run, job: Job): Promise<void> {
  await tx.putRun(run)
  await tx.seal(`run/${run.name}`, 'job', Buffer.from(encode(job)))
}

async function keepCarryover(
  tx: Transaction,
  { target, action }: Operation,
  carryover: Carryover,
): Promise<void> {
  const ofBinding = (action.kind === 'bind' || action.kind === 'unbind') && target.binding !== undefined
  const owner = ofBinding
    ? ownerOfBinding({ ...target, binding: target.binding ?? '' })
    : ownerOfInstance(target)
  await orders.putCarryover(tx, owner, carryover)
}

function withoutTicket({ ticket: _ticket, ...run }: Run): Run {
  return run
}

/** Work that was done before the cancel or the deadline reached it is done; else they decide how it ended. */
export function judged(outcome: Outcome, report: Report, stop: StopReason | undefined): Ending {
  const { binding: _credentials, ...rest } = outcome
  if (stop === 'cancelled') {
    return { state: 'cancelled', outcome: { ...rest, problems: [{ code: 'operation.cancelled' }] } }
  }
  if (stop === 'deadline') {
    return {
      state: 'failed',
      outcome: { ...rest, problems: [{ code: 'operation.deadline' }, ...outcome.problems] },
    }
  }
  if (report.end.kind === 'lost') {
    return {
      state: 'failed',
      outcome: { ...rest, problems: [{ code: 'operation.interrupted' }, ...outcome.problems] },
    }
  }
  return endingOf(outcome)
}
