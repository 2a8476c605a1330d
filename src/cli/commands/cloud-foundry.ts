/** The words of cf, with its order and its flags, for whom they are at hand: each is said in our own and carried out as such. */
import type { Command } from 'commander'
import { add, type CommandRow, rootCommand, throwing } from '../command.ts'
import { withConnection } from '../connection.ts'
import { withOutput } from '../output.ts'
import { version } from '../version.ts'

interface Flags {
  readonly c?: string
  readonly f?: boolean
  readonly e?: string
  readonly p?: string
  readonly wait?: boolean
  readonly guid?: boolean
}

interface Translation {
  readonly usage: string
  readonly summary: string
  readonly example: string
  /** Letters of cf. */
  readonly flags: string
  /** The same in our words. */
  readonly words: (args: readonly string[], flags: Flags) => readonly string[]
}

const parameters = ({ c }: Flags) => (c === undefined ? [] : ['--parameters', c])
/** cf returns at once unless it is told to wait. */
const waiting = ({ wait }: Flags) => (wait ? [] : ['--no-wait'])
const sure = ({ f }: Flags) => (f ? ['--yes'] : [])
const idOnly = ({ guid }: Flags) => (guid ? ['--output', 'name'] : [])

const translations: readonly Translation[] = [
  {
    usage: 'marketplace',
    summary: 'List services and plans, or the plans of one (chandler catalog)',
    example: 'marketplace -e alpha-db',
    flags: 'e',
    words: (_, { e }) => ['catalog', ...(e === undefined ? [] : [e])],
  },
  {
    usage: 'create-service <service> <plan> <instance>',
    summary: 'Order an instance (chandler instance provision)',
    example: `create-service alpha-db small my-db -c '{"size": 3}' --wait`,
    flags: 'cw',
    words: (args, flags) => ['instance', 'provision', ...args, ...parameters(flags), ...waiting(flags)],
  },
  {
    usage: 'update-service <instance>',
    summary: 'Change the plan or the parameters of an instance (chandler instance update)',
    example: 'update-service my-db -p large --wait',
    flags: 'pcw',
    words: (args, flags) => [
      ...['instance', 'update', ...args, ...(flags.p === undefined ? [] : ['--plan', flags.p])],
      ...[...parameters(flags), ...waiting(flags)],
    ],
  },
  {
    usage: 'rename-service <instance> <new-name>',
    summary: 'Give an instance another name (chandler instance rename)',
    example: 'rename-service my-db shop-db',
    flags: '',
    words: (args) => ['instance', 'rename', ...args],
  },
  {
    usage: 'delete-service <instance>',
    summary: 'Delete an instance (chandler instance deprovision)',
    example: 'delete-service my-db -f --wait',
    flags: 'fw',
    words: (args, flags) => ['instance', 'deprovision', ...args, ...sure(flags), ...waiting(flags)],
  },
  {
    usage: 'services',
    summary: 'List instances (chandler instance list)',
    example: 'services',
    flags: '',
    words: () => ['instance', 'list'],
  },
  {
    usage: 'service <instance>',
    summary: 'Show one instance (chandler instance show)',
    example: 'service my-db --guid',
    flags: 'g',
    words: (args, flags) => ['instance', 'show', ...args, ...idOnly(flags)],
  },
  {
    usage: 'create-service-key <instance> <key>',
    summary: 'Bind an instance without an app (chandler binding bind)',
    example: 'create-service-key my-db my-key --wait',
    flags: 'cw',
    words: (args, flags) => [
      ...['binding', 'bind', ...args, '--no-credentials', ...parameters(flags), ...waiting(flags)],
    ],
  },
  {
    usage: 'service-keys <instance>',
    summary: 'List the bindings of an instance (chandler binding list)',
    example: 'service-keys my-db',
    flags: '',
    words: (args) => ['binding', 'list', ...args],
  },
  {
    usage: 'service-key <instance> <key>',
    summary: 'Show the credentials of a binding (chandler binding show)',
    example: 'service-key my-db my-key',
    flags: 'g',
    words: (args, flags) => ['binding', 'show', ...args, ...(flags.guid ? idOnly(flags) : ['--credentials'])],
  },
  {
    usage: 'delete-service-key <instance> <key>',
    summary: 'Unbind (chandler binding unbind)',
    example: 'delete-service-key my-db my-key -f --wait',
    flags: 'fw',
    words: (args, flags) => ['binding', 'unbind', ...args, ...sure(flags), ...waiting(flags)],
  },
]

export function register(program: Command, table: readonly CommandRow[]): void {
  const group = add(program, {
    usage: 'cf',
    summary: 'The words of the cf command line: marketplace, create-service, service-keys and more',
    description:
      'What cf calls services, with its order of words and its flags; `chandler create-service` is the same as `chandler cf create-service`. Like cf, these return at once unless --wait is given. Binding needs an app, which a broker does not know: use service keys.',
    examples: ['cf create-service alpha-db small my-db -c \'{"size": 3}\' --wait', 'cf services'],
  })
  const aliases = table.find(({ name }) => name === 'cf')?.aliases ?? []
  for (const one of translations) {
    translated(group, one, { table, hidden: false })
    if (aliases.includes(one.usage.replace(/ .*/, ''))) translated(program, one, { table, hidden: true })
  }
}

function translated(
  parent: Command,
  { usage, summary, example, flags, words }: Translation,
  { table, hidden }: { readonly table: readonly CommandRow[]; readonly hidden: boolean },
): void {
  const command = add(parent, { usage, summary, examples: [example], hidden })
  if (flags.includes('e')) command.option('-e <service>', 'the plans of this service')
  if (flags.includes('p')) command.option('-p <plan>', 'move to this plan')
  if (flags.includes('c')) command.option('-c <parameters>', 'JSON, or a file that holds it')
  if (flags.includes('f')) command.option('-f', 'do not ask')
  if (flags.includes('g')) command.option('--guid', 'print the id only')
  if (flags.includes('w')) command.option('-w, --wait', 'wait for the end')
  withOutput(withConnection(command)).option('--platform <name>', 'of this platform account')
  command.action(async () => {
    await carryOut([...words(command.args, command.opts()), ...shared(command)], table)
  })
}

/** Runs a command of ours; what goes wrong is told as its own. */
async function carryOut(words: readonly string[], table: readonly CommandRow[]): Promise<void> {
  const row = table.find(({ name }) => name === words[0])
  const program = rootCommand(version())
  ;(await row?.load())?.register(program, table)
  throwing(program)
  await program.parseAsync([...words], { from: 'user' })
}

/** What every command of ours knows, as it was given. */
function shared(command: Command): readonly string[] {
  const known = ['server', 'user', 'passwordFile', 'caFile', 'context', 'platform', 'output']
  const switches = ['verbose', 'quiet', 'debug']
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals()
  const isGiven = (name: string) =>
    given[name] !== undefined && command.getOptionValueSourceWithGlobals(name) !== 'default'
  return [
    ...known.filter(isGiven).flatMap((name) => [`--${dashed(name)}`, String(given[name])]),
    ...switches.filter((name) => given[name] === true).map((name) => `--${name}`),
  ]
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
