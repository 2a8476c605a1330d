/** Runs a row of the behaviour table, or a job, on an engine and remembers what was seen. */
import { threadId } from 'node:worker_threads'
import type { Engine, RunOrder, Watch } from '../../src/engines/engine.ts'
import { type Job, usualLimits } from '../../src/model/job.ts'
import { ProblemError } from '../../src/model/problem.ts'
import type { Report } from '../../src/model/report.ts'
import type { TestImage } from '../support/busybox.ts'
import type { Program } from '../support/memory-engine.ts'
import { captured, type ImageName, type Row, type Seen } from './row.ts'

export type Images = Readonly<Record<ImageName, TestImage>>

let count = 0

/** Stands in the names of all runs of this worker: others may share its process. */
export const ownRuns = `${process.pid}t${threadId}-`

/** A run name like those of the broker. */
export function freshName(): string {
  return `chd-testtest-${Date.now().toString(36)}${ownRuns}${count++}a1`
}

export interface Candidate {
  readonly name: string
  /** Why it cannot be tried here. */
  readonly missing?: string | undefined
  /** Opens the engine over a folder; a second opening is what a successor does. */
  open(folder: string, images: Images): Promise<Engine>
  /** Rows without an `act` are for engines with a real shell. */
  readonly shell: boolean
  /** Rows that this engine cannot show, with the reason; by title. */
  readonly skips?: Readonly<Record<string, string>>
  /** Which rows it is given; all of them unless said. */
  readonly only?: readonly string[]
  /** The folders of its runs, with the files of what they have printed; below that of the candidate unless said. */
  printed?(): readonly string[]
  /** What is left on the host; asked after everything was discarded. */
  leftovers?(): Promise<readonly string[]>
}

/** The programs of rows for engines without a shell, by the script they stand for. */
export const acts = new Map<string, Program>()

/** The job of a row. */
export function jobOf(row: Omit<Row, 'title' | 'see'>, image: TestImage): Job {
  if (row.act) acts.set(row.script ?? '', row.act)
  const step: Job['steps'][0] = {
    name: 'only',
    command: { kind: 'exec', argv: ['/bin/sh', '-c', row.script ?? ''] },
    environment: {},
    streams: captured,
    ...row.step,
  }
  return {
    program: row.tools ? { kind: 'tools', tools: row.tools } : { kind: 'image', ...image },
    steps: row.steps ?? [step],
    files: row.files ?? [],
    folders: row.folders ?? [],
    wants: row.wants ?? [],
    needs: { cluster: 'none', network: 'none', readOnlyRoot: false, ...row.needs },
    limits: { ...usualLimits, seconds: 100, graceSeconds: 5, ...row.limits },
  }
}

const testCluster = 'test-cluster'

/** An order as the worker gives it. */
export function orderOf(job: Job, name = freshName(), fence = 1): RunOrder {
  return { name, job, cluster: testCluster, operation: 'operation-1', fence }
}

/** Runs a job from its layout to its report, and takes it away. */
export async function runJob(engine: Engine, job: Job): Promise<Seen> {
  const order = orderOf(job)
  const { watch, seenWith } = listener()
  try {
    await engine.layOut(order, watch)
    const ticket = await engine.start({ name: order.name, fence: 1 })
    return seenWith(await engine.follow(ticket, watch))
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'engine.start-failed') throw error
    return seenWith(notStarted(error.message))
  } finally {
    await engine.discard(order.name)
  }
}

/** Leaves nothing of what tests laid out. */
export async function discardAll(engine: Engine): Promise<void> {
  for (const { name } of await engine.list(testCluster)) await engine.discard(name)
}

function notStarted(detail: string): Report {
  const end = { kind: 'not-started', detail } as const
  return { end, steps: [], got: new Map(), logTail: '', startedAt: 0, finishedAt: 0, notes: [] }
}

/** A watch that remembers everything. */
export function listener(had: Watch['had'] = () => 0) {
  const begun = performance.now()
  const parts: {
    readonly stream: string
    readonly step: string
    readonly at: number
    readonly bytes: Buffer
  }[] = []
  const kept: { readonly name: string; readonly text: string }[] = []
  const stop = new AbortController()
  const watch: Watch = {
    had,
    log: async ({ stream, step, bytes }) => {
      parts.push({ stream, step, at: Date.now(), bytes: Buffer.from(bytes) })
    },
    progress: () => undefined,
    kept: async (name, bytes) => {
      kept.push({ name, text: Buffer.from(bytes).toString() })
    },
    signal: stop.signal,
  }
  const of = (stream?: string) =>
    Buffer.concat(parts.filter((part) => !stream || part.stream === stream).map(({ bytes }) => bytes))
  const seenWith = (report: Report): Seen => ({
    report,
    stdout: of('stdout'),
    stderr: of('stderr'),
    log: of(),
    pieces: parts,
    kept,
    milliseconds: performance.now() - begun,
  })
  return { watch, seenWith, stop, log: () => of() }
}
