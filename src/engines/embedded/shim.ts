/** The shim: a shell of its own session and mount namespace that runs the steps and outlives the broker. */

import { quote } from '../shell.ts'
import { spoolFunctions, writerOf } from '../spool.ts'
import type { StepFiles } from '../step-files.ts'
import {
  networkLines,
  noNetworkLine,
  untilLentLines,
  untilNetworkLine,
  unusedNetworkLine,
} from './network.ts'
import type { RunPaths } from './run-folder.ts'

export interface ShimPlan {
  readonly paths: RunPaths
  /** The layers of an overlay, topmost first and relative to the run; none: the root is a plain folder. */
  readonly layers: readonly string[]
  readonly writable: boolean
  /** Whether overlay is mounted in a user namespace. */
  readonly rootless: boolean
  /** Folders of the host that the runtime must not see. */
  readonly hidden: readonly string[]
  readonly sized: readonly SizedFolder[]
  /** Make a network of its own, and wait where addresses are lent to it. */
  readonly network: { readonly lends: boolean } | undefined
  readonly steps: readonly ShimStep[]
  /** Stay at the end, since something is wanted from a mount that is the shim's own. */
  readonly stays: boolean
  readonly door?: StartGate | undefined
}

/** The pipe at which a run that is begun ahead waits; its place is relative to the run. */
export type StartGate =
  /** In the place of a file that the program reads first. The file lies beside it: only the process that begins puts it there. */
  | {
      readonly kind: 'file'
      readonly place: string
      readonly mode: number
      readonly uid: number
      readonly gid: number
    }
  /** What stands in front of the program waits for a word. */
  | { readonly kind: 'word'; readonly place: string }

/** Where the file of a door lies until the run begins. */
export const doorFile = 'door'

/** What stands in front of a program is told these words. */
export const wordsFile = 'private/words'

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
 * The script. Its first act is to make the file `began`, which only one process can: that one has started the run.
 * At its end it may have to stay, holding the mounts, until everything was collected and the run is discarded.
 */
export function shimScript(plan: ShimPlan): string {
  const { paths } = plan
  return [
    ...introduction(paths),
    // Before it begins: from then on it is looked for what its own network says.
    ...(plan.door !== undefined && plan.network !== undefined ? [unusedNetworkLine] : []),
    // A shim whose starter dies before letting it go leaves a run that has not begun.
    'read -r go fence || { rm -f lock.$$; exit 99; }; exec </dev/null',
    `${begin} || exit 99`,
    'broken() { echo broken >exit; exit 97; }',
    // What waited here has mounted it before, and overlay wants it as new.
    ...(plan.door !== undefined && plan.layers.length > 0 ? ['rm -rf work && mkdir work || broken'] : []),
    ...mountLines(plan),
    ...untilLentLines(plan.network, '[ ! -e stop ] || break'),
    ...(plan.door?.kind === 'file' ? [`${putInPlace(plan.door.place)} || broken`] : []),
    'go=1',
    ...plan.steps.flatMap((step, i) => stepLines(step, i)),
    ...lastLines(plan),
    '',
  ].join('\n')
}

/** Makes it begin, if the claim that starts it is the one it is laid out for, and no other claim was first. */
export const begin = '{ [ -e "fence.$fence" ] && set -C && { echo "$mark" >began; } 2>/dev/null && set +C; }'

/** Writes down which process this is, where all can read it. */
export function introduction({ folder }: RunPaths): readonly string[] {
  return [
    `cd ${quote(folder)} || exit 98`,
    // Its lock tells that the shim is alive to processes that cannot see it, or see its mark half written.
    'exec 9>lock.$$ && flock -n 9 || exit 98',
    'read -r mark </proc/$$/stat; echo "$mark" >&9',
    // Made while the disk has space; the writer that loses some of the output takes it away.
    'true >whole',
    ...spoolFunctions,
  ]
}

/** The end, after which it may have to stay for the sake of its mounts. */
export function lastLines({ stays, network }: ShimPlan): readonly string[] {
  // It looks now and then whether its folder is still there: removing the folder means that it shall go.
  const ended = network === undefined ? [] : [noNetworkLine]
  return [...ended, 'echo done >exit', ...(stays ? ['while [ -e exit ]; do sleep 30 9>&-; done'] : [])]
}

/** Puts the file of a door into its place, at once and whole. */
export function putInPlace(place: string): string {
  return `mv -f ${doorFile} ${quote(place)}`
}

/** The mounts that are the shim's own, and its network. */
export function mountLines(plan: ShimPlan): readonly string[] {
  const { layers, writable, rootless, sized, hidden, network } = plan
  const lines = hidden.map((path) => `mount -t tmpfs -o ro tmpfs ${quote(path)} || broken`)
  if (network !== undefined) lines.unshift(...networkLines)
  if (layers.length > 0) {
    const options = [
      `lowerdir=${layers.join(':')}`,
      ...(writable ? ['upperdir=up', 'workdir=work'] : []),
      ...(rootless ? ['userxattr'] : []),
      'nodev',
    ]
    const mount = (more: string): string =>
      `mount -t overlay -o ${quote([...options, more].join(','))} overlay merged`
    // Nothing of it outlives this boot, so the disk need not be waited for at the end; old kernels do not know how.
    lines.push(`${mount('volatile')} 2>/dev/null || ${mount('nodev')} || broken`)
  }
  for (const { folder, filledFrom, bytes, entries, mode, uid, gid } of sized) {
    const owner = rootless ? '' : `,uid=${uid},gid=${gid}`
    const options = `size=${bytes},nr_inodes=${entries},mode=${mode.toString(8)}${owner},nosuid,nodev`
    lines.push(`mount -t tmpfs -o ${quote(options)} tmpfs ${quote(folder)} || broken`)
    lines.push(`cp -a ${quote(filledFrom)}/. ${quote(folder)}/ || broken`)
  }
  if (network !== undefined) lines.push(untilNetworkLine)
  return lines
}

function stepLines(step: ShimStep, i: number): readonly string[] {
  const { cleanUp, mayFail } = step
  return [
    'if [ $go = 1 ] && [ ! -e stop ]; then',
    `: >began.${i}`,
    ...commandLines(step),
    ...(cleanUp === undefined ? [] : [`[ $rc -lt 128 ] || ${quietly(cleanUp)} 9>&-`]),
    `echo $rc >exit.${i}`,
    ...(mayFail ? [] : ['[ $rc = 0 ] || go=0']),
    'fi',
  ]
}

/** A command whose output is not wanted. */
export function quietly(command: string): string {
  return `${command} </dev/null >/dev/null 2>&1`
}

/** The command with its streams; they are whole before its status is told. */
export function commandLines({ command, files, joined }: ShimStep, stdin = '/dev/null'): readonly string[] {
  const [first] = files.logs
  const stderr = joined ? undefined : files.logs.find(({ stream }) => stream === 'stderr')?.file
  const stdout = joined ? undefined : files.captured
  const out = writerOf(stdout?.file ?? first?.file ?? '/dev/null', stdout)
  const told = 'echo $? >rc'
  const written =
    stderr === undefined
      ? `${command} <${stdin} 2>&1; ${told};`
      : `{ ${command} <${stdin} 3>&-; ${told}; } 2>&1 >&3 3>&- | ${writerOf(stderr, undefined)} 3>&-;`
  // No process but the shim may hold its lock.
  return [`{ exec 9>&-; ${written} } 3>&1 | { exec 9>&-; ${out}; }`, 'rc=125; read -r rc <rc']
}
