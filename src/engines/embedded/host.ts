/** What this host offers to run packages with, found out by trying it. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Problem } from '../../model/problem.ts'
import { readSmall } from '../absent.ts'
import { borrow, type Loan, type MountedPrograms, mountedFrom } from '../mounted-programs.ts'
import { missingNetworkPrograms, networkTexts } from '../run-network.ts'
import { run } from '../run-program.ts'
import { quote } from '../shell.ts'
import { usualFolders } from '../usual-path.ts'
import { type Controls, removeGroup } from './cgroups.ts'
import { groupLines } from './enter-group.ts'
import { bootId } from './identity.ts'
import { networkLines, noNetworkLine, type RunNetwork, untilNetworkLine } from './network.ts'
import { ociConfig } from './oci-config.ts'
import { plainCommand, plainScript } from './plain-step.ts'
import { holdsProcesses } from './process-limit.ts'
import type { Runtime } from './run-folder.ts'
import { bringsItsOwn, hiddenFrom, runtimeCommand } from './runtimes.ts'
import type { Chamber, StepPlan } from './step-plan.ts'

export interface Host {
  readonly boot: string
  readonly runtime: Runtime
  readonly controls: Controls
  readonly lent: MountedPrograms
  readonly rootless: boolean
  readonly network: RunNetwork
  /** Why runtimes that are installed are not used. */
  readonly passedOver: readonly string[]
  /** Why no program can be run at all; absent where some can. */
  readonly unconfinable?: string | undefined
}

export type RuntimeChoice = 'auto' | 'runc' | 'crun' | 'plain'

/** What was found out by trying. */
export interface Proof {
  readonly runtime: Runtime
  readonly passedOver: readonly string[]
  readonly loan: Loan
  /** Why runs cannot have a network of their own; absent where they can. */
  readonly noNetwork?: string | undefined
  /** Why no program can be confined, by whatever means; absent where one can. */
  readonly unconfinable?: string | undefined
}

/** Looks at the host by trying; `folder` is for the trial. */
export async function proveHost(folder: string, choice: RuntimeChoice, controls: Controls): Promise<Proof> {
  const [loan, noNetwork] = await Promise.all([borrow(join(folder, 'lent')), tryNetwork(folder)])
  const passedOver: string[] = []
  // The quicker one first.
  for (const name of ['crun', 'runc'] as const) {
    if (choice !== 'auto' && choice !== name) continue
    const program = await findRuntime(name)
    if (program === undefined) continue
    const runtime: Runtime = { kind: name, program }
    const fault = await tryRuntime(folder, hostOf({ runtime, passedOver, loan, noNetwork }, controls))
    if (fault === undefined) return { runtime, passedOver, loan, noNetwork }
    passedOver.push(`${name}: ${fault}`)
  }
  const plain: Proof = { runtime: { kind: 'plain' }, passedOver, loan, noNetwork }
  return { ...plain, unconfinable: await tryRuntime(folder, hostOf(plain, controls)) }
}

/** The host as a proof shows it. */
export function hostOf(proof: Proof, controls: Controls): Host {
  const { runtime, passedOver, loan, noNetwork, unconfinable } = proof
  const rootless = process.geteuid?.() !== 0
  const network: RunNetwork = noNetwork === undefined ? { kind: 'own' } : { kind: 'host', why: noNetwork }
  return {
    boot: bootId(),
    controls,
    lent: mountedFrom(loan),
    rootless,
    runtime,
    network,
    passedOver,
    unconfinable,
  }
}

/** Where runtimes may lie, the first one first. */
export function placesOfRuntimes(): readonly string[] {
  return ['crun', 'runc'].flatMap((name) => usualFolders.map((folder) => join(folder, name)))
}

async function findRuntime(name: 'runc' | 'crun'): Promise<string | undefined> {
  for (const program of placesOfRuntimes().filter((path) => basename(path) === name)) {
    if ((await run(program, ['--version'])).exit === 0) return program
  }
  return undefined
}

/** Makes a network as a run would have it; answers what is in the way. */
async function tryNetwork(folder: string): Promise<string | undefined> {
  const missing = missingNetworkPrograms()
  if (missing !== undefined) return missing
  const trial = join(folder, `trial-${process.pid}-network`)
  try {
    await mkdir(trial, { recursive: true, mode: 0o700 })
    for (const [name, text] of networkTexts({})) await writeFile(join(trial, name), text)
    const lines = [...networkLines, untilNetworkLine, noNetworkLine]
    const script = [`cd ${quote(trial)} || exit`, 'broken() { exit 97; }', ...lines, 'exit 42'].join('\n')
    const user = process.geteuid?.() === 0 ? [] : ['--user', '--map-root-user']
    const tried = await run('unshare', [...user, '-m', '--propagation', 'private', '/bin/sh', '-c', script])
    return tried.exit === 42 ? undefined : tried.stderr.trim().split('\n').at(-1) || `exit ${tried.exit}`
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}

/** Runs the lent shell as a program of a package is run: whatever is missing shows here and not with a package. */
async function tryRuntime(folder: string, host: Host): Promise<string | undefined> {
  const { runtime, lent } = host
  const trial = join(folder, `trial-${process.pid}-${runtime.kind}`)
  const id = `chd-trial-${process.pid}`
  const step: StepPlan = {
    name: 'trial',
    id,
    argv: [...lent.command('sh', '/.'), '-c', 'exit 42'] as unknown as StepPlan['argv'],
    environment: new Map(),
    user: { uid: 0, gid: 0, groups: [], home: '/' },
    workingFolder: '/',
    joined: false,
    isHeld: false,
  }
  const limits = { memoryBytes: 64 * 1024 * 1024, processes: 16, cpus: 1, diskBytes: 1024 * 1024 }
  const root = join(trial, 'root')
  const chamber = {
    ...limits,
    root,
    readOnlyRoot: false,
    mounts: [],
    network: { kind: 'none' },
    hostname: 'trial',
  } as const
  try {
    for (const name of ['dev', 'proc', 'sys']) await mkdir(join(root, name), { recursive: true, mode: 0o700 })
    const script = [
      `mount --bind ${quote(trial)} ${quote(trial)} && cp ${quote(lent.folder)}/* ${quote(root)}/`,
      ...hiddenFrom(host).map((path) => `mount -t tmpfs -o ro tmpfs ${quote(path)} || exit`),
      `${await trialCommand(trial, { chamber, step, host })} </dev/null`,
    ].join('\n')
    const user = host.rootless ? ['--user', '--map-root-user'] : []
    const tried = await run('unshare', [...user, '-m', '--propagation', 'private', '/bin/sh', '-c', script])
    if (tried.exit === 42) return undefined
    const said = `${tried.stderr}\n${readSmall(join(trial, 'log')) ?? ''}`.trim()
    return said.split('\n').at(-1) || `exit ${tried.exit}`
  } finally {
    removeGroup(host.controls, id)
    await rm(trial, { recursive: true, force: true })
  }
}

interface Trial {
  readonly chamber: Chamber
  readonly step: StepPlan
  readonly host: Host
}

/** What the trial runs, in its folder: all that the command reads is written there. */
async function trialCommand(trial: string, { chamber, step, host }: Trial): Promise<string> {
  const { runtime, controls } = host
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(trial, name), text, { mode: 0o600 })
    return join(trial, name)
  }
  if (runtime.kind === 'plain')
    return plainCommand(chamber, await write('plain.sh', plainScript(chamber, step, host)), host)
  await write('config.json', JSON.stringify(ociConfig(chamber, step, host)))
  const paths = { state: join(trial, 'state'), log: join(trial, 'log'), bundle: trial }
  const groups = bringsItsOwn(runtime) ? [] : groupLines(chamber, step, controls)
  return runtimeCommand(runtime, paths, { id: step.id, groups })
}

/** What a demanding operator should know about this host. */
export function hostProblems({
  runtime,
  controls,
  rootless,
  passedOver,
  lent,
  network,
  unconfinable,
}: Host): readonly Problem[] {
  const problems: Problem[] = []
  if (unconfinable !== undefined) return [{ code: 'engine.cannot-confine', detail: unconfinable }]
  if (runtime.kind === 'plain') {
    const why = passedOver.length === 0 ? {} : { detail: passedOver.join('; ') }
    problems.push({ code: 'engine.runtime-missing', ...why })
  }
  const missing = [
    ...(controls.memory ? [] : ['memory']),
    ...(controls.memory && !controls.swap && hasSwap() ? ['memory that is swapped out'] : []),
    ...(holdsProcesses({ controls, rootless }) ? [] : ['number of processes']),
    ...(controls.cpu ? [] : ['processor time']),
  ]
  if (missing.length > 0) problems.push({ code: 'engine.not-enforced', detail: missing.join(', ') })
  if (rootless) {
    const detail = 'users other than root inside the image, since the broker does not run as root'
    problems.push({ code: 'engine.not-enforced', detail })
  }
  if (!lent.has('sh')) problems.push({ code: 'engine.tool-missing', detail: 'sh' })
  if (network.kind === 'host') {
    const why = network.why === undefined ? {} : { detail: network.why }
    problems.push({ code: 'engine.network-shared', ...why })
  }
  return problems
}

function hasSwap(): boolean {
  return /^SwapTotal: +[1-9]/m.test(readSmall('/proc/meminfo') ?? '')
}
