/** The steps of a job made ready for a root: program, user, folder and environment of each. */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { headBytes, starterFault, starterOf } from '../../artifacts/interpreter.ts'
import type { Job, Step } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import { resolveInLayers } from '../layer-view.ts'
import { system } from '../tree.ts'
import type { User } from '../user.ts'
import { usualPath } from '../usual-path.ts'
import type { PlacedFiles } from './job-files.ts'
import type { Root } from './root.ts'
import { containerName } from './run-folder.ts'
import type { StepPlan } from './step-plan.ts'

export interface Planning {
  readonly root: Root
  readonly rootless: boolean
  /** What the containers are called after. */
  readonly name: string
}

/** Problems: engine.start-failed, engine.refused, engine.user-unknown. */
export async function planSteps(job: Job, at: Planning): Promise<readonly StepPlan[]> {
  const plans: StepPlan[] = []
  for (const [i, step] of job.steps.entries()) plans.push(await planStep(step, i, { job, at }))
  return plans
}

async function planStep(
  step: Step,
  i: number,
  { job, at }: { readonly job: Job; readonly at: Planning },
): Promise<StepPlan> {
  const { root } = at
  const { command } = step
  const argv = command.kind === 'exec' ? command.argv : [...root.entrypoint, ...command.arguments]
  const [program, ...rest] = argv
  if (program === undefined) return fail('engine.start-failed', 'the image has no entrypoint')
  const user = await userOf(step, at)
  const folder = step.workingFolder ?? root.workingFolder
  const workingFolder = folder.startsWith('/') ? folder : join(root.base, folder)
  if (job.program.kind === 'image') root.ground.place(workingFolder, 'folder', system)
  const streamsJoined = step.streams.kind === 'merged'
  return {
    name: step.name,
    id: containerName(at.name, i),
    argv: [program, ...rest],
    environment: environmentOf(step, root, user),
    user,
    workingFolder,
    joined: streamsJoined,
    isHeld: false,
  }
}

async function userOf({ user: text }: Step, { root, rootless }: Planning): Promise<User> {
  const user = await root.userOf(text)
  if (!rootless || user.uid === 0) return user
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
export function checkProgram(plan: StepPlan | undefined, { own }: Root, { mounts }: PlacedFiles): void {
  if (plan === undefined || own.kind !== 'layer') return
  const [program] = plan.argv
  const isMounted = (path: string): boolean =>
    mounts.some(({ to }) => path === to || path.startsWith(`${to}/`))
  const { layers } = own.tree
  for (const place of placesOf(program, plan)) {
    if (isMounted(place)) return
    const { there } = resolveInLayers(layers, place)
    const stats = there?.stats
    if (there !== undefined && stats?.isFile() && (stats.mode & 0o111) !== 0) {
      checkStarter(program, headOf(there.host), (path) => isMounted(path) || isFileIn(layers, path))
      return
    }
    if (stats !== undefined && program.includes('/'))
      fail('engine.start-failed', `${program} is not executable`)
  }
  fail('engine.start-failed', `the image has no program ${program}`)
}

function checkStarter(program: string, head: Buffer, isThere: (path: string) => boolean): void {
  const starter = starterOf(head)
  if (starter.kind === 'none' || (starter.kind === 'needs' && isThere(starter.path))) return
  fail('engine.start-failed', starterFault(program, starter))
}

function isFileIn(layers: readonly string[], path: string): boolean {
  return resolveInLayers(layers, path).there?.stats.isFile() === true
}

/** Nothing of what may be run but not read. */
function headOf(path: string): Buffer {
  const head = Buffer.alloc(headBytes)
  try {
    const descriptor = openSync(path, 'r')
    try {
      return head.subarray(0, readSync(descriptor, head, 0, headBytes, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return head.subarray(0, 0)
  }
}

function placesOf(program: string, { workingFolder, environment }: StepPlan): readonly string[] {
  if (program.startsWith('/')) return [program]
  if (program.includes('/')) return [join(workingFolder, program)]
  return (environment.get('PATH') ?? '').split(':').map((folder) => join('/', folder, program))
}
