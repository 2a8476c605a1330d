/** The config.json of one step for an OCI runtime. */
import { capabilities, maskedPaths, readOnlyPaths, seccomp } from '../confinement.ts'
import { type MountedPrograms, mountedProgramsFolder } from '../mounted-programs.ts'
import type { Controls } from './cgroups.ts'
import { processesOfUser } from './process-limit.ts'
import type { Runtime } from './run-folder.ts'
import { bringsItsOwn } from './runtimes.ts'
import type { Chamber, Mount, StepPlan } from './step-plan.ts'

export interface RuntimeHost {
  readonly controls: Controls
  readonly lent: MountedPrograms
  /** Not as root: mounts and devices as a user namespace permits them. */
  readonly rootless: boolean
  readonly runtime: Runtime
}

/** Writes the configuration; environment and arguments are in it, so it must lie where secrets may. */
export function ociConfig(chamber: Chamber, step: StepPlan, host: RuntimeHost): unknown {
  const caps = capabilities.map((name) => `CAP_${name}`)
  const { uid, gid, groups } = step.user
  const processes = processesOfUser(chamber.processes, host)
  const ownGroups = bringsItsOwn(host.runtime) && host.controls.kind !== 'none'
  return {
    ociVersion: '1.0.2',
    hostname: chamber.hostname,
    root: { path: chamber.root, readonly: chamber.readOnlyRoot },
    process: {
      terminal: false,
      user: { uid, gid, ...(host.rootless ? {} : { additionalGids: groups }) },
      args: argvOf(step, host),
      env: [...step.environment].map(([name, value]) => `${name}=${value}`),
      cwd: step.workingFolder,
      capabilities: { bounding: caps, effective: caps, permitted: caps },
      rlimits: [
        { type: 'RLIMIT_CORE', soft: 0, hard: 0 },
        { type: 'RLIMIT_FSIZE', soft: chamber.diskBytes, hard: chamber.diskBytes },
        ...(processes === undefined ? [] : [{ type: 'RLIMIT_NPROC', soft: processes, hard: processes }]),
      ],
      noNewPrivileges: true,
      oomScoreAdj: 500,
    },
    mounts: [...systemMounts(host, chamber), ...chamber.mounts.map(mountOf), ...lentMount(step, host)],
    linux: {
      namespaces: namespacesOf(chamber),
      maskedPaths,
      readonlyPaths: readOnlyPaths,
      seccomp,
      ...(ownGroups ? { cgroupsPath: `/chandler/${step.id}` } : {}),
      resources: ownGroups ? resourcesOf(chamber, host.controls) : {},
    },
  }
}

/** A runtime that makes two pipes: only a program inside can join them before it becomes the real one. */
function argvOf(step: StepPlan, host: RuntimeHost): readonly string[] {
  const { argv } = step
  return joinsInside(step, host) ? [...host.lent.command('sh'), '-c', 'exec "$@" 2>&1', 'sh', ...argv] : argv
}

function joinsInside({ joined }: StepPlan, { runtime }: RuntimeHost): boolean {
  return joined && bringsItsOwn(runtime)
}

function lentMount(step: StepPlan, host: RuntimeHost): readonly unknown[] {
  const options = ['bind', 'ro', 'nosuid', 'nodev']
  return step.isHeld || joinsInside(step, host)
    ? [{ destination: mountedProgramsFolder, type: 'bind', source: host.lent.folder, options }]
    : []
}

function namespacesOf({ network }: Chamber): readonly object[] {
  const kinds = ['pid', 'ipc', 'uts', 'mount', 'cgroup', ...(network.kind === 'none' ? ['network'] : [])]
  const own = network.kind === 'own' ? [{ type: 'network', path: network.space }] : []
  return [...kinds.map((type) => ({ type })), ...own]
}

function resourcesOf({ memoryBytes, processes, cpus }: Chamber, controls: Controls): unknown {
  const period = 100_000
  return {
    devices: [{ allow: false, access: 'rwm' }],
    ...(controls.memory
      ? { memory: { limit: memoryBytes, ...(controls.swap ? { swap: memoryBytes } : {}) } }
      : {}),
    ...(controls.pids ? { pids: { limit: processes } } : {}),
    ...(controls.cpu ? { cpu: { quota: Math.max(1000, Math.round(cpus * period)), period } } : {}),
  }
}

function systemMounts({ rootless }: RuntimeHost, { network }: Chamber): readonly unknown[] {
  const quiet = ['nosuid', 'noexec', 'nodev']
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: quiet },
    {
      destination: '/dev',
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
    },
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: [
        'nosuid',
        'noexec',
        'newinstance',
        'ptmxmode=0666',
        'mode=0620',
        ...(rootless ? [] : ['gid=5']),
      ],
    },
    {
      destination: '/dev/shm',
      type: 'tmpfs',
      source: 'shm',
      options: [...quiet, 'mode=1777', 'size=65536k'],
    },
    // A user namespace may show only the devices of a network of its own.
    rootless && network.kind === 'host'
      ? { destination: '/sys', type: 'bind', source: '/sys', options: ['rbind', 'ro', ...quiet] }
      : { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...quiet, 'ro'] },
  ]
}

function mountOf({ to, from, readOnly }: Mount): unknown {
  const options = [readOnly ? 'ro' : 'rw', 'nosuid', 'nodev']
  if (from.kind === 'bind') {
    return { destination: to, type: 'bind', source: from.path, options: ['rbind', ...options] }
  }
  const size = `size=${from.bytes}`
  return {
    destination: to,
    type: 'tmpfs',
    source: 'tmpfs',
    options: [...options, size, `mode=${from.mode.toString(8)}`],
  }
}
