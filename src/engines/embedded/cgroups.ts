/** The control groups of runs: what this host can limit, what a group counted, taking groups away. */
import { constants, existsSync, rmdirSync } from 'node:fs'
import { access, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readSmall, unlessAbsent } from '../absent.ts'

export interface Controls {
  readonly kind: 'v1' | 'v2' | 'none'
  readonly memory: boolean
  readonly swap: boolean
  readonly pids: boolean
  readonly cpu: boolean
  /** Version 1 with an empty version 2 beside it. */
  readonly hybrid: boolean
}

/** Where hosts that are hybrid have it. */
export const unifiedBeside = '/sys/fs/cgroup/unified'

const mountPoint = '/sys/fs/cgroup'
const ours = 'chandler'
const nothing: Omit<Controls, 'hybrid'> = {
  kind: 'none',
  memory: false,
  swap: false,
  pids: false,
  cpu: false,
}

/** Looks what can be limited here. */
export async function findControls(): Promise<Controls> {
  return { ...(await findUsable()), hybrid: await there(join(unifiedBeside, 'cgroup.procs')) }
}

async function findUsable(): Promise<Omit<Controls, 'hybrid'>> {
  if (process.geteuid?.() !== 0) return nothing
  const unified = await readFile(join(mountPoint, 'cgroup.controllers'), 'utf8').catch(unlessAbsent)
  if (unified !== undefined) return await findUnified(unified.trim().split(' '))
  const [memory, pids, cpu] = await Promise.all(['memory', 'pids', 'cpu'].map(canGroup))
  const swap = memory && (await there(join(mountPoint, 'memory', 'memory.memsw.limit_in_bytes')))
  if (!memory && !pids && !cpu) return nothing
  return { kind: 'v1', memory: memory ?? false, swap: swap ?? false, pids: pids ?? false, cpu: cpu ?? false }
}

async function findUnified(controllers: readonly string[]): Promise<Omit<Controls, 'hybrid'>> {
  if (!(await canGroup('.'))) return nothing
  const has = (name: string): boolean => controllers.includes(name)
  return { kind: 'v2', memory: has('memory'), swap: has('memory'), pids: has('pids'), cpu: has('cpu') }
}

async function canGroup(controller: string): Promise<boolean> {
  const folder = join(mountPoint, controller)
  if (controller !== '.' && !(await there(join(folder, 'cgroup.procs')))) return false
  try {
    await mkdir(join(folder, ours), { recursive: true })
    await access(join(folder, ours, 'cgroup.procs'), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** All that a runtime may make a group in. */
const controllersV1 = [
  ...['memory', 'pids', 'cpu', 'cpuacct', 'cpuset', 'devices', 'freezer', 'blkio', 'systemd', 'unified'],
  ...['cpu,cpuacct', 'net_cls', 'net_prio', 'net_cls,net_prio', 'perf_event', 'hugetlb', 'rdma', 'misc'],
] as const

/** The folders a group has: one, or with version 1 one per controller. */
export function groupFolders(controls: Controls, id: string): readonly string[] {
  if (controls.kind === 'none') return []
  if (controls.kind === 'v2') return [join(mountPoint, ours, id)]
  return mountedV1().map((name) => join(mountPoint, name, ours, id))
}

let mounted: readonly string[] | undefined

function mountedV1(): readonly string[] {
  mounted ??= controllersV1.filter((name) => existsSync(join(mountPoint, name)))
  return mounted
}

/** Whether the kernel killed something of the group for its memory. */
export function wasOutOfMemory(controls: Controls, id: string): boolean {
  const [folder] = groupFolders(controls, id)
  if (folder === undefined) return false
  const file = controls.kind === 'v2' ? 'memory.events' : 'memory.oom_control'
  return /^oom_kill [1-9]/m.test(readSmall(join(folder, file)) ?? '')
}

/** What a group counted; a group that is gone, or that the host does not count for, is no figure. */
export function figuresOf(
  controls: Controls,
  id: string,
): { readonly memoryBytes: number | undefined; readonly processorMs: number | undefined } {
  const folders = groupFolders(controls, id)
  const read = (controller: string, file: string): string | undefined => {
    const folder =
      controls.kind === 'v2' ? folders[0] : folders.find((one) => one.split('/')[4] === controller)
    return folder === undefined ? undefined : readSmall(join(folder, file))
  }
  if (controls.kind === 'v2') {
    const micros = /^usage_usec (\d+)$/m.exec(read('cpu', 'cpu.stat') ?? '')?.[1]
    return { memoryBytes: counted(read('memory', 'memory.peak'), 1), processorMs: counted(micros, 1000) }
  }
  return {
    memoryBytes: counted(read('memory', 'memory.max_usage_in_bytes'), 1),
    processorMs: counted(read('cpuacct', 'cpuacct.usage'), 1_000_000),
  }
}

function counted(text: string | undefined, unit: number): number | undefined {
  return text === undefined || text.trim() === '' ? undefined : Math.ceil(Number(text) / unit)
}

/** The processes that are in the group, as this process sees them. */
export function processesIn(controls: Controls, id: string): readonly number[] {
  const found = new Set<number>()
  for (const folder of groupFolders(controls, id)) {
    const text = readSmall(join(folder, 'cgroup.procs')) ?? ''
    for (const line of text.split('\n')) if (Number(line) > 0) found.add(Number(line))
  }
  return [...found]
}

/** Takes an empty group away; answers whether nothing is left of it. */
export function removeGroup(controls: Controls, id: string): boolean {
  return groupFolders(controls, id).filter((folder) => !isRemoved(folder)).length === 0
}

function isRemoved(folder: string): boolean {
  if (!existsSync(folder)) return true
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const strayMs = 3_600_000

/** Takes away empty groups of runs that are long gone: a discard waits for the kernel for a while only, and may be killed. */
export async function sweepGroups(
  controls: Controls,
  now: number,
  { isThere, olderThanMs = strayMs }: { isThere(run: string): boolean; olderThanMs?: number },
): Promise<void> {
  const parents = groupFolders(controls, '.')
  for (const name of new Set((await Promise.all(parents.map(namesIn))).flat())) {
    const run = /^(chd-.+)-s\d+$/.exec(name)?.[1]
    if (run === undefined || isThere(run)) continue
    const stats = await Promise.all(parents.map((parent) => stat(join(parent, name)).catch(unlessAbsent)))
    // One in which something lives cannot be removed.
    if (stats.every((one) => one === undefined || now - one.mtimeMs >= olderThanMs))
      removeGroup(controls, name)
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => [])
}

async function there(path: string): Promise<boolean> {
  return (await stat(path).catch(unlessAbsent)) !== undefined
}
