/** Runs one command: finds it in the table, loads it, and turns whatever went wrong into words and an exit code. */
import type { Command } from 'commander'
import type { CommandRow } from './command.ts'
import { commands } from './commands.ts'
import { print, say } from './terminal.ts'
import { version } from './version.ts'
import { commandFirst, firstWord } from './word-order.ts'

/** Runs the command line; answers the exit code. What a command needs is loaded only for that command. */
export async function main(args: readonly string[]): Promise<number> {
  quietOnClosedPipe()
  const wanted = firstWord(args)
  if (wanted === undefined || wanted === 'help') return withoutCommand(args, wanted)
  const { keepCompiled } = await import('./code-cache.ts')
  keepCompiled()
  const row = commands.find((one) => one.name === wanted || one.aliases?.includes(wanted))
  const [{ CommanderError }, { rootCommand, throwing }] = await Promise.all([
    import('commander'),
    import('./command.ts'),
  ])
  try {
    if (row === undefined) return await unknownCommand(args, wanted)
    const program = rootCommand(version())
    const { register } = await row.load()
    register(program, commands)
    throwing(program)
    await program.parseAsync(['node', 'chandler', ...commandFirst(args, program)])
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const usageExit = row?.usageExit ?? 2
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExit
    const [{ toProblem }, { tell }] = await Promise.all([
      import('../model/problem.ts'),
      import('./failure.ts'),
    ])
    const problem = toProblem(error)
    const exit = tell(problem, asksForJson(args) ? 'json' : 'text', args.includes('--debug'))
    return problem.code === 'usage.invalid' ? usageExit : exit
  }
}

async function unknownCommand(args: readonly string[], wanted: string): Promise<number> {
  const [{ nearest }, { tell }] = await Promise.all([import('../kit/text.ts'), import('./failure.ts')])
  const near = nearest(
    wanted,
    commands.flatMap((one) => [one.name, ...(one.aliases ?? [])]),
  )
  const detail = `there is no command ${wanted}${near ? `; did you mean ${near}?` : ''}`
  const hint = 'See chandler --help.'
  return tell({ code: 'usage.invalid', detail, hint }, asksForJson(args) ? 'json' : 'text', false)
}

async function withoutCommand(args: readonly string[], wanted: 'help' | undefined): Promise<number> {
  if (args.includes('-V') || args.includes('--version')) {
    print(version())
    return 0
  }
  if (args.includes('--all')) {
    const { rootCommand } = await import('./command.ts')
    const program = rootCommand(version())
    for (const row of commands) {
      if (!program.commands.some((one) => one.name() === row.name))
        (await row.load()).register(program, commands)
    }
    printAll(program, 'chandler')
    return 0
  }
  const topic = wanted === 'help' ? args[args.indexOf('help') + 1] : undefined
  if (topic !== undefined) return main([topic, ...args.slice(args.indexOf('help') + 2), '--help'])
  print(overview())
  return args.length === 0 ? 2 : 0
}

/** The table itself, without loading anything. */
function overview(): string {
  const width = Math.max(...commands.map((row) => row.name.length))
  const groups = Map.groupBy(commands, (row: CommandRow) => row.group)
  const lines = [...groups].flatMap(([title, rows]) => [
    '',
    `${title}:`,
    ...rows.map((row) => `  ${row.name.padEnd(width)}  ${row.summary}`),
  ])
  return [
    'Usage: chandler <command> [options]',
    '',
    'One service broker and package runtime for five packaging contracts.',
    ...lines,
    '',
    'chandler <command> --help   options and examples of one command',
    'chandler help --all         everything at once',
  ].join('\n')
}

function printAll(command: Command, path: string): void {
  for (const child of command.createHelp().visibleCommands(command)) {
    if (child.name() === 'help') continue
    print(`\n# ${path} ${child.name()}\n`)
    print(child.helpInformation())
    printAll(child, `${path} ${child.name()}`)
  }
}

function asksForJson(args: readonly string[]): boolean {
  return args.some(
    (word, i) =>
      word === '-ojson' ||
      word === '--output=json' ||
      (/^(-o|--output)$/.test(word) && args[i + 1] === 'json'),
  )
}

/** `chandler … | head` ends without a word. */
function quietOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    say(error.message)
    process.exit(1)
  })
}
