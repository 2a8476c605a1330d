/** Lays a run out: everything is made aside and appears under its name in one rename, ready for the shim. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageStore } from '../../artifacts/image-store.ts'
import type { Clock } from '../../kit/clock.ts'
import { encode } from '../../kit/codec.ts'
import { sha256 } from '../../kit/hash.ts'
import type { Job, Step } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import { unlessAbsent } from '../absent.ts'
import type { RunOrder, Watch } from '../engine.ts'
import { resolveInLayers } from '../layer-view.ts'
import { makePrivates } from '../privates.ts'
import { filesOf, stepRecords } from '../step-files.ts'
import type { Supplies } from '../supplies.ts'
import { dress, system } from '../tree.ts'
import type { User } from '../user.ts'
import { usualPath } from '../usual-path.ts'
import { groupLines } from './enter-group.ts'
import { type Furniture, furnish } from './furnish.ts'
import { type Ground, placesFolder } from './ground.ts'
import type { Host } from './host.ts'
import { shimState } from './identity.ts'
import { ociConfig } from './oci-config.ts'
import { plainCommand, plainScript } from './plain-step.ts'
import { type Root, rootOf, temporaryBytes } from './root.ts'
import {
  fenceFile,
  fenceOf,
  pathsIn,
  pathsOf,
  type Rooms,
  type RunPaths,
  type RunRecord,
  readRecord,
} from './run-folder.ts'
import { bringsItsOwn, hiddenFrom, runtimeCommand } from './runtimes.ts'
import { commandLine } from './shell.ts'
import { type ShimStep, shimScript } from './shim.ts'
import type { Chamber, Mount, StepPlan } from './step-plan.ts'

export interface LayingOut {
  readonly rooms: Rooms
  readonly host: Host
  readonly images: ImageStore
  readonly supplies: Supplies
  readonly clock: Clock
}

/** Idempotent by name. Problems: engine.name-conflict, engine.start-failed, engine.user-unknown, those of the images. */
export async function layOut(at: LayingOut, order: RunOrder, watch: Watch): Promise<void> {
  const paths = pathsOf(at.rooms, order.name)
  const spec = sha256(encode(order.job))
  if (isThere(paths, order, spec)) return takeOver(paths, order)
  const unique = `${order.name}~${randomBytes(6).toString('hex')}`
  const aside = join(at.rooms.aside, unique)
  const secret = join(at.rooms.privates, unique)
  try {
    makePrivates(at.rooms.privates, at.rooms.folder)
    for (const path of [aside, secret]) mkdirSync(path, { mode: 0o700 })
    const ground = await make({ at, order, spec, watch, paths, aside, secret })
    renameSync(aside, paths.folder)
    // What nobody used for long is taken away, but not from under a run that is there.
    layGround(ground, at)
  } catch (error) {
    await Promise.all([aside, secret].map((path) => rm(path, { recursive: true, force: true })))
    const { code } = error as NodeJS.ErrnoException
    // Somebody else laid the same run out meanwhile.
    const taken = code === 'ENOTEMPTY' || code === 'EEXIST'
    if (!taken || !isThere(paths, order, spec)) throw error
    await takeOver(paths, order)
  }
}

function isThere(paths: RunPaths, { cluster }: RunOrder, spec: string): boolean {
  if (!existsSync(paths.folder)) return false
  const record = readRecord(paths)
  if (record?.cluster !== cluster) return fail('engine.name-conflict', `${paths.folder} is not ours`)
  if (record.spec !== spec) return fail('engine.name-conflict', 'it was laid out for another job')
  return true
}

/** What has not begun goes to the latest claim; an earlier one is too late. */
async function takeOver(paths: RunPaths, { name, fence }: RunOrder): Promise<void> {
  const { kind } = await shimState(paths)
  if (kind === 'alive' || kind === 'dead') return
  const before = await fenceOf(paths)
  if (before === fence) return
  if (kind === 'forbidden' || before === undefined || before > fence) fail('engine.layout-gone', name)
  await rename(fenceFile(paths, before), fenceFile(paths, fence)).catch(unlessAbsent)
}

interface Making {
  readonly at: LayingOut
  readonly order: RunOrder
  readonly spec: string
  readonly watch: Watch
  readonly paths: RunPaths
  readonly aside: string
  readonly secret: string
}

async function make(making: Making): Promise<Ground> {
  const { at, order, watch, paths, aside, secret } = making
  const { job } = order
  symlinkSync(secret, join(aside, 'private'))
  const { images, supplies } = at
  const root = await rootOf(job, { images, supplies, aside, final: paths.folder, watch })
  const user = await root.userOf(job.steps[0].user)
  // Programs write beside the files they are given.
  if (root.workspace !== undefined)
    dress(join(aside, root.workspace.host), { uid: user.uid, gid: user.gid, mode: 0o755 })
  const furniture = await furnish(job, {
    root,
    user,
    aside,
    final: paths.folder,
    private: secret,
    supplies,
    signal: watch.signal,
  })
  const mounts = await mountsOf(making, root, furniture)
  const plans: StepPlan[] = []
  for (const [i, step] of job.steps.entries()) plans.push(await planStep(step, i, { making, root }))
  checkProgram(plans[0], root, furniture)
  const ground = layGround(root.ground, at)
  const chamber = chamberOf(
    making,
    mounts,
    root.layers.length === 0 ? join(ground, placesFolder) : paths.merged,
  )
  const record = recordOf(making, root, { furniture, ground })
  writeFileSync(fenceFile(pathsIn(aside), order.fence), '')
  writeFileSync(join(aside, 'run.json'), JSON.stringify(record), { mode: 0o600 })
  // What the shim has against its start; made here, for while the disk is busy with the start a new file takes long.
  writeFileSync(join(aside, 'shim.err'), '', { mode: 0o600 })
  const steps = await writeSteps(making, { chamber, plans, record })
  if (root.layers.length > 0) symlinkSync(ground, join(aside, 'ground'))
  const script = shimScript({
    paths,
    layers: root.layers.length === 0 ? [] : overlayLayers(root, job),
    writable: !job.needs.readOnlyRoot,
    rootless: at.host.rootless,
    hidden: hiddenFrom(at.host),
    sized: furniture.sized,
    steps,
    stays: record.stays,
  })
  writeFileSync(join(secret, 'shim.sh'), script, { mode: 0o600 })
  return root.ground
}

function layGround(ground: Ground, { rooms, host: { boot }, clock }: LayingOut): string {
  return ground.lay({ rooms, boot, clock })
}

/** Without a layer to write to, ours is one more to read from. */
function overlayLayers({ layers }: Root, { needs }: Job): readonly string[] {
  const below = [placesFolder, ...layers.map((_, i) => String(i))].map((name) => `ground/${name}`)
  return needs.readOnlyRoot ? ['up', ...below] : below
}

async function mountsOf({ order }: Making, root: Root, furniture: Furniture): Promise<readonly Mount[]> {
  const { needs, program } = order.job
  const names = await namesOfHost(root, needs.network)
  const mounts = [...root.mounts, ...names, ...furniture.mounts]
  const isTemporary = mounts.some(({ to }) => to === '/tmp')
  if ((needs.readOnlyRoot || program.kind === 'tools') && !isTemporary) {
    // A runtime may give the mount the mode of the folder below it, whatever is asked for.
    const to = root.ground.place('/tmp', 'folder', { ...system, mode: 0o1777 })
    mounts.unshift({ to, from: { kind: 'tmpfs', bytes: temporaryBytes, mode: 0o1777 }, readOnly: false })
  }
  for (const name of ['/proc', '/sys', '/dev']) root.ground.place(name, 'folder', system)
  return mounts
}

function chamberOf({ order }: Making, mounts: readonly Mount[], root: string): Chamber {
  const { needs, limits, program } = order.job
  return {
    root,
    readOnlyRoot: needs.readOnlyRoot || program.kind === 'tools',
    mounts,
    network: needs.network,
    hostname: order.name.slice(0, 63),
    memoryBytes: limits.memoryBytes,
    processes: limits.processes,
    cpus: limits.cpus,
  }
}

/** With the host's network come its ways to find names. */
async function namesOfHost({ ground }: Root, network: 'none' | 'default'): Promise<readonly Mount[]> {
  if (network === 'none') return []
  const mounts: Mount[] = []
  for (const path of ['/etc/resolv.conf', '/etc/hosts']) {
    if (resolveInLayers(['/'], path).there?.stats.isFile() !== true) continue
    const to = ground.place(path, 'file', system)
    mounts.push({ to, from: { kind: 'bind', path }, readOnly: true })
  }
  return mounts
}

async function planStep(
  step: Step,
  i: number,
  { making: { order, at }, root }: { readonly making: Making; readonly root: Root },
): Promise<StepPlan> {
  const { command } = step
  const argv = command.kind === 'exec' ? command.argv : [...root.entrypoint, ...command.arguments]
  const [program, ...rest] = argv
  if (program === undefined) return fail('engine.start-failed', 'the image has no entrypoint')
  const user = await userOf(step, { root, at })
  const folder = step.workingFolder ?? root.workingFolder
  const workingFolder = folder.startsWith('/') ? folder : join(root.base, folder)
  if (order.job.program.kind === 'image') root.ground.place(workingFolder, 'folder', system)
  const streamsJoined = step.streams.kind === 'merged'
  return {
    name: step.name,
    id: `${order.name}-s${i}`,
    argv: [program, ...rest],
    environment: environmentOf(step, root, user),
    user,
    workingFolder,
    joined: streamsJoined,
  }
}

async function userOf(
  { user: text }: Step,
  { root, at }: { readonly root: Root; readonly at: LayingOut },
): Promise<User> {
  const user = await root.userOf(text)
  if (!at.host.rootless || user.uid === 0) return user
  // Without root there is one user only, and inside it is called root.
  return fail('engine.refused', `a broker that is not root cannot run programs as user ${user.uid}`)
}

function environmentOf(step: Step, root: Root, user: User): ReadonlyMap<string, string> {
  const all = new Map([
    ['PATH', usualPath],
    ['HOME', user.home],
  ])
  for (const line of root.environment) {
    const equals = line.indexOf('=')
    if (equals > 0) all.set(line.slice(0, equals), line.slice(equals + 1))
  }
  for (const [name, value] of Object.entries(step.environment)) {
    all.set(name, typeof value === 'string' ? value : value.reveal())
  }
  return all
}

/** Found missing here, the fault has a name; a runtime would only say that something did not start. */
function checkProgram(plan: StepPlan | undefined, { tree }: Root, { mounts }: Furniture): void {
  if (plan === undefined || tree === undefined) return
  const [program] = plan.argv
  for (const place of placesOf(program, plan)) {
    if (mounts.some(({ to }) => place === to || place.startsWith(`${to}/`))) return
    const stats = resolveInLayers(tree.layers, place).there?.stats
    if (stats?.isFile() && (stats.mode & 0o111) !== 0) return
    if (stats !== undefined && program.includes('/'))
      fail('engine.start-failed', `${program} is not executable`)
  }
  fail('engine.start-failed', `the image has no program ${program}`)
}

function placesOf(program: string, { workingFolder, environment }: StepPlan): readonly string[] {
  if (program.startsWith('/')) return [program]
  if (program.includes('/')) return [join(workingFolder, program)]
  return (environment.get('PATH') ?? '').split(':').map((folder) => join('/', folder, program))
}

/** Whether a path lies in what only the shim sees: a root of layers, or a limited folder. */
function isInMounts(path: string, root: Root, { places, sized }: Furniture): boolean {
  const place = places.findLast(({ path: above }) => path === above || path.startsWith(`${above}/`))
  return place === undefined ? root.layers.length > 0 : sized.some(({ folder }) => folder === place.host)
}

function recordOf(
  { at, order, spec }: Making,
  root: Root,
  { furniture, ground }: { readonly furniture: Furniture; readonly ground: string },
): RunRecord {
  const { cluster, operation, job } = order
  const { places } = furniture
  const { base } = root
  return {
    cluster,
    operation,
    spec,
    boot: at.host.boot,
    laidOutAt: at.clock.now(),
    runtime: at.host.runtime,
    steps: stepRecords(job),
    wants: job.wants,
    limits: job.limits,
    places,
    base,
    stays: job.wants.some(
      (want) =>
        'path' in want &&
        isInMounts(want.path.startsWith('/') ? want.path : join(base, want.path), root, furniture),
    ),
    ground,
  }
}

interface Written {
  readonly chamber: Chamber
  readonly plans: readonly StepPlan[]
  readonly record: RunRecord
}

async function writeSteps(
  { at: { host }, order, paths, secret }: Making,
  { chamber, plans, record }: Written,
): Promise<readonly ShimStep[]> {
  const files = filesOf(pathsIn(paths.folder), record.steps)
  const state = join(secret, 'state')
  const { runtime } = host
  return await Promise.all(
    plans.map(async (plan, i): Promise<ShimStep> => {
      const { name, streams, mayFail = false } = order.job.steps[i] ?? order.job.steps[0]
      const own = {
        files: files[i] ?? { step: name, logs: [] },
        joined: streams.kind === 'merged',
        needsPipes: !bringsItsOwn(runtime),
        mayFail,
      }
      if (runtime.kind === 'plain') {
        const script = join(secret, `step.${i}.sh`)
        writeFileSync(script, plainScript(chamber, plan, host), { mode: 0o600 })
        return { ...own, command: plainCommand(chamber, script, host), cleanUp: undefined }
      }
      const bundle = join(secret, `step.${i}`)
      mkdirSync(bundle, { mode: 0o700 })
      const config = JSON.stringify(ociConfig(chamber, plan, host))
      writeFileSync(join(bundle, 'config.json'), config, { mode: 0o600 })
      const log = join(paths.folder, `runtime.${i}`)
      return {
        ...own,
        command: runtimeCommand(
          runtime,
          { state, log, bundle },
          { id: plan.id, groups: bringsItsOwn(runtime) ? [] : groupLines(chamber, plan, host.controls) },
        ),
        cleanUp: commandLine([runtime.program, '--root', state, 'kill', plan.id, 'KILL']),
      }
    }),
  )
}
