/** How commands are made: with a summary, examples, and an action whose problems become exit codes. */
import { Command } from 'commander'

/** A row of the table of commands. */
export interface CommandRow {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly group: 'Running a broker' | 'Ordering and operating' | 'Packages' | 'Languages' | 'Shell'
  /** What it ends with when it was used wrongly, where that is not 2: supervisors of servers know other codes. */
  readonly usageExit?: number
  readonly load: () => Promise<{ readonly register: Register }>
}

/** Adds a command and what is below it; the whole table is for commands about commands. */
export type Register = (program: Command, table: readonly CommandRow[]) => void

export interface CommandSpec {
  /** `provision <service> [plan] [name]` */
  readonly usage: string
  readonly summary: string
  /** More than one sentence, when one is not enough. */
  readonly description?: string
  /** Without `chandler`. */
  readonly examples: readonly [string, ...string[]]
  readonly aliases?: readonly string[]
  /** Kept out of lists: another name for a command. */
  readonly hidden?: boolean
}

/** Adds a command below another one. */
export function add(parent: Command, spec: CommandSpec): Command {
  const command = parent.command(spec.usage, { hidden: spec.hidden ?? false })
  command.summary(spec.summary).description(spec.description ?? `${spec.summary}.`)
  if (spec.aliases) command.aliases([...spec.aliases])
  return command.addHelpText('after', examplesText(spec.examples))
}

function examplesText(examples: readonly string[]): string {
  return [
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.map((one) => `  $ chandler ${one}`),
  ].join('\n')
}

/** The root, with what every command inherits. */
export function rootCommand(version: string): Command {
  const root = new Command('chandler')
  return root
    .description('One service broker and package runtime for five packaging contracts.')
    .version(version, '-V, --version', 'print the version')
    .option('-v, --verbose', 'show what is asked of the broker')
    .option('-q, --quiet', 'show results only')
    .option('--debug', 'show stacks of unexpected errors')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .showSuggestionAfterError(true)
    .enablePositionalOptions(false)
    .exitOverride()
}

/** Every command throws instead of ending the process. */
export function throwing(command: Command): void {
  command.exitOverride()
  for (const child of command.commands) throwing(child)
}
