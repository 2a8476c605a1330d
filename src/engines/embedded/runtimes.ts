/** The OCI runtimes: what they can do, and how they are asked to run a step. */
import { join } from 'node:path'
import { readSmall } from '../absent.ts'
import { commandLine, quote } from '../shell.ts'
import { type Controls, unifiedBeside } from './cgroups.ts'
import type { ProcessMark } from './identity.ts'
import type { OciRuntime, Runtime } from './run-folder.ts'

/** Whether it makes the groups of a step itself, and pipes for its streams; else the shim does. */
export function bringsItsOwn({ kind }: Runtime): boolean {
  return kind === 'runc'
}

/** crun does not work where both versions of groups are to be seen, even when it need not make any. */
export function hiddenFrom(host: {
  readonly runtime: Runtime
  readonly controls: Controls
}): readonly string[] {
  const { runtime, controls } = host
  return runtime.kind === 'crun' && controls.hybrid ? [unifiedBeside] : []
}

export interface RuntimePaths {
  /** A folder of its own for each run, since a name could be taken by others. */
  readonly state: string
  readonly log: string
  readonly bundle: string
}

/** The command of a step; `groups` are the lines that enter its group where the runtime makes none. */
export function runtimeCommand(
  { kind, program }: OciRuntime,
  { state, log, bundle }: RuntimePaths,
  { id, groups }: { readonly id: string; readonly groups: readonly string[] },
): string {
  const words = [program, '--root', state, '--log', log, '--log-format', 'json']
  // The group stays until the run is discarded, since what it counted is asked for.
  if (kind === 'runc') return commandLine([...words, 'run', '--keep', '--bundle', bundle, id])
  const stuck = `stuck() { echo '"level":"error","msg":"no group of its own: '$1'"' >>${quote(log)}; exit 125; }`
  const run = commandLine([...words, '--cgroup-manager=disabled', 'run', '--bundle', bundle, id])
  return `( ${[stuck, ...groups, `exec ${run}`].join('; ')} )`
}

/** What they write about a container. */
interface RuncState {
  readonly init_process_pid?: number
  readonly init_process_start?: number
}

interface CrunState {
  readonly pid?: number
  readonly 'process-start-time'?: number
}

/** The first process of a container. */
export function containerMark(
  { kind }: OciRuntime,
  { state, id }: { readonly state: string; readonly id: string },
): ProcessMark | undefined {
  const text = readSmall(join(state, id, kind === 'runc' ? 'state.json' : 'status'))
  if (text === undefined || !text.trimEnd().endsWith('}')) return undefined
  const known = JSON.parse(text) as RuncState & CrunState
  const pid = known.init_process_pid ?? known.pid ?? 0
  return { pid, startTime: String(known.init_process_start ?? known['process-start-time'] ?? 0) }
}
