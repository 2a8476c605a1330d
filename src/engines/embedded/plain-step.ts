/** Runs a step with what every Linux has: unshare, mount, pivot_root, setpriv; the script of its way in. */
import { capabilities, maskedPaths, readOnlyPaths } from '../confinement.ts'
import { type MountedPrograms, mountedProgramsFolder } from '../mounted-programs.ts'
import { commandLine, isShellName, quote } from '../shell.ts'
import type { Controls } from './cgroups.ts'
import { groupLines } from './enter-group.ts'
import { processesOfUser } from './process-limit.ts'
import type { Chamber, Mount, StepPlan } from './step-plan.ts'

export interface PlainHost {
  readonly controls: Controls
  readonly lent: MountedPrograms
  readonly rootless: boolean
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const

/**
 * The command of a step: new namespaces, then the script as their first process.
 * The shell in between tells how the program ended; unshare itself would hide that it was killed.
 */
export function plainCommand({ network }: Chamber, script: string, { rootless }: PlainHost): string {
  const spaces = ['--mount', '--propagation', 'private', '--ipc', '--uts', '--pid']
  const own = [...(network.kind === 'none' ? ['--net'] : []), ...(rootless ? [] : ['--cgroup'])]
  const entered = network.kind === 'own' ? ['nsenter', `--net=${network.space}`] : []
  const first = `/bin/sh ${quote(script)}; exit $?`
  const command = commandLine([...entered, 'unshare', ...spaces, ...own, '/bin/sh', '-c', first])
  return `env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin ${command}`
}

/** The way in: mounts, the new root, the old one gone, no more rights than allowed, then the program. */
export function plainScript(chamber: Chamber, step: StepPlan, host: PlainHost): string {
  const { lent } = host
  const root = quote(chamber.root)
  const processes = processesOfUser(chamber.processes, host)
  const hostname = quote(chamber.hostname)
  return [
    'stuck() { echo "could not confine the program: $1" >&2; exit 125; }',
    ...groupLines(chamber, step, host.controls),
    // A program that may not open the pipes anew could not write to /dev/stdout.
    ...(host.rootless || step.user.uid === 0
      ? []
      : [`chown ${step.user.uid} /proc/self/fd/1 /proc/self/fd/2 || stuck streams`]),
    ...(chamber.network.kind === 'none' ? ['ip link set lo up 2>/dev/null'] : []),
    // Without root the file stays the host's, though the name is ours to change.
    `{ echo ${hostname} >/proc/sys/kernel/hostname; } 2>/dev/null || hostname ${hostname} 2>/dev/null`,
    `cd ${root} || stuck root`,
    // A mount point of its own, which pivot_root asks for; read-only without touching what lies below.
    `mount --rbind . ${root} && cd ${root} || stuck bind`,
    ...deviceLines(lent),
    ...(host.rootless && chamber.network.kind === 'host'
      ? ['mount --rbind /sys sys || stuck sys']
      : ['mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys || stuck sys']),
    'mount -t proc -o nosuid,nodev,noexec proc proc || stuck proc',
    ...maskedPaths.map((path) => maskLine(path.slice(1))),
    ...readOnlyPaths.map(
      (path) =>
        `[ ! -e ${path.slice(1)} ] || { mount --bind ${path.slice(1)} ${path.slice(1)} && mount -o remount,bind,ro ${path.slice(1)}; } || stuck proc`,
    ),
    ...chamber.mounts.flatMap(mountLines),
    ...(chamber.readOnlyRoot ? ['mount -o remount,bind,ro . || stuck read-only'] : []),
    'mkdir dev/.old && pivot_root . dev/.old || stuck pivot',
    'cd /',
    `${commandLine(lent.command('umount'))} -l /dev/.old || stuck umount`,
    `ulimit -c 0; ulimit -f ${Math.ceil(chamber.diskBytes / 512)}`,
    // Shells do not agree on the letter.
    ...(processes === undefined
      ? []
      : [`ulimit -p ${processes} 2>/dev/null || ulimit -u ${processes} || stuck processes`]),
    `cd ${quote(step.workingFolder)} || stuck folder`,
    'unset PWD OLDPWD PATH',
    ...programLines(step, host),
    '',
  ].join('\n')
}

/** Reads its variables from descriptor 3, takes them over, and becomes the program. */
const takeVariables = [
  'lines=',
  'while IFS= read -r line; do lines="$lines$line',
  '"; done <&3',
  'exec 3<&-',
  'unset PWD OLDPWD',
  'eval "unset lines line; $lines"',
  'exec "$@"',
].join('\n')

/**
 * The rights are given up before a variable of the package is set: the loader acts on some of them in every program,
 * and would act in the one that still has the rights. No command line shows them.
 */
function programLines(step: StepPlan, host: PlainHost): readonly string[] {
  const { lent } = host
  const variables = environmentLines(step)
  let mark = 'variables'
  while (variables.some((line) => line.split('\n').includes(mark))) mark += '.'
  const first = [...lent.command('setpriv'), ...rights(step, host), '--']
  const command = commandLine([...first, ...lent.command('sh'), '-c', takeVariables, 'sh', ...step.argv])
  return [`exec ${command} 3<<'${mark}'`, ...variables, mark]
}

function deviceLines({ folder }: MountedPrograms): readonly string[] {
  return [
    'mount -t tmpfs -o nosuid,mode=755,size=64m tmpfs dev || stuck dev',
    ...devices.map((name) => `: >dev/${name} && mount --bind /dev/${name} dev/${name} || stuck ${name}`),
    'mkdir dev/pts dev/shm dev/.chandler',
    `mount --bind ${quote(folder)} .${mountedProgramsFolder} && mount -o remount,bind,ro,nosuid,nodev .${mountedProgramsFolder} || stuck lent`,
    'mount -t devpts -o newinstance,nosuid,noexec,ptmxmode=0666,mode=0620 devpts dev/pts || stuck pts',
    'mount -t tmpfs -o nosuid,nodev,noexec,mode=1777,size=64m tmpfs dev/shm || stuck shm',
    'ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd; ln -s /proc/self/fd/0 dev/stdin',
    'ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr',
  ]
}

function maskLine(path: string): string {
  const folder = `mount -t tmpfs -o ro,size=0 tmpfs ${path}`
  return `[ ! -d ${path} ] || ${folder} || stuck mask; [ ! -f ${path} ] || mount --bind /dev/null ${path} || stuck mask`
}

function mountLines({ to, from, readOnly }: Mount): readonly string[] {
  const place = quote(`.${to}`)
  const make = to.startsWith('/dev/') && from.kind === 'bind' ? [`[ -e ${place} ] || : >${place}`] : []
  if (from.kind === 'tmpfs') {
    const options = `nosuid,nodev,size=${from.bytes},mode=${from.mode.toString(8)}`
    return [`mount -t tmpfs -o ${options} tmpfs ${place} || stuck mount`]
  }
  const flags = `remount,bind,nosuid,nodev${readOnly ? ',ro' : ''}`
  return [
    ...make,
    `mount --bind ${quote(from.path)} ${place} || stuck mount`,
    `mount -o ${flags} ${place} || stuck mount`,
  ]
}

function environmentLines({ environment }: StepPlan): readonly string[] {
  const lines = [...environment].flatMap(([name, value]) =>
    isShellName(name) ? [`export ${name}=${quote(value)}`] : [],
  )
  return [...(environment.has('PATH') ? [] : ['unset PATH']), ...lines]
}

function rights({ user: { uid, gid, groups } }: StepPlan, { rootless }: PlainHost): readonly string[] {
  const bound = capabilities.map((name) => `+${name.toLowerCase()}`).join(',')
  const ids = rootless
    ? []
    : [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
      ]
  return ['--no-new-privs', '--inh-caps=-all', `--bounding-set=-all,${bound}`, ...ids]
}
