/** The engine of the sim contract: a run is a file that remembers when it began, so it outlives the broker. */
import { existsSync } from 'node:fs'
import {
  appendFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import type { Job } from '../../model/job.ts'
import { fail, type Problem } from '../../model/problem.ts'
import type { Report, RunEnd } from '../../model/report.ts'
import type {
  Engine,
  EngineFacts,
  FoundRun,
  RunName,
  RunOrder,
  RunSight,
  RunStart,
  Ticket,
  Watch,
} from '../engine.ts'

export interface SimOptions {
  readonly folder: string
  readonly clock: Clock
}

interface Laid {
  readonly cluster: string
  readonly operation: string
  readonly milliseconds: number
  readonly exit: number
  readonly logEveryMs?: number
}

const facts: EngineFacts = {
  programs: ['pretend'],
  run: 'process',
  severalSteps: true,
  outlives: true,
  streamsApart: true,
  readOnlyMounts: true,
  folderLimit: 'hard',
  networkNone: true,
  memoryLimit: true,
  processLimit: true,
  processorLimit: true,
  cluster: ['none'],
}

/** How often a run followed here looks for a stop asked for elsewhere. */
const glance = 500

/** Opens the engine over a folder; several processes may share one. */
export async function openSimEngine({ folder, clock }: SimOptions): Promise<Engine> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const runs = runsIn(folder)
  const followed = new Map<RunName, AbortController>()
  return {
    name: 'sim',
    facts,
    check: () => Promise.resolve([]),
    refuses: (job) => refuses(job),
    layOut: (order) => layOut(runs, order),
    start: (ticket) => start(runs, clock, ticket),
    look: runs.look,
    async follow(ticket, watch): Promise<Report> {
      const stopped = new AbortController()
      followed.set(ticket, stopped)
      try {
        return await follow({ runs, clock, ticket, stopped: stopped.signal }, watch)
      } finally {
        followed.delete(ticket)
      }
    },
    async stop(run) {
      if ((await runs.look(run)).kind !== 'started') return
      await writeFile(runs.file(run, 'stop'), '')
      followed.get(run)?.abort()
    },
    async discard(run) {
      await rm(join(folder, run), { recursive: true, force: true })
    },
    list: (cluster) => list(folder, cluster, clock),
    close: () => Promise.resolve(),
  }
}

/** Where the files of runs are. */
interface Runs {
  readonly folder: string
  file(run: RunName, state: 'run' | 'stop'): string
  /** What a claim of this fence has laid out. */
  laidFile(run: RunName, fence: number): string
  /** The claims whose layouts lie there, in order; more than one only for a moment. */
  fencesOf(run: RunName): Promise<readonly number[]>
  look(run: RunName): Promise<RunSight>
}

function runsIn(folder: string): Runs {
  const file: Runs['file'] = (run, state) => join(folder, run, state)
  const fencesOf = async (run: RunName): Promise<readonly number[]> => {
    const entries = (await readdir(join(folder, run)).catch(unless('ENOENT'))) ?? []
    const fences = entries.flatMap((entry) => (entry.startsWith('laid.') ? [Number(entry.slice(5))] : []))
    return fences.sort((a, b) => a - b)
  }
  return {
    folder,
    file,
    laidFile: (run, fence) => join(folder, run, `laid.${fence}`),
    fencesOf,
    async look(run) {
      if (await exists(file(run, 'run'))) return { kind: 'started', ticket: run }
      return (await fencesOf(run)).length > 0 ? { kind: 'laid-out' } : { kind: 'absent' }
    },
  }
}

async function layOut(runs: Runs, { name, job, cluster, operation, fence }: RunOrder): Promise<void> {
  if (job.program.kind !== 'pretend') fail('engine.refused', `the sim engine cannot run ${job.program.kind}`)
  if (await exists(runs.file(name, 'run'))) return
  const before = (await runs.fencesOf(name)).at(-1)
  if (before === fence) return
  if (before !== undefined && before > fence) fail('engine.layout-gone', name)
  if (before !== undefined) {
    await rename(runs.laidFile(name, before), runs.laidFile(name, fence)).catch(unless('ENOENT'))
    return
  }
  const { kind: _pretend, ...program } = job.program
  const laid: Laid = { cluster, operation, ...program }
  await mkdir(join(runs.folder, name), { recursive: true })
  // Killed while it is written, it must not count as laid out.
  const unfinished = join(runs.folder, name, `unfinished.${fence}`)
  await writeFile(unfinished, JSON.stringify(laid))
  await rename(unfinished, runs.laidFile(name, fence))
}

async function start(runs: Runs, clock: Clock, { name, fence }: RunStart): Promise<Ticket> {
  const laid = runs.laidFile(name, fence)
  const now = new Date(clock.now())
  await utimes(laid, now, now).catch(unless('ENOENT'))
  // The link is the arbiter: of any number of starters exactly one makes it, for it overwrites nothing.
  const moved = await link(laid, runs.file(name, 'run')).then(() => true, unless('ENOENT', 'EEXIST'))
  await rm(laid, { force: true })
  if (moved === undefined && !(await exists(runs.file(name, 'run')))) fail('engine.layout-gone', name)
  const journal = join(runs.folder, 'starts.log')
  if (moved && (await exists(journal))) await appendFile(journal, `${name}\n`)
  return name
}

interface Following {
  readonly runs: Runs
  readonly clock: Clock
  readonly ticket: Ticket
  /** A stop was asked for here. */
  readonly stopped: AbortSignal
}

async function follow({ runs, clock, ticket, stopped }: Following, watch: Watch): Promise<Report> {
  const laid = JSON.parse(await readFile(runs.file(ticket, 'run'), 'utf8')) as Laid
  const startedAt = Math.round((await stat(runs.file(ticket, 'run'))).mtimeMs)
  const ending = laid.milliseconds < 0 ? Number.POSITIVE_INFINITY : startedAt + laid.milliseconds
  const signal = AbortSignal.any([stopped, watch.signal])
  let end: RunEnd | undefined
  let lines = 0
  let glanceAt = 0
  while (end === undefined && !watch.signal.aborted) {
    lines = await speak(watch, laid, { lines, elapsedMs: clock.now() - startedAt })
    const isDue = stopped.aborted || clock.now() >= glanceAt
    if (isDue) glanceAt = clock.now() + glance
    // Hundreds look twice a second: the pool of threads would cost more than the answer.
    if (isDue && existsSync(runs.file(ticket, 'stop'))) end = { kind: 'stopped' }
    else if (clock.now() >= ending) end = { kind: 'finished' }
    else await clock.sleep(Math.min(ending, lineAt(laid, lines, startedAt), glanceAt) - clock.now(), signal)
  }
  return reportOf(end ?? { kind: 'lost' }, laid.exit, startedAt, clock.now())
}

function refuses(job: Job): Problem | undefined {
  if (job.program.kind === 'pretend') return undefined
  return { code: 'engine.refused', detail: `the sim engine cannot run a program of kind ${job.program.kind}` }
}

async function list(folder: string, cluster: string, clock: Clock): Promise<readonly FoundRun[]> {
  const found = (await readdir(folder, { withFileTypes: true })).map(async (one) => {
    const run = join(folder, one.name)
    const entries = one.isDirectory() ? await readdir(run).catch(unless('ENOENT')) : undefined
    if (entries === undefined) return []
    const entry = entries.find((file) => file === 'run' || file.startsWith('laid.'))
    const path = entry === undefined ? run : join(run, entry)
    const stats = await stat(path).catch(unless('ENOENT'))
    const text = entry === undefined ? '' : await readFile(path, 'utf8').catch(unless('ENOENT'))
    if (stats === undefined || text === undefined) return []
    const known = { name: one.name, ageMs: clock.now() - stats.mtimeMs }
    // Cut short by a kill, or emptied by a loss of power: nothing but the name tells whose it is.
    if (text === '') return [known]
    const laid = JSON.parse(text) as Laid
    return laid.cluster === cluster ? [{ ...known, operation: laid.operation }] : []
  })
  return (await Promise.all(found)).flat()
}

/** Says what is due by now and has not been said; what an earlier listener heard is not said again. */
async function speak(
  watch: Watch,
  { milliseconds, logEveryMs }: Laid,
  { lines, elapsedMs }: { readonly lines: number; readonly elapsedMs: number },
): Promise<number> {
  const due = 1 + (logEveryMs === undefined ? 0 : Math.floor(Math.max(0, elapsedMs) / logEveryMs))
  if (lines >= due) return lines
  const text = (n: number): string =>
    n === 0
      ? `pretending for ${milliseconds < 0 ? 'ever' : `${milliseconds} ms`}\n`
      : `still pretending after ${n * (logEveryMs ?? 0)} ms\n`
  const fresh = Buffer.from(Array.from({ length: due - lines }, (_, n) => text(lines + n)).join(''))
  const bytes = lines === 0 ? fresh.subarray(watch.had('pretend', 'stdout')) : fresh
  if (bytes.length > 0) await watch.log({ stream: 'stdout', step: 'pretend', bytes })
  return due
}

/** When the next line is due, by the clock of the run: runs that were held up together part again. */
function lineAt({ logEveryMs }: Laid, lines: number, startedAt: number): number {
  return logEveryMs === undefined ? Number.POSITIVE_INFINITY : startedAt + lines * logEveryMs
}

function reportOf(end: RunEnd, exit: number, startedAt: number, finishedAt: number): Report {
  const status = end.kind === 'stopped' ? 143 : exit
  return {
    end,
    steps: [{ name: 'pretend', exit: status }],
    got: new Map(),
    logTail: '',
    startedAt,
    finishedAt,
    notes: [],
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(unless('ENOENT'))) !== undefined
}

/** Lets expected faults of the file system pass as undefined. */
function unless(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return undefined
  }
}
