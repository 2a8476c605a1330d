/** One run begun ahead: what of a job can be made ready without what is late of it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Address, Command, FileIn, Job } from '../../model/job.ts'
import type { Anticipated } from '../engine.ts'
import { resolveInLayers } from '../layer-view.ts'
import { makePrivates } from '../privates.ts'
import { removeTree } from '../remove-tree.ts'
import { isOfShell, isShellName } from '../shell.ts'
import { system } from '../tree.ts'
import type { Discarding } from './discard.ts'
import type { Host } from './host.ts'
import { type Interior, type LayingOut, makeInterior, type Site } from './interior.ts'
import { insideWorkspace } from './job-files.ts'
import { doorFile, type ShimPlan, type StartGate } from './shim.ts'
import type { StartedShim, Starters } from './starters.ts'
import type { StepPlan } from './step-plan.ts'
import { nameAhead } from './sweep-ahead.ts'
import { hold, waitingScript } from './waiting-shim.ts'
import { addressesFor, specOf, writeRun } from './write-run.ts'

export interface Waiting {
  readonly name: string
  readonly site: Site
  readonly interior: Interior
  readonly door: StartGate
  readonly shim: StartedShim
  /** What its network is to be lent before it can come to its door. */
  readonly lent: readonly Address[]
}

export type Waits = LayingOut & Discarding & { readonly starters: Starters }

/** All of the job but what is late, and what is only to be hidden in its output. */
export function keyOf(job: Job): string {
  const { secrets: _secrets, ...rest } = withoutWords(job)
  return specOf({ ...rest, files: job.files.filter((file) => !isLate(job, file)) })
}

/** Whether a file comes with the order only. */
export function isLate({ late }: Job, { path }: FileIn): boolean {
  return late?.files.includes(path) === true
}

/** Whether even the arguments and variables of its program come with the order. */
function isWordless({ late }: Job): boolean {
  return late?.words === true && late.door === undefined
}

/** Nothing of one order is kept for another: neither arguments nor variables stay. */
function withoutWords(job: Job): Job {
  if (!isWordless(job)) return job
  const [{ command, ...step }] = job.steps
  const plain: Command =
    command.kind === 'exec'
      ? { kind: 'exec', argv: [command.argv[0]] }
      : { kind: 'entrypoint', arguments: [] }
  return { ...job, steps: [{ ...step, command: plain, environment: {} }] }
}

/** Whether its late files can be brought when all is mounted, and its program can be made to wait. */
export function mayWait(job: Job, { lent }: Host): boolean {
  const { program, steps, late } = job
  const files = job.files.filter((file) => isLate(job, file))
  const isWritten = files.every(({ content }) => content.kind === 'bytes' || content.kind === 'secret')
  const isPlaced = files.every(({ readOnly }) => readOnly === (program.kind === 'image'))
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
  const name = nameAhead()
  const unique = `${name}~${randomBytes(6).toString('hex')}`
  const { rooms, starters } = at
  const aside = join(rooms.aside, unique)
  const site: Site = { name, aside, final: aside, secret: join(rooms.privates, unique) }
  const blank = withoutWords({ ...job, secrets: [], files: withoutLate(job) })
  const order = { name, job: blank, cluster, operation: name, fence: 0 }
  const clear = () => Promise.all([site.aside, site.secret].map(removeTree))
  try {
    makePrivates(rooms.privates, rooms.folder)
    const interior = await makeInterior(at, order.job, site, { progress: () => undefined, signal })
    const door = doorOf(job, interior)
    if (door.kind === 'word' && (!isHoldable(interior.plans) || preloads(interior))) {
      await clear()
      return undefined
    }
    const script = (plan: ShimPlan): string => waitingScript(plan, door)
    const made = door.kind === 'word' ? held(interior, name, at.host) : interior
    writeRun({ at, order, site, names: [name], door, script }, made)
    const shim = await starters.start(aside)
    return { name, site, interior, door, shim, lent: addressesFor(order.job, at.host) }
  } catch (error) {
    await clear()
    throw error
  }
}

/** A shell loses variables whose names it cannot carry, and keeps some for itself. */
export function isHoldable(plans: readonly StepPlan[]): boolean {
  return plans.every(({ environment }) =>
    [...environment.keys()].every((name) => isShellName(name) && !isOfShell(name)),
  )
}

const preloaded = '/etc/ld.so.preload'

/** Whether the loader would bring something of the image into every program, what waits in front of its own among them. */
function preloads({ root: { own }, furniture: { mounts } }: Interior): boolean {
  const isInImage = own.kind === 'layer' && resolveInLayers(own.tree.layers, preloaded).there !== undefined
  return isInImage || mounts.some(({ to }) => to === preloaded)
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

/**
 * With what waits in place of the program. It has no variable of the image or the job: the loader acts on some of them in
 * every program, so that something of the image would run before there is an order.
 */
function held(interior: Interior, name: string, { lent }: Host): Interior {
  const plans = interior.plans.map((plan): StepPlan => {
    const [program = '', ...words] = [...lent.command('sh'), ...hold, name]
    return { ...plan, argv: [program, ...words], environment: new Map(), isHeld: true }
  })
  return { ...interior, plans }
}
