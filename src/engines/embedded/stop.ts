/** Ends a run: asks politely, waits, kills, and makes sure. */
import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { readSmall } from '../absent.ts'
import { childrenOf, familyOf } from '../family.ts'
import { run as runProgram } from '../run-program.ts'
import { processesIn } from './cgroups.ts'
import type { Host } from './host.ts'
import { isAlive, markOf, type ProcessMark, shimState } from './identity.ts'
import { containersOf, type OciRuntime, type RunPaths, type RunRecord } from './run-folder.ts'
import { containerMark } from './runtimes.ts'

export interface Stopping {
  readonly host: Host
  readonly clock: Clock
  readonly paths: RunPaths
  readonly record: RunRecord
}

/** Why a run was ended early; the first reason stands. */
export type StopReason = 'stopped' | 'timed-out' | 'stdout' | 'disk'

/** How long after a kill the end may take before harder means. */
const hardMs = 5_000

/** Resolves when nothing of the run's programs is left. */
export async function stopRun(at: Stopping, why: StopReason, graceSeconds: number): Promise<void> {
  const { paths, clock } = at
  if (await isOver(paths)) return
  await writeFile(paths.stop, why, { flag: 'wx' }).catch(unlessThere)
  if ((await shimState(paths)).kind === 'not-begun') return
  const politeUntil = clock.monotonic() + graceSeconds * 1000
  const hardAt = politeUntil + hardMs
  let asked = -1
  for (let pause = 5; !(await isOver(paths)); pause = Math.min(pause * 2, 100)) {
    const i = await currentStep(at)
    const isPolite = clock.monotonic() < politeUntil
    // A step that begins after the first signal must get its own.
    const name = isPolite ? (at.record.steps[i ?? 0]?.stopSignal ?? 'TERM') : 'KILL'
    if (i !== undefined && !(isPolite && i === asked) && (await tellAndSignal(at, i, name)) && isPolite)
      asked = i
    if (clock.monotonic() >= hardAt) await killAll(at)
    await clock.sleep(pause)
  }
}

/** Written down before, since the follower may see the end before this call returns; taken back where there was nothing to stop. */
async function tellAndSignal(at: Stopping, i: number, name: 'TERM' | 'INT' | 'KILL'): Promise<boolean> {
  const told = `${at.paths.stop}.signalled`
  const wasTold = existsSync(told)
  await writeFile(told, '').catch(unlessThere)
  const reached = await signal(at, i, name)
  if (!reached && !wasTold) await rm(told, { force: true })
  return reached
}

/** Whether the shim has written how it ended, or can never do so. */
export async function isOver(paths: RunPaths): Promise<boolean> {
  const text = readSmall(paths.exit)
  if (text !== undefined && text !== '') return true
  const { kind } = await shimState(paths)
  return kind === 'dead' || kind === 'forbidden' || !existsSync(paths.folder)
}

/** The step that runs now, if one does. */
export async function currentStep({
  paths,
  record,
}: Pick<Stopping, 'paths' | 'record'>): Promise<number | undefined> {
  const names = new Set(await readdir(paths.folder).catch(() => []))
  const i = record.steps.findLastIndex((_, index) => names.has(`began.${index}`))
  return i >= 0 && !names.has(`exit.${i}`) ? i : undefined
}

/** The first process of the step, as this process sees it. */
export async function initOf(at: Pick<Stopping, 'paths' | 'record'>, i: number): Promise<number | undefined> {
  const { runtime } = at.record
  if (runtime.kind !== 'plain') return liveContainer(at, runtime, i)?.pid
  const shim = await shimState(at.paths)
  return shim.kind === 'alive' ? await firstBelow(shim.mark.pid) : undefined
}

/** The container in which a step runs, and its first process. */
export function liveContainer(
  { paths, record }: Pick<Stopping, 'paths' | 'record'>,
  runtime: OciRuntime,
  i: number,
): { readonly id: string; readonly pid: number } | undefined {
  const state = join(paths.private, 'state')
  for (const id of containersOf(record, i)) {
    const mark = containerMark(runtime, { state, id })
    if (mark !== undefined && isAlive(mark)) return { id, pid: mark.pid }
  }
  return undefined
}

/** The first process of a namespace of its own among what a process started, at most a few generations below. */
async function firstBelow(pid: number, depth = 4): Promise<number | undefined> {
  for (const child of await childrenOf(pid)) {
    if (await isFirst(child)) return child
    const below = depth > 0 ? await firstBelow(child, depth - 1) : undefined
    if (below !== undefined) return below
  }
  return undefined
}

/** Whether it is the first process of a namespace of its own. */
async function isFirst(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return /^NSpid:.*\s1$/m.test(text)
}

async function signal(at: Stopping, i: number, name: 'TERM' | 'INT' | 'KILL'): Promise<boolean> {
  const { runtime } = at.record
  if (runtime.kind !== 'plain') {
    const container = liveContainer(at, runtime, i)
    if (container === undefined) return false
    const state = join(at.paths.private, 'state')
    return (await runProgram(runtime.program, ['--root', state, 'kill', container.id, name])).exit === 0
  }
  const pid = await initOf(at, i)
  return pid !== undefined && kill(pid, `SIG${name}`)
}

/** Ends every process of a run, whichever process started it. Answers which ones were ended; they may take a moment. */
export async function killAll({
  host,
  paths,
  record,
}: Omit<Stopping, 'clock'>): Promise<readonly ProcessMark[]> {
  const shim = await shimState(paths)
  const killed: ProcessMark[] = []
  const end = (pid: number): void => {
    const mark = markOf(readSmall(`/proc/${pid}/stat`) ?? '')
    if (mark !== undefined && kill(pid, 'SIGKILL')) killed.push(mark)
  }
  // By its lock it may be alive where its number means another process.
  if (shim.kind === 'alive' && isAlive(shim.mark)) {
    killSession(shim.mark)
    killed.push(shim.mark)
  }
  if (shim.kind === 'dead') for (const pid of await orphansOf(paths)) end(pid)
  for (const [i] of record.steps.entries()) {
    const init = await initOf({ paths, record }, i)
    if (init !== undefined) end(init)
    for (const id of containersOf(record, i)) for (const pid of processesIn(host.controls, id)) end(pid)
  }
  return killed
}

function killSession({ pid }: ProcessMark): void {
  // The shim leads its own session; whatever it started and did not finish is in its group.
  kill(-pid, 'SIGKILL')
}

/** Processes that a dead shim left: they still stand in the folder of the run, and what they started need not. */
async function orphansOf({ folder }: RunPaths): Promise<readonly number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (cwd === folder || cwd.startsWith(`${folder}/`)) found.push(...(await familyOf(Number(name))))
  }
  return [...new Set(found)]
}

function kill(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    // It has already gone.
    return false
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
}
