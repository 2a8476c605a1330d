/** How commands without a broker are told how registries are reached. */
import { resolve } from 'node:path'
import type { Command } from 'commander'

/** Adds `--registries`. */
export function withRegistries(command: Command): Command {
  return command
    .option(
      '--registries <file>',
      'a configuration whose "registries" say how they are reached (CHANDLER_CONFIG)',
    )
    .hook('preAction', (_, acting) => {
      const { registries } = acting.opts<{ readonly registries?: string }>()
      // In the variable, so that the processes which a command starts know it, too.
      if (registries !== undefined) process.env['CHANDLER_CONFIG'] = resolve(registries)
    })
}
