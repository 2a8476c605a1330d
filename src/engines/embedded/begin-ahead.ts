/** One run begun ahead: what of a job can be made ready without what is late of it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FileIn, Job } from '../../model/job.ts'
import type { Anticipated } from '../engine.ts'
import { makePrivates } from '../privates.ts'
import { removeTree } from '../remove-tree.ts'
import { isShellName } from '../shell.ts'
import { system } from '../tree.ts'
import type { Discarding } from './discard.ts'
import type { Host } from './host.ts'
import { type Interior, type LayingOut, makeInterior, type Site } from './interior.ts'
import { insideWorkspace } from './job-files.ts'
import { doorFile, type ShimPlan, type StartGate } from './shim.ts'
import type { StartedShim, Starters } from './starters.ts'
import type { StepPlan } from './step-plan.ts'
import { hold, waitingScript } from './waiting-shim.ts'
import { specOf, writeRun } from './write-run.ts'

export interface Waiting {
  readonly name: string
  readonly site: Site
  readonly interior: Interior
  readonly door: StartGate
  readonly shim: StartedShim
}

export type Waits = LayingOut & Discarding & { readonly starters: Starters }

/** All of the job but what is late. */
export function keyOf(job: Job): string {
  return specOf({ ...job, files: job.files.filter((file) => !isLate(job, file)) })
}

/** Whether a file comes with the order only. */
export function isLate({ late }: Job, { path }: FileIn): boolean {
  return late?.files.includes(path) === true
}

/** Whether its late files can be brought when all is mounted, and its program can be made to wait. */
export function mayWait(job: Job, { lent }: Host): boolean {
  const { program, steps, late } = job
  const files = job.files.filter((file) => isLate(job, file))
  const isWritten = files.every(({ content }) => content.kind === 'bytes' || content.kind === 'secret')
  const isPlaced = files.every(({ readOnly }) => readOnly === (program.kind === 'image'))
  // Addresses are lent to what is followed.
  if (job.lent !== undefined && job.lent.length > 0) return false
  if (steps.length !== 1 || !isWritten || !isPlaced) return false
  if (late?.door !== undefined)
    return program.kind === 'tools' && files.some(({ path }) => path === late.door)
  return late !== undefined && lent.has('sh')
}

/** Begins one aside. Undefined where nothing can stand in front of the program. */
export async function begin(
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

function doorOf({ files, late }: Job, { root, user }: Interior): StartGate {
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
