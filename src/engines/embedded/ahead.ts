/** Runs begun ahead: they wait at their door for whoever is laid out next with the same job. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { enough } from '../../kit/enough.ts'
import type { FileIn, Job } from '../../model/job.ts'
import type { Anticipated } from '../engine.ts'
import { makePrivates } from '../privates.ts'
import { removeTree } from '../remove-tree.ts'
import { system } from '../tree.ts'
import { isAtDoor } from './at-door.ts'
import { clearAway, type Discarding } from './discard.ts'
import { insideWorkspace } from './furnish.ts'
import type { Host } from './host.ts'
import { type Interior, type LayingOut, makeInterior, type Site } from './interior.ts'
import { pathsIn } from './run-folder.ts'
import { isShellName } from './shell.ts'
import { doorFile, type ShimDoor, type ShimPlan } from './shim.ts'
import type { StartedShim, Starters } from './starters.ts'
import type { StepPlan } from './step-plan.ts'
import { hold, waitingScript } from './waiting-shim.ts'
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
    shim.onEnd(() => gone.abort(enough))
    if (!shim.hasEnded()) await clock.sleep(leavingMs, gone.signal)
    await clearAway(at(), pathsIn(site.aside))
  }

  /** Where it lies is known to its shim by name until then. */
  async function comesToDoor({ shim, site, door }: Waiting, signal: AbortSignal): Promise<boolean> {
    const { clock } = at()
    const until = clock.monotonic() + comingMs
    while (!shim.hasEnded() && !signal.aborted && clock.monotonic() < until) {
      if (await isAtDoor(site.aside, door, site.name)) return true
      await clock.sleep(glanceMs, signal)
    }
    return false
  }

  async function keep(key: string, one: Waiting): Promise<void> {
    const gone = new AbortController()
    one.shim.onEnd(() => gone.abort(enough))
    await at().clock.sleep(waitingMs, AbortSignal.any([gone.signal, closing.signal]))
    if (waiting.get(key) !== one) return
    waiting.delete(key)
    await letGo(one)
  }

  return {
    async anticipate({ job, cluster }, signal) {
      const key = keyOf(job)
      if (!mayWait(job, at().host) || waiting.has(key) || coming.has(key)) return
      coming.add(key)
      try {
        const wanted = AbortSignal.any([signal, closing.signal])
        const one = await begin(at(), { job, cluster }, wanted)
        if (one === undefined) return
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
      if (job.late === undefined) return undefined
      const key = keyOf(job)
      const one = waiting.get(key)
      if (one === undefined || one.shim.hasEnded()) return undefined
      waiting.delete(key)
      return one
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
      closing.abort(enough)
      const all = [...waiting.values()]
      waiting.clear()
      for (const shim of shims.values()) shim.dismiss()
      await Promise.all(all.map(letGo))
    },
  }
}

/** All of the job but what is late. */
function keyOf(job: Job): string {
  return specOf({ ...job, files: job.files.filter((file) => !isLate(job, file)) })
}

/** Whether a file comes with the order only. */
export function isLate({ late }: Job, { path }: FileIn): boolean {
  return late?.files.includes(path) === true
}

/** Whether its late files can be brought when all is mounted, and its program can be made to wait. */
function mayWait(job: Job, { lent }: Host): boolean {
  const { program, steps, late } = job
  const files = job.files.filter((file) => isLate(job, file))
  const isWritten = files.every(({ content }) => content.kind === 'bytes' || content.kind === 'secret')
  const isPlaced = files.every(({ readOnly }) => readOnly === (program.kind === 'image'))
  if (steps.length !== 1 || !isWritten || !isPlaced) return false
  if (late?.door !== undefined)
    return program.kind === 'tools' && files.some(({ path }) => path === late.door)
  return late !== undefined && lent.has('sh')
}

/** Undefined where nothing can stand in front of the program. */
async function begin(
  at: Waits,
  { job, cluster }: Anticipated,
  signal: AbortSignal,
): Promise<Waiting | undefined> {
  const name = `chd-ahead-${process.pid}-${randomBytes(6).toString('hex')}`
  const unique = `${name}~${randomBytes(6).toString('hex')}`
  const { rooms, starters } = at
  const aside = join(rooms.aside, unique)
  const site: Site = { name, aside, final: aside, secret: join(rooms.privates, unique) }
  const order = { name, job: { ...job, files: withoutLate(job) }, cluster, operation: name, fence: 0 }
  const clear = () => Promise.all([site.aside, site.secret].map(removeTree))
  try {
    makePrivates(rooms.privates, rooms.folder)
    const interior = await makeInterior(at, order.job, site, { progress: () => undefined, signal })
    const door = doorOf(job, interior)
    if (door.kind === 'word' && !isHoldable(interior)) {
      await clear()
      return undefined
    }
    const script = (plan: ShimPlan): string => waitingScript(plan, door)
    const made = door.kind === 'word' ? held(interior, name, at.host) : interior
    writeRun({ at, order, site, names: [name], door, script }, made)
    return { name, site, interior, door, shim: await starters.start(aside) }
  } catch (error) {
    await clear()
    throw error
  }
}

/** A shell loses variables whose names it cannot carry. */
function isHoldable({ plans }: Interior): boolean {
  return plans.every(({ environment }) => [...environment.keys()].every(isShellName))
}

/** They are there, for their places must be, but hold nothing. */
function withoutLate(job: Job): readonly FileIn[] {
  const content = { kind: 'bytes', bytes: new Uint8Array() } as const
  return job.files.map((file) => (isLate(job, file) ? { ...file, content } : file))
}

function doorOf({ files, late }: Job, { root, user }: Interior): ShimDoor {
  const file = files.find(({ path }) => path === late?.door)
  if (file === undefined || root.own.kind !== 'workspace') return { kind: 'word', place: doorFile }
  const { uid, gid } = file.owner === 'root' ? system : user
  const place = join(root.own.host, insideWorkspace(file.path, root))
  return { kind: 'file', place, mode: file.mode, uid, gid }
}

/** With what waits in front of the program; both lie where the program would find them. */
function held(interior: Interior, name: string, { lent }: Host): Interior {
  const plans = interior.plans.map((plan): StepPlan => {
    const [program = '', ...words] = [...lent.command('sh'), ...hold, name, ...plan.argv]
    return { ...plan, argv: [program, ...words], isHeld: true }
  })
  return { ...interior, plans }
}
