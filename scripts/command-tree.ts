/** All commands with their options and arguments, for pages that are made from them. */
import type { Command } from 'commander'
import { rootCommand } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands.ts'

/** The root with everything below it. */
export async function commandTree(version: string): Promise<Command> {
  const root = rootCommand(version)
  for (const row of commands) {
    if (!root.commands.some((one) => one.name() === row.name)) (await row.load()).register(root, commands)
  }
  return root
}

/** Other names of commands are named once, in a table. */
export function shownCommands(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
}
