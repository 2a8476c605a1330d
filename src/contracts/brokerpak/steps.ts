/** The commands of a run, one step each. */
import type { Secret } from '../../kit/secret.ts'
import type { Step } from '../../model/job.ts'
import { pluginFolder } from './workspace.ts'

export interface Commands {
  /** What the engine is called. */
  readonly program: string
  readonly environment: Readonly<Record<string, string | Secret>>
  /** An engine before 0.12 has other flags. */
  readonly old: boolean
  /** What init leaves is there already. */
  readonly ready: boolean
}

const shownBytesMax = 16 * 1024 * 1024

export function initStep(commands: Commands): Step {
  return step(commands, 'init', initWords(commands))
}

/**
 * A step and the init before it, in one: to confine a program takes as long as an init.
 * Every word of the script is ours; what may come from users is handed to it as arguments.
 */
export function afterInit(commands: Commands, next: Step): Step {
  if (commands.ready || next.command.kind !== 'exec') return next
  // What is captured must be the words of the step alone.
  const aside = next.streams.kind === 'apart' && next.streams.stdout.kind !== 'logged' ? ' >&2' : ''
  const script = `${[commands.program, ...initWords(commands)].join(' ')}${aside} && exec "$@"`
  return { ...next, command: { kind: 'exec', argv: ['sh', '-c', script, 'sh', ...next.command.argv] } }
}

function initWords({ old }: Commands): readonly string[] {
  const plugins = old
    ? ['-get-plugins=false', `-plugin-dir=${pluginFolder}`]
    : [`-plugin-dir=${pluginFolder}`, '-input=false']
  return ['init', ...plugins, '-no-color']
}

export function applyStep(commands: Commands): Step {
  return step(commands, 'apply', ['apply', '-auto-approve', '-input=false', '-no-color'])
}

export function destroyStep(commands: Commands): Step {
  return step(commands, 'destroy', [
    'destroy',
    commands.old ? '-force' : '-auto-approve',
    '-input=false',
    '-no-color',
  ])
}

/** Modules alone: enough for work on the state, and possible while its providers are not there. */
export function getStep(commands: Commands): Step {
  return step(commands, 'get', ['get', '-no-color'])
}

/** One per provider that was renamed. */
export function replaceSteps(
  commands: Commands,
  replacements: Readonly<Record<string, string>>,
): readonly Step[] {
  return Object.entries(replacements).map(([from, to], i) =>
    step(commands, `replace-provider-${i + 1}`, [
      'state',
      'replace-provider',
      '-no-color',
      '-auto-approve',
      from,
      to,
    ]),
  )
}

export function importStep(commands: Commands, i: number, address: string, id: string): Step {
  return step(commands, `import-${i + 1}`, ['import', '-input=false', '-no-color', address, id])
}

const planFile = 'chandler.plan'

/** A plan for people, then the same for programs; exit 2 of the first says that there is something to do. */
export function lookSteps(commands: Commands): readonly [Step, ...Step[]] {
  const all = ['-detailed-exitcode', ...(commands.old ? [] : [`-out=${planFile}`])]
  const first = afterInit(commands, { ...planStep(commands, all), mayFail: true })
  if (commands.old) return [first]
  const words = ['show', '-json', planFile]
  return [first, { ...step(commands, 'show', words), streams: captured(false) }]
}

/** Prints what the state holds; captured, for it may hold secrets. */
export function showStep(commands: Commands): Step {
  return { ...step(commands, 'show', ['show', '-no-color']), streams: captured(false) }
}

export function planStep(commands: Commands, flags: readonly string[] = []): Step {
  return {
    ...step(commands, 'plan', ['plan', '-input=false', '-no-color', ...flags]),
    streams: captured(true),
  }
}

function captured(shown: boolean): Step['streams'] {
  const stdout = shown
    ? ({ kind: 'both', bytesMax: shownBytesMax } as const)
    : ({ kind: 'captured', bytesMax: shownBytesMax } as const)
  return { kind: 'apart', stdout }
}

function step({ program, environment }: Commands, name: string, words: readonly string[]): Step {
  return {
    name,
    command: { kind: 'exec', argv: [program, ...words] },
    environment,
    streams: { kind: 'apart', stdout: { kind: 'logged' } },
    // Terraform saves its state and leaves in peace when it is asked this way.
    stopSignal: 'INT',
  }
}
