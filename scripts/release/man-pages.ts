/** Manual pages, one per command, made from the commands themselves. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Argument, Command } from 'commander'
import { commands } from '../../src/cli/commands.ts'
import { commandTree, shownCommands } from '../command-tree.ts'

/** Writes them into a folder, compressed. */
export async function writeManPages(folder: string, version: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const root = await commandTree(version)
  const write = (name: string, text: string): void =>
    writeFileSync(join(folder, `${name}.1.gz`), gzipSync(text, { level: 9 }))
  write('chandler', rootPage(root, version))
  for (const command of shownCommands(root)) write(`chandler-${command.name()}`, page(command, version))
}

function rootPage(root: Command, version: string): string {
  const groups = Map.groupBy(commands, ({ group }) => group)
  return lines([
    heading('chandler', version),
    ...named('chandler', root.description()),
    '.SH SYNOPSIS',
    '.B chandler',
    '[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]',
    ...optionsOf(root),
    ...[...groups].flatMap(([group, rows]) => [
      `.SH ${group.toUpperCase()}`,
      ...rows.flatMap(({ name, summary }) => ['.TP', `.BR chandler-${plain(name)} (1)`, plain(summary)]),
    ]),
    '.SH EXIT STATUS',
    '0 success, 1 unexpected, 2 wrong usage, 3 the operation failed, 4 not found, 5 conflict, 6 not permitted,',
    '7 gave up waiting, 8 unreachable, 9 invalid input, 10 configuration, 11 refused by policy or quota.',
  ])
}

function page(command: Command, version: string): string {
  const name = `chandler-${command.name()}`
  return lines([
    heading(name, version),
    ...named(name, command.summary() || command.description()),
    ...sections(command, 'chandler'),
    '.SH SEE ALSO',
    '.BR chandler (1)',
  ])
}

/** Of a command and all below it. */
function sections(command: Command, path: string): readonly string[] {
  const name = `${path} ${command.name()}`
  const words = command.registeredArguments.map(argumentText).join(' ')
  const own =
    command.commands.length > 0 ? [] : ['.PP', `.B ${plain(name)}`, `[\\fIoptions\\fR] ${plain(words)}`]
  return [
    `.SH ${plain(name).toUpperCase()}`,
    ...own,
    '.PP',
    plain(command.description()),
    ...optionsOf(command),
    ...shownCommands(command).flatMap((child) => sections(child, name)),
  ]
}

function optionsOf(command: Command): readonly string[] {
  return command.options
    .filter((option) => !option.hidden)
    .flatMap(({ flags, description }) => ['.TP', `.B ${plain(flags)}`, plain(description)])
}

function argumentText(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}

function heading(name: string, version: string): string {
  return `.TH ${name.toUpperCase()} 1 "" "Chandler ${version}" "User commands"`
}

function named(name: string, summary: string): readonly string[] {
  return ['.SH NAME', `${name} \\- ${plain(summary)}`]
}

/** Text of which nothing is read as a request. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/\s+/g, ' ')
    .replace(/^([.'])/, '\\&$1')
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
