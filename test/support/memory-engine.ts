/** The smallest engine: programs are functions, a run is an object. A worked example, and fast tests for what asks engines. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Engine, EngineFacts, FoundRun, RunOrder, RunSight, Watch } from '../../src/engines/engine.ts'
import type { Clock } from '../../src/kit/clock.ts'
import { encode } from '../../src/kit/codec.ts'
import { sha256 } from '../../src/kit/hash.ts'
import type { Job, Step, Want } from '../../src/model/job.ts'
import { fail, type Problem } from '../../src/model/problem.ts'
import type { Got, Report, RunEnd, StepReport } from '../../src/model/report.ts'

/** What a program finds: its arguments, its environment, its files. */
export interface World {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly files: Map<string, Uint8Array>
  stdout(text: string | Uint8Array): void
  stderr(text: string | Uint8Array): void
  /** Fires at a polite stop. */
  readonly stopped: AbortSignal
}

/** Answers its exit status. */
export type Program = (world: World) => number | Promise<number>

export interface MemoryOptions {
  readonly clock: Clock
  /** The program of a step, if this engine has it. */
  program(step: Step): Program | undefined
}

const facts: EngineFacts = {
  programs: ['image'],
  run: 'process',
  severalSteps: true,
  outlives: false,
  streamsApart: true,
  readOnlyMounts: false,
  folderLimit: 'none',
  networkNone: true,
  memoryLimit: false,
  processLimit: false,
  processorLimit: false,
  cluster: ['none'],
}

interface Piece {
  readonly stream: 'stdout' | 'stderr'
  readonly step: string
  readonly bytes: Uint8Array
}

interface Run {
  readonly order: RunOrder
  readonly spec: string
  fence: number
  readonly laidOutAt: number
  readonly stopping: AbortController
  stopReason: 'stopped' | 'timed-out' | undefined
  readonly log: Piece[]
  started: Promise<Report> | undefined
}

/** Opens an engine whose runs are gone with it. */
export function openMemoryEngine(options: MemoryOptions): Engine {
  const { clock } = options
  const runs = new Map<string, Run>()
  const knownRun = (name: string): Run => runs.get(name) ?? fail('engine.layout-gone', name)

  return {
    name: 'memory',
    facts,
    check: () => Promise.resolve([]),
    refuses: (job) => refusal(job, options),

    layOut(order) {
      const { name, fence, cluster, operation, job } = order
      const refused = refusal(job, options)
      if (refused) return Promise.reject(asError(refused))
      const spec = sha256(encode({ cluster, operation, job }))
      const there = runs.get(name)
      if (there === undefined) runs.set(name, newRun(order, spec, clock.now()))
      else if (there.spec !== spec) fail('engine.name-conflict', name)
      else if (there.started === undefined && there.fence > fence) fail('engine.layout-gone', name)
      else there.fence = fence
      return Promise.resolve()
    },

    start({ name, fence }) {
      const run = knownRun(name)
      if (run.started === undefined && run.fence !== fence) fail('engine.layout-gone', name)
      run.started ??= perform(run, options)
      return Promise.resolve(name)
    },

    look: (name) => Promise.resolve(sightOf(runs.get(name), name)),

    async follow(name, watch) {
      const run = knownRun(name)
      const pouring = pumpLog(run, watch)
      const report = await (run.started ?? fail('engine.layout-gone', name))
      await pouring
      return report
    },

    async stop(name) {
      const run = runs.get(name)
      run?.stopping.abort()
      await run?.started
    },

    async discard(name) {
      const run = runs.get(name)
      run?.stopping.abort()
      await run?.started
      runs.delete(name)
    },

    list: (cluster) => Promise.resolve(found(runs, cluster, clock)),
    close: () => Promise.resolve(),
  }
}

function newRun(order: RunOrder, spec: string, laidOutAt: number): Run {
  const { fence } = order
  const stopping = new AbortController()
  return { order, spec, fence, laidOutAt, stopping, stopReason: undefined, log: [], started: undefined }
}

function asError(problem: Problem): unknown {
  try {
    return fail(problem.code, problem.detail)
  } catch (error) {
    return error
  }
}

function refusal({ program, steps, needs }: Job, options: MemoryOptions): Problem | undefined {
  if (program.kind !== 'image') return { code: 'engine.refused', detail: program.kind }
  if (needs.cluster !== 'none') return { code: 'engine.refused', detail: 'there is no cluster' }
  const unknown = steps.find((step) => options.program(step) === undefined)
  return unknown && { code: 'engine.refused', detail: `step ${unknown.name}` }
}

function sightOf(run: Run | undefined, name: string): RunSight {
  if (run === undefined) return { kind: 'absent' }
  return run.started === undefined ? { kind: 'laid-out' } : { kind: 'started', ticket: name }
}

function found(runs: ReadonlyMap<string, Run>, cluster: string, clock: Clock): readonly FoundRun[] {
  return [...runs]
    .filter(([, { order }]) => order.cluster === cluster)
    .map(([name, { order, laidOutAt }]) => ({
      name,
      operation: order.operation,
      ageMs: clock.now() - laidOutAt,
    }))
}

async function perform(run: Run, options: MemoryOptions): Promise<Report> {
  const { clock } = options
  const { job } = run.order
  const startedAt = clock.now()
  const files = new Map<string, Uint8Array>()
  for (const { path, content } of job.files) {
    if (content.kind === 'bytes') files.set(path, content.bytes)
    if (content.kind === 'secret') files.set(path, Buffer.from(content.secret.reveal()))
  }
  const over = new AbortController()
  const deadline = clock.sleep(job.limits.seconds * 1000, over.signal).then(() => {
    if (over.signal.aborted) return
    run.stopReason = 'timed-out'
    run.stopping.abort()
  })
  const steps = await performSteps(run, files, options)
  over.abort()
  await deadline
  return {
    end: endOf(run, steps),
    steps,
    got: new Map(job.wants.map((want): [string, Got] => [want.name, collect(want, files)])),
    logTail: Buffer.concat(run.log.map(({ bytes }) => bytes)).toString(),
    startedAt,
    finishedAt: clock.now(),
    notes: [],
  }
}

async function performSteps(
  run: Run,
  files: Map<string, Uint8Array>,
  options: MemoryOptions,
): Promise<readonly StepReport[]> {
  const steps: StepReport[] = []
  for (const step of run.order.job.steps) {
    if (run.stopping.signal.aborted) break
    const report = await performStep(step, { run, files, options })
    steps.push(report)
    if (report.exit !== 0 && !step.mayFail) break
  }
  return steps
}

async function performStep(
  step: Step,
  {
    run,
    files,
    options,
  }: { readonly run: Run; readonly files: Map<string, Uint8Array>; readonly options: MemoryOptions },
): Promise<StepReport> {
  const { streams, command, name } = step
  const use = streams.kind === 'apart' ? streams.stdout.kind : 'logged'
  const captured: Uint8Array[] = []
  const world: World = {
    argv: command.kind === 'exec' ? command.argv : command.arguments,
    environment: Object.fromEntries(
      Object.entries(step.environment).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : value.reveal(),
      ]),
    ),
    files,
    stdout(text) {
      const bytes = Buffer.from(text)
      if (use !== 'logged') captured.push(bytes)
      if (use !== 'captured') run.log.push({ stream: 'stdout', step: name, bytes })
    },
    stderr: (text) => {
      const stream = streams.kind === 'merged' ? 'stdout' : 'stderr'
      run.log.push({ stream, step: name, bytes: Buffer.from(text) })
    },
    stopped: run.stopping.signal,
  }
  const program = options.program(step) ?? fail('engine.start-failed', name)
  const exit = await program(world)
  return { name, exit, ...(use === 'logged' ? {} : { stdout: new Uint8Array(Buffer.concat(captured)) }) }
}

function endOf({ stopReason, stopping }: Run, steps: readonly StepReport[]): RunEnd {
  if (stopReason) return { kind: stopReason }
  return stopping.signal.aborted && steps.at(-1)?.exit !== 0 ? { kind: 'stopped' } : { kind: 'finished' }
}

function collect(want: Want, files: ReadonlyMap<string, Uint8Array>): Got {
  if (want.kind === 'file' || want.kind === 'kept-file') {
    const bytes = files.get(want.path)
    if (bytes === undefined) return { kind: 'missing' }
    return bytes.length > want.bytesMax
      ? { kind: 'too-large', bytes: bytes.length }
      : { kind: 'bytes', bytes }
  }
  return { kind: 'missing' }
}

/** Hands the log on while it grows, each stream from where the listener left it. */
async function pumpLog({ log, started }: Run, watch: Watch): Promise<void> {
  const seen = new Map<string, number>()
  let isOver = false
  const ended = started?.then(() => {
    isOver = true
  })
  for (let i = 0; !watch.signal.aborted; ) {
    const piece = log[i]
    if (piece === undefined) {
      if (isOver) break
      await Promise.race([ended, turn()])
      continue
    }
    i++
    const key = `${piece.step} ${piece.stream}`
    const before = seen.get(key) ?? 0
    seen.set(key, before + piece.bytes.length)
    const bytes = piece.bytes.subarray(Math.max(0, watch.had(piece.step, piece.stream) - before))
    if (bytes.length > 0) await watch.log({ ...piece, bytes })
  }
  await ended
}
