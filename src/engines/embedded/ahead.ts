/** Runs begun ahead: their programs wait at the door for whoever is laid out next with the same job. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FileIn, Job } from '../../model/job.ts'
import type { Anticipated } from '../engine.ts'
import { makePrivates } from '../privates.ts'
import { removeTree } from '../remove-tree.ts'
import { system } from '../tree.ts'
import { isAtDoor } from './at-door.ts'
import { clearAway, type Discarding } from './discard.ts'
import { insideWorkspace } from './furnish.ts'
import { type Interior, type LayingOut, makeInterior, type Site } from './interior.ts'
import { pathsIn } from './run-folder.ts'
import type { ShimDoor } from './shim.ts'
import type { StartedShim, Starters } from './starters.ts'
import { waitingScript } from './waiting-shim.ts'
import { specOf, writeRun } from './write-run.ts'

export interface Ahead {
  /** Begins it, unless one waits already; the one that has waited longest goes where there are too many. */
  anticipate(run: Anticipated, signal: AbortSignal): Promise<void>
  /** The one that waits for such a job; it is nobody else's from now on. */
  take(job: Job): Waiting | undefined
  /** Sends it away. */
  letGo(waiting: Waiting): Promise<void>
  /** From now on it is a run. */
  adopted(run: string, waiting: Waiting): void
  /** The shim that waits in a run which was laid out here. */
  shimOf(run: string): StartedShim | undefined
  /** The run has had its word to go. */
  forget(run: string): void
  /** The run shall never start. */
  dismiss(run: string): void
  close(): Promise<void>
}

export interface Waiting {
  readonly name: string
  readonly site: Site
  readonly interior: Interior
  readonly door: ShimDoor
  readonly shim: StartedShim
}

export type Waits = LayingOut & Discarding & { readonly starters: Starters }

/** Each of them holds memory for as long as it waits. */
const waitingMax = 2
const waitingMs = 10 * 60_000
const leavingMs = 5_000
const comingMs = 30_000
const glanceMs = 25

/** Keeps them for an engine; they end with this process, whatever ends it. */
export function openAhead(at: () => Waits): Ahead {
  const waiting = new Map<string, Waiting>()
  const shims = new Map<string, StartedShim>()
  const coming = new Set<string>()
  const closing = new AbortController()

  async function letGo({ shim, site }: Waiting): Promise<void> {
    const { clock } = at()
    shim.dismiss()
    const gone = new AbortController()
    shim.onEnd(() => gone.abort())
    if (!shim.hasEnded()) await clock.sleep(leavingMs, gone.signal)
    await clearAway(at(), pathsIn(site.aside))
  }

  /** Where it lies is known to its shim by name until then. */
  async function comesToDoor({ shim, site, door }: Waiting, signal: AbortSignal): Promise<boolean> {
    const { clock } = at()
    const until = clock.monotonic() + comingMs
    while (!shim.hasEnded() && !signal.aborted && clock.monotonic() < until) {
      if (await isAtDoor(site.aside, door.place)) return true
      await clock.sleep(glanceMs, signal)
    }
    return false
  }

  async function keep(key: string, one: Waiting): Promise<void> {
    const gone = new AbortController()
    one.shim.onEnd(() => gone.abort())
    await at().clock.sleep(waitingMs, AbortSignal.any([gone.signal, closing.signal]))
    if (waiting.get(key) !== one) return
    waiting.delete(key)
    await letGo(one)
  }

  return {
    async anticipate({ job, cluster }, signal) {
      const door = doorOf(job)
      const key = keyOf(job)
      if (door === undefined || waiting.has(key) || coming.has(key)) return
      coming.add(key)
      try {
        const wanted = AbortSignal.any([signal, closing.signal])
        const one = await begin(at(), { job, cluster }, door, wanted)
        if (!(await comesToDoor(one, wanted))) return await letGo(one)
        waiting.set(key, one)
        // What could not be cleared away is found by the sweep.
        void keep(key, one).catch(() => undefined)
      } finally {
        coming.delete(key)
      }
      const [oldest] = waiting
      if (waiting.size <= waitingMax || oldest === undefined) return
      waiting.delete(oldest[0])
      await letGo(oldest[1])
    },
    take(job) {
      if (job.door === undefined) return undefined
      const key = keyOf(job)
      const one = waiting.get(key)
      waiting.delete(key)
      return one?.shim.hasEnded() === false ? one : undefined
    },
    letGo,
    adopted: (run, { shim }) => void shims.set(run, shim),
    shimOf: (run) => shims.get(run),
    forget: (run) => void shims.delete(run),
    dismiss(run) {
      shims.get(run)?.dismiss()
      shims.delete(run)
    },
    async close() {
      closing.abort()
      const all = [...waiting.values()]
      waiting.clear()
      for (const shim of shims.values()) shim.dismiss()
      await Promise.all(all.map(letGo))
    },
  }
}

/** All of the job but what lies behind its door. */
function keyOf(job: Job): string {
  return specOf({ ...job, files: job.files.filter((file) => !isBehind(job, file)) })
}

/** Whether a file comes with the order only. */
export function isBehind({ door }: Job, { path }: FileIn): boolean {
  return door !== undefined && (path === door.path || door.behind.includes(path))
}

/** The file of the door, where a program can be made to wait there: in a workspace of its own, into which files are simply written. */
function doorOf(job: Job): FileIn | undefined {
  const late = job.files.filter((file) => isBehind(job, file))
  const isPlain = late.every(
    ({ content, readOnly }) => !readOnly && (content.kind === 'bytes' || content.kind === 'secret'),
  )
  if (job.program.kind !== 'tools' || job.steps.length !== 1 || !isPlain) return undefined
  return late.find(({ path }) => path === job.door?.path)
}

async function begin(
  at: Waits,
  { job, cluster }: Anticipated,
  file: FileIn,
  signal: AbortSignal,
): Promise<Waiting> {
  const name = `chd-ahead-${process.pid}-${randomBytes(6).toString('hex')}`
  const unique = `${name}~${randomBytes(6).toString('hex')}`
  const { rooms, starters } = at
  const aside = join(rooms.aside, unique)
  const site: Site = { name, aside, final: aside, secret: join(rooms.privates, unique) }
  const empty: FileIn = { ...file, content: { kind: 'bytes', bytes: new Uint8Array() } }
  const files = [...job.files.filter((one) => !isBehind(job, one)), empty]
  const order = { name, job: { ...job, files }, cluster, operation: name, fence: 0 }
  try {
    makePrivates(rooms.privates, rooms.folder)
    const interior = await makeInterior(at, order.job, site, { progress: () => undefined, signal })
    const door = placeOf(file, interior)
    writeRun({ at, order, site, names: [name], door, script: (plan) => waitingScript(plan, door) }, interior)
    return { name, site, interior, door, shim: await starters.start(aside) }
  } catch (error) {
    await Promise.all([site.aside, site.secret].map(removeTree))
    throw error
  }
}

function placeOf({ path, mode, owner }: FileIn, { root, user }: Interior): ShimDoor {
  const { uid, gid } = owner === 'root' ? system : user
  return { place: join(root.workspace?.host ?? '', insideWorkspace(path, root)), mode, uid, gid }
}
