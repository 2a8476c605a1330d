/** The shim: a shell of its own session and mount namespace that runs the steps and outlives the broker. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { StepFiles } from '../step-files.ts'
import type { RunPaths } from './run-folder.ts'
import { commandLine, quote } from './shell.ts'

export interface ShimPlan {
  readonly paths: RunPaths
  /** The layers of an overlay, topmost first and relative to the run; none: the root is a plain folder. */
  readonly layers: readonly string[]
  readonly writable: boolean
  /** Whether overlay is mounted in a user namespace. */
  readonly rootless: boolean
  readonly sized: readonly SizedFolder[]
  readonly steps: readonly ShimStep[]
  /** Stay at the end, since something is wanted from a mount that is the shim's own. */
  readonly stays: boolean
}

/** A folder on memory with a limit, filled from another. */
export interface SizedFolder {
  readonly folder: string
  readonly filledFrom: string
  readonly bytes: number
  readonly entries: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export interface ShimStep {
  /** Runs the step in the foreground; its streams are the shim's to set. */
  readonly command: string
  /** Ends what a killed runtime may have left running. */
  readonly cleanUp: string | undefined
  readonly files: StepFiles
  readonly joined: boolean
  readonly mayFail: boolean
}

/**
 * The script. Its first act is to make the file `began`, which only one can: whoever does has started the run.
 * At its end it may have to stay, holding the mounts, until everything was collected and the run is discarded.
 */
export function shimScript(plan: ShimPlan): string {
  const { paths } = plan
  return [
    `cd ${quote(paths.folder)} || exit 98`,
    // The claim that starts it must be the one it is laid out for.
    '[ -e "fence.$1" ] || exit 99',
    'exec 9>lock || exit 98',
    'read -r mark </proc/$$/stat',
    'set -C; { echo "$mark" >began; } 2>/dev/null || exit 99; set +C',
    // The lock tells that the shim is alive to processes that cannot see it; nothing need wait for it.
    'flock -n 9 &',
    'broken() { echo broken >exit; exit 97; }',
    ...mounts(plan),
    'go=1',
    ...plan.steps.flatMap((step, i) => stepLines(step, i)),
    'echo done >exit',
    // It looks now and then whether its folder is still there: who removes that wants it gone.
    ...(plan.stays ? ['while [ -e exit ]; do sleep 30 9>&-; done'] : []),
    '',
  ].join('\n')
}

function mounts({ layers, writable, rootless, sized }: ShimPlan): readonly string[] {
  const lines: string[] = []
  if (layers.length > 0) {
    const options = [
      `lowerdir=${layers.join(':')}`,
      ...(writable ? ['upperdir=up', 'workdir=work'] : []),
      ...(rootless ? ['userxattr'] : []),
    ]
    lines.push(`mount -t overlay -o ${quote(options.join(','))} overlay merged || broken`)
  }
  for (const { folder, filledFrom, bytes, entries, mode, uid, gid } of sized) {
    const owner = rootless ? '' : `,uid=${uid},gid=${gid}`
    const options = `size=${bytes},nr_inodes=${entries},mode=${mode.toString(8)}${owner},nosuid,nodev`
    lines.push(`mount -t tmpfs -o ${quote(options)} tmpfs ${quote(folder)} || broken`)
    lines.push(`cp -a ${quote(filledFrom)}/. ${quote(folder)}/ || broken`)
  }
  return lines
}

function stepLines({ command, cleanUp, files, joined, mayFail }: ShimStep, i: number): readonly string[] {
  const [first] = files.logs
  const stdout = joined ? first?.file : (files.captured?.file ?? first?.file)
  const stderr = joined ? undefined : files.logs.find(({ stream }) => stream === 'stderr')?.file
  const streams = `</dev/null >>${quote(stdout ?? '/dev/null')} ${stderr === undefined ? '2>&1' : `2>>${quote(stderr)}`} 9>&-`
  return [
    'if [ $go = 1 ] && [ ! -e stop ]; then',
    `: >began.${i}`,
    `${command} ${streams}`,
    'rc=$?',
    ...(cleanUp === undefined ? [] : [`[ $rc -lt 128 ] || ${cleanUp} </dev/null >/dev/null 2>&1 9>&-`]),
    `echo $rc >exit.${i}`,
    ...(mayFail ? [] : ['[ $rc = 0 ] || go=0']),
    'fi',
  ]
}

/** The command of a step under an OCI runtime. Without its own state folder per run a name could be taken by others. */
export function runtimeCommand(
  runtime: { readonly kind: 'runc' | 'crun'; readonly program: string },
  paths: { readonly state: string; readonly log: string; readonly bundle: string },
  id: string,
): string {
  const keep = runtime.kind === 'runc' ? ['--keep'] : []
  const log = ['--log', paths.log, ...(runtime.kind === 'runc' ? ['--log-format', 'json'] : [])]
  return commandLine([
    runtime.program,
    ...['--root', paths.state],
    ...log,
    'run',
    ...keep,
    ...['--bundle', paths.bundle],
    id,
  ])
}

/** Starts a shim that belongs to nobody; several may be started, one will run. */
export function spawnShim(
  paths: RunPaths,
  { fence, rootless }: { readonly fence: number; readonly rootless: boolean },
): Promise<ChildProcess> {
  const errors = openSync(join(paths.folder, 'shim.err'), 'a', 0o600)
  const user = rootless ? ['--user', '--map-root-user'] : []
  const child = spawn(
    'unshare',
    [
      ...user,
      '--mount',
      '--propagation',
      'private',
      '/bin/sh',
      join(paths.private, 'shim.sh'),
      String(fence),
    ],
    {
      detached: true,
      stdio: ['ignore', 'ignore', errors],
      cwd: '/',
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    },
  )
  closeSync(errors)
  child.unref()
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child))
    child.once('error', reject)
  })
}
