/** Lines of a shell that put its process into a group of its own, with the limits of a step. */
import { join } from 'node:path'
import { commandLine, quote } from '../shell.ts'
import { type Controls, groupFolders } from './cgroups.ts'
import type { Chamber, StepPlan } from './step-plan.ts'

const period = 100_000

/** Groups are made by the process that has begun, so that a late start leaves none behind. Calls `stuck` where a limit cannot be set. */
export function groupLines(chamber: Chamber, step: StepPlan, controls: Controls): readonly string[] {
  const [first, ...others] = groupFolders(controls, step.id)
  if (first === undefined) return []
  const quota = Math.max(1000, Math.round(chamber.cpus * period))
  if (controls.kind === 'v2') {
    const above = join(first, '..')
    return [
      `for above in ${quote(join(above, '..'))} ${quote(above)}; do for c in memory pids cpu; do echo "+$c" >"$above/cgroup.subtree_control"; done; done 2>/dev/null`,
      commandLine(['mkdir', '-p', first]),
      setting(first, 'memory.max', chamber.memoryBytes),
      setting(first, 'memory.swap.max', 0),
      setting(first, 'pids.max', chamber.processes),
      setting(first, 'cpu.max', `${quota} ${period}`),
      enter(first),
    ]
  }
  const limits = new Map<string, readonly (readonly [string, number])[]>([
    [
      'memory',
      [
        ['memory.limit_in_bytes', chamber.memoryBytes],
        ['memory.memsw.limit_in_bytes', chamber.memoryBytes],
      ],
    ],
    ['pids', [['pids.max', chamber.processes]]],
    [
      'cpu',
      [
        ['cpu.cfs_period_us', period],
        ['cpu.cfs_quota_us', quota],
      ],
    ],
    // Only to count.
    ['cpuacct', []],
  ])
  const used = [first, ...others].flatMap((folder) => {
    const settings = limits.get(folder.split('/')[4] ?? '')
    return settings === undefined ? [] : [{ folder, settings }]
  })
  return [
    commandLine(['mkdir', '-p', ...used.map(({ folder }) => folder)]),
    ...used.flatMap(({ folder, settings }) => [
      ...settings.map(([file, value]) => setting(folder, file, value)),
      enter(folder),
    ]),
  ]
}

function setting(folder: string, file: string, value: string | number): string {
  const path = quote(join(folder, file))
  return `[ ! -e ${path} ] || echo ${quote(String(value))} >${path} || stuck limits`
}

function enter(folder: string): string {
  return `echo 0 >${quote(join(folder, 'cgroup.procs'))} || stuck group`
}
