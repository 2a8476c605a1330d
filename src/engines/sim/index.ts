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
import type { Engine, EngineFacts, FoundRun, RunName, RunOrder, RunSight, Ticket, Watch } from '../engine.ts'

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
/** Longer than any write of a layout takes. */
const unfinishedMs = 3_600_000

/** Opens the engine over a folder; several processes may share one. */
export async function openSimEngine({ folder, clock }: SimOptions): Promise<Engine> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const followed = new Map<RunName, AbortController>()
  const file = (run: RunName, state: 'run' | 'stop') => join(folder, run, state)
  const laidFile = (run: RunName, fence: number) => join(folder, run, `laid.${fence}`)
  const journal = join(folder, 'starts.log')

  /** The claims whose layouts lie there, in order; more than one only for a moment. */
  async function fencesOf(run: RunName): Promise<readonly number[]> {
    const entries = (await readdir(join(folder, run)).catch(unless('ENOENT'))) ?? []
    const fences = entries.flatMap((entry) => (entry.startsWith('laid.') ? [Number(entry.slice(5))] : []))
    return fences.sort((a, b) => a - b)
  }

  async function look(run: RunName): Promise<RunSight> {
    if (await exists(file(run, 'run'))) return { kind: 'started', ticket: run }
    return (await fencesOf(run)).length > 0 ? { kind: 'laid-out' } : { kind: 'absent' }
  }

  return {
    name: 'sim',
    facts,
    check: () => Promise.resolve([]),
    refuses: (job) => refuses(job),

    async layOut({ name, job, cluster, operation, fence }: RunOrder) {
      if (job.program.kind !== 'pretend')
        fail('engine.refused', `the sim engine cannot run ${job.program.kind}`)
      if (await exists(file(name, 'run'))) return
      const before = (await fencesOf(name)).at(-1)
      if (before === fence) return
      if (before !== undefined && before > fence) fail('engine.layout-gone', name)
      const { kind: _pretend, ...program } = job.program
      const laid: Laid = { cluster, operation, ...program }
      await mkdir(join(folder, name), { recursive: true })
      if (before === undefined) {
        // Killed while it is written, it must not count as laid out.
        const unfinished = join(folder, name, `unfinished.${fence}`)
        await writeFile(unfinished, JSON.stringify(laid))
        await rename(unfinished, laidFile(name, fence))
      } else await rename(laidFile(name, before), laidFile(name, fence)).catch(unless('ENOENT'))
    },

    async start({ name, fence }): Promise<Ticket> {
      const now = new Date(clock.now())
      await utimes(laidFile(name, fence), now, now).catch(unless('ENOENT'))
      // The link is the arbiter: of any number of starters exactly one makes it, for it overwrites nothing.
      const moved = await link(laidFile(name, fence), file(name, 'run')).then(
        () => true,
        unless('ENOENT', 'EEXIST'),
      )
      await rm(laidFile(name, fence), { force: true })
      if (moved === undefined && !(await exists(file(name, 'run')))) fail('engine.layout-gone', name)
      if (moved && (await exists(journal))) await appendFile(journal, `${name}\n`)
      return name
    },

    look,

    async follow(ticket, watch): Promise<Report> {
      const laid = JSON.parse(await readFile(file(ticket, 'run'), 'utf8')) as Laid
      const startedAt = Math.round((await stat(file(ticket, 'run'))).mtimeMs)
      const ending = laid.milliseconds < 0 ? Number.POSITIVE_INFINITY : startedAt + laid.milliseconds
      const stopped = new AbortController()
      followed.set(ticket, stopped)
      const signal = AbortSignal.any([stopped.signal, watch.signal])
      let end: RunEnd | undefined
      let lines = 0
      let glanceAt = 0
      while (end === undefined && !watch.signal.aborted) {
        lines = await speak(watch, laid, { lines, elapsedMs: clock.now() - startedAt })
        const isDue = stopped.signal.aborted || clock.now() >= glanceAt
        if (isDue) glanceAt = clock.now() + glance
        // Hundreds look twice a second: the pool of threads would cost more than the answer.
        if (isDue && existsSync(file(ticket, 'stop'))) end = { kind: 'stopped' }
        else if (clock.now() >= ending) end = { kind: 'finished' }
        else
          await clock.sleep(Math.min(ending, lineAt(laid, lines, startedAt), glanceAt) - clock.now(), signal)
      }
      followed.delete(ticket)
      return reportOf(end ?? { kind: 'lost' }, laid.exit, startedAt, clock.now())
    },

    async stop(run) {
      if ((await look(run)).kind !== 'started') return
      await writeFile(file(run, 'stop'), '')
      followed.get(run)?.abort()
    },

    async discard(run) {
      await rm(join(folder, run), { recursive: true, force: true })
    },

    list: (cluster) => list(folder, cluster, clock),
    close: () => Promise.resolve(),
  }
}

function refuses(job: Job): Problem | undefined {
  if (job.program.kind === 'pretend') return undefined
  return { code: 'engine.refused', detail: `the sim engine cannot run a program of kind ${job.program.kind}` }
}

async function list(folder: string, cluster: string, clock: Clock): Promise<readonly FoundRun[]> {
  const found: FoundRun[] = []
  for (const name of await readdir(folder)) {
    const entries = (await readdir(join(folder, name)).catch(unless('ENOENT', 'ENOTDIR'))) ?? []
    const entry = entries.find((one) => one === 'run' || one.startsWith('laid.'))
    if (entry === undefined) {
      await sweepUnfinished(join(folder, name), entries, clock)
      continue
    }
    const path = join(folder, name, entry)
    const text = await readFile(path, 'utf8').catch(unless('ENOENT'))
    const stats = await stat(path).catch(unless('ENOENT'))
    if (text === undefined || text === '' || stats === undefined) continue
    const laid = JSON.parse(text) as Laid
    if (laid.cluster !== cluster) continue
    found.push({ name, operation: laid.operation, ageMs: clock.now() - stats.mtimeMs })
  }
  return found
}

/** A layout that was cut short by a kill and never made anew goes when no process can be writing it any more. */
async function sweepUnfinished(run: string, entries: readonly string[], clock: Clock): Promise<void> {
  if (entries.length === 0 || entries.some((one) => !one.startsWith('unfinished.'))) return
  const stats = await Promise.all(entries.map((one) => stat(join(run, one)).catch(unless('ENOENT'))))
  const newest = Math.max(...stats.map((one) => one?.mtimeMs ?? Number.POSITIVE_INFINITY))
  if (clock.now() - newest > unfinishedMs) await rm(run, { recursive: true, force: true })
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
