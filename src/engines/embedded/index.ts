/** The embedded engine: runs images and tools on this host, without a daemon. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageStore } from '../../artifacts/image-store.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Job } from '../../model/job.ts'
import { type Problem, ProblemError } from '../../model/problem.ts'
import { unlessAbsent } from '../absent.ts'
import { findCutShort } from '../cut-short.ts'
import type { DiskUses } from '../disk-watch.ts'
import type { Engine, EngineFacts, FoundRun, RunSight, Ticket } from '../engine.ts'
import { findPrivates, leavePrivates, sweepPrivates, sweepStrays } from '../privates.ts'
import { removeTree } from '../remove-tree.ts'
import type { NetworkChoice } from '../run-network.ts'
import type { Supplies } from '../supplies.ts'
import { sweepOld } from '../sweep-old.ts'
import { type Ahead, openAhead } from './ahead.ts'
import { sweepGroups } from './cgroups.ts'
import { type Discarding, discard } from './discard.ts'
import { flusherOf } from './flusher.ts'
import { follow } from './follow.ts'
import { type Host, hostProblems, type RuntimeChoice } from './host.ts'
import { shimState } from './identity.ts'
import { isDoubtful, knowHost } from './known-host.ts'
import { layOut } from './lay-out.ts'
import { holdsProcesses } from './process-limit.ts'
import {
  type ArtifactContext,
  pathsOf,
  privateOf,
  type RunPaths,
  type RunRecord,
  readRecord,
} from './run-folder.ts'
import { sweepSkeletons } from './run-skeleton.ts'
import { startRun } from './start.ts'
import { openStarters } from './starters.ts'
import { stopRun } from './stop.ts'
import { sweepAhead } from './sweep-ahead.ts'
import { openTrash } from './trash.ts'

export interface EmbeddedOptions {
  /** For runs and what they write; several processes may share it. */
  readonly folder: string
  readonly images: ImageStore
  readonly supplies: Supplies
  readonly clock: Clock
  /** What runs containers; the best that works unless said. */
  readonly runtime?: RuntimeChoice
  /** The network of runs that need one; `auto` is one of their own where it can be made. */
  readonly network?: NetworkChoice
  /** Try what the host offers, whatever is remembered of it. */
  readonly anew?: boolean
}

/** Opens the engine; looks at the host once, or remembers how it looked. */
export async function openEmbeddedEngine(options: EmbeddedOptions): Promise<Engine> {
  const { folder, images, supplies, clock, runtime = 'auto', network = 'auto', anew = false } = options
  const rooms = await openRooms(folder)
  const known = await knowHost({ folder, choice: runtime, network, anew })
  const trash = await openTrash(rooms.trash, clock)
  const flush = flusherOf(rooms.runs)
  const starters = openStarters(folder, known.now().rootless)
  const disks: DiskUses = new Map()
  const at = () => ({
    rooms,
    disks,
    trash,
    flush,
    starters,
    ahead,
    host: known.now(),
    images,
    supplies,
    clock,
  })
  const ahead: Ahead = openAhead(at)
  await sweepOld(rooms.aside, clock, removeTree)

  return {
    name: 'embedded',
    facts: factsOf(known.now()),
    check: () => Promise.resolve(hostProblems(known.now())),
    refuses: (job) => refusal(job, known.now(), network),
    anticipate: (run, signal) => ahead.anticipate(run, signal),
    layOut: (order, watch) => layOut(at(), order, watch),
    async start(run) {
      try {
        return await startRun(at(), run)
      } catch (error) {
        if (error instanceof ProblemError && error.problem.code === 'engine.start-failed') known.doubt()
        throw error
      }
    },
    look: (run) => look(rooms, known.now(), run),
    async follow(ticket, watch) {
      const report = await follow(at(), ticket, watch)
      if (isDoubtful(report)) known.doubt()
      return report
    },
    async stop(run, graceSeconds) {
      const paths = pathsOf(rooms, run)
      const record = readRecord(paths)
      const host = known.now()
      if (record === undefined || record.boot !== host.boot) return
      await stopRun({ host, clock, paths, record }, 'stopped', graceSeconds)
    },
    discard(run) {
      disks.delete(run)
      ahead.dismiss(run)
      return discard(at(), run)
    },
    list: (cluster) => list(at(), cluster),
    async close() {
      await ahead.close()
      starters.close()
      await Promise.all([trash.close(), known.settled()])
      // The folder on memory stays while it holds anything.
      await leavePrivates(rooms.privates)
    },
  }
}

async function openRooms(folder: string): Promise<ArtifactContext> {
  const rooms: ArtifactContext = {
    folder,
    runs: join(folder, 'runs'),
    grounds: join(folder, 'grounds'),
    aside: join(folder, 'aside'),
    trash: join(folder, 'trash'),
    privates: await findPrivates(folder),
    lent: join(folder, 'lent'),
  }
  for (const room of [rooms.runs, rooms.grounds, rooms.aside, rooms.trash, rooms.lent]) {
    await mkdir(room, { recursive: true, mode: 0o700 })
  }
  return rooms
}

function factsOf(host: Host): EngineFacts {
  return {
    programs: ['image', 'tools'],
    run: 'process',
    severalSteps: true,
    outlives: true,
    streamsApart: true,
    readOnlyMounts: true,
    folderLimit: 'hard',
    networkNone: true,
    memoryLimit: host.controls.memory,
    processLimit: holdsProcesses(host),
    processorLimit: host.controls.cpu,
    cluster: ['none'],
  }
}

function refusal({ program, needs }: Job, host: Host, network: NetworkChoice): Problem | undefined {
  if (program.kind === 'pretend')
    return { code: 'engine.refused', detail: 'the embedded engine runs real programs' }
  if (host.unconfinable !== undefined) return { code: 'engine.cannot-confine', detail: host.unconfinable }
  if (needs.cluster !== 'none')
    return { code: 'engine.refused', detail: 'the embedded engine has no cluster' }
  if (needs.engineSocket)
    return { code: 'engine.refused', detail: 'the embedded engine has no socket to lend' }
  if (needs.network !== 'none' && network === 'own' && host.network.kind === 'host')
    return { code: 'engine.refused', detail: `no network of its own can be made: ${host.network.why}` }
  return undefined
}

async function look(rooms: ArtifactContext, host: Host, run: string): Promise<RunSight> {
  const paths = pathsOf(rooms, run)
  const record = readRecord(paths)
  if (record === undefined) {
    const isThere = (await stat(paths.folder).catch(unlessAbsent)) !== undefined
    return isThere ? { kind: 'foreign', detail: `${paths.folder} is not ours` } : { kind: 'absent' }
  }
  // Whether it began before the host went down is not known any more; to start it again would be a guess.
  if (record.boot !== host.boot) return { kind: 'started', ticket: run }
  const { kind } = await shimState(paths)
  if (kind === 'forbidden') return { kind: 'absent' }
  return kind === 'not-begun' ? { kind: 'laid-out' } : { kind: 'started', ticket: run satisfies Ticket }
}

async function list(at: Discarding, cluster: string): Promise<readonly FoundRun[]> {
  const { rooms, trash, host, clock } = at
  const all = await recordsOf(rooms)
  const secrets = new Set(await Promise.all(all.map(({ paths }) => privateOf(paths))))
  await sweepAhead(at)
  await sweepPrivates(rooms.privates, clock, (path) => secrets.has(path))
  await sweepStrays(clock)
  const names = new Set(all.flatMap(({ record }) => record.names))
  const isThere = (name: string): boolean => names.has(name) || existsSync(pathsOf(rooms, name).folder)
  await sweepGroups(host.controls, clock.now(), { isThere })
  const grounds = async (): Promise<ReadonlySet<string>> =>
    new Set((await recordsOf(rooms)).map(({ record }) => record.ground))
  await sweepSkeletons({ rooms, trash, clock }, grounds)
  const laidOut = all.flatMap(({ name, record: { operation, laidOutAt, ...record } }) =>
    record.cluster === cluster ? [{ name, operation, ageMs: clock.now() - laidOutAt }] : [],
  )
  const rest = await findCutShort([rooms.aside, rooms.privates], clock)
  return [...laidOut, ...rest.filter(({ name }) => !names.has(name))]
}

interface KnownRun {
  readonly name: string
  readonly paths: RunPaths
  readonly record: RunRecord
}

async function recordsOf(rooms: ArtifactContext): Promise<readonly KnownRun[]> {
  const names = await readdir(rooms.runs)
  return names.flatMap((name) => {
    const paths = pathsOf(rooms, name)
    const record = readRecord(paths)
    return record === undefined ? [] : [{ name, paths, record }]
  })
}
