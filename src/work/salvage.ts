/** How an operation ends that could not be carried to its end: with all that its run has left. */
import type { Ending } from '../broker/settle.ts'
import type { Engine } from '../engines/engine.ts'
import { decode } from '../kit/codec.ts'
import type { Job } from '../model/job.ts'
import type { Operation, Run } from '../model/operation.ts'
import type { Problem } from '../model/problem.ts'
import { emptyReport, type Report } from '../model/report.ts'
import { assemble } from './assemble.ts'
import { concluded, judged } from './conclude.ts'
import { withoutSecrets } from './ending.ts'
import { keepFile, withKeptFiles } from './kept-file-records.ts'
import type { StopReason } from './next.ts'
import { makeNotes } from './notes.ts'
import type { Tools } from './tools.ts'

/** An engine that does not answer for so long is not waited for. */
const collectMs = 10_000

/** What the operation comes to now, whichever process holds it; whatever fails here is told and does not keep it from ending. */
export async function salvage(tools: Tools, operation: Operation): Promise<Ending> {
  const stop: StopReason = operation.cancelRequestedAt === undefined ? 'deadline' : 'cancelled'
  const problem: Problem = {
    code: stop === 'deadline' ? 'operation.deadline' : 'operation.cancelled',
    detail: `it was last: ${operation.reason}`,
  }
  const bare: Ending = {
    state: stop === 'deadline' ? 'failed' : 'cancelled',
    outcome: { problems: [problem] },
  }
  try {
    const left = await leftOf(tools, operation)
    if (left === undefined) return bare
    const assembled = await assemble(tools.ports, operation, makeNotes())
    const { conclusion, mask } = await concluded(tools, assembled, { operation, ...left })
    const outcome =
      conclusion.kind === 'done' ? conclusion.outcome : { problems: [], carryover: conclusion.carryover }
    const ending = withoutSecrets(judged(outcome, left.report, stop), mask)
    const [, ...further] = ending.outcome.problems
    return { ...ending, outcome: { ...ending.outcome, problems: [problem, ...further] } }
  } catch (error) {
    tools.report.event({
      kind: 'fault',
      operation: operation.id,
      doing: 'collect what a run has left',
      error,
    })
    return bare
  }
}

/** The job and the report of its latest run, as far as anything of it is there. */
async function leftOf(
  tools: Tools,
  { id }: Operation,
): Promise<{ readonly run: Run; readonly job: Job; readonly report: Report } | undefined> {
  const { look } = tools.ports.store
  const run = (await look.runs(id)).at(-1)
  if (run === undefined || run.state === 'discarded') return undefined
  const job = await unsealed<Job>(tools, run, 'job')
  if (job === undefined) return undefined
  const known = run.state === 'reported' ? await unsealed<Report>(tools, run, 'report') : undefined
  const collected = known ?? (await collect(tools, run))
  if (collected === 'never-started') return undefined
  const report = collected ?? emptyReport({ kind: 'lost' }, await look.now())
  return { run, job, report: await withKeptFiles(tools.ports.store, run, job, report) }
}

async function unsealed<T>({ ports }: Tools, { name }: Run, what: string): Promise<T | undefined> {
  const bytes = await ports.store.look.unseal(`run/${name}`, what)
  return bytes && decode<T>(Buffer.from(bytes).toString())
}

/** Stops the run and reads what it has left, if its engine can do that now. */
async function collect(tools: Tools, run: Run): Promise<Report | 'never-started' | undefined> {
  const engine = tools.engines.find(({ name }) => name === run.engine)
  if (engine === undefined) return undefined
  const enough = new AbortController()
  const late = tools.ports.clock.sleep(collectMs, enough.signal).then(() => undefined)
  try {
    return await Promise.race([readLeft(tools, { engine, run, signal: enough.signal }), late])
  } catch (error) {
    tools.report.event({ kind: 'fault', operation: run.operation, doing: `collect run ${run.name}`, error })
    return undefined
  } finally {
    enough.abort()
  }
}

async function readLeft(
  { ports }: Tools,
  { engine, run, signal }: { readonly engine: Engine; readonly run: Run; readonly signal: AbortSignal },
): Promise<Report | 'never-started' | undefined> {
  // A start that was not written down shows in the engine.
  const sight = await engine.look(run.name)
  if (sight.kind !== 'started') {
    if (run.state !== 'intended' || sight.kind === 'foreign') return undefined
    // Without its layout it can no longer be started.
    await engine.discard(run.name)
    return 'never-started'
  }
  await engine.stop(run.name, 0)
  return engine.follow(sight.ticket, {
    had: () => 0,
    log: () => Promise.resolve(),
    progress: () => undefined,
    kept: (name, bytes) => keepFile(ports.store, run, name, bytes),
    signal,
  })
}
