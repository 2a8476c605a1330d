/** chandler cnab driver, also cnab-chandler: an operation of another tool, run on an engine of this machine. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { localDataDir } from '../local.ts'
import { print, readStdin } from '../terminal.ts'
import { bundleListener } from './listener.ts'

interface DriverOptions {
  readonly dataDir: string
  readonly handles?: boolean
  readonly engine: string
}

export function registerDriver(group: Command): void {
  add(group, {
    usage: 'driver',
    summary: 'Be a driver of other tools (cnab-chandler)',
    description:
      'Tools of the ecosystem call the program cnab-chandler for "--driver chandler": it reads one operation as JSON from standard input, runs it, and writes outputs below $CNAB_OUTPUT_DIR. $CHANDLER_CNAB_ENGINE chooses another engine than the embedded one.',
    examples: ['cnab driver --handles', 'cnab driver < operation.json'],
  })
    .option('--handles', 'print the types of images that can be run')
    .option('--engine <name>', 'embedded, docker or auto', process.env['CHANDLER_CNAB_ENGINE'] || 'embedded')
    .option('--data-dir <path>', 'where images are kept', localDataDir())
    .action(async ({ dataDir, handles, engine }: DriverOptions) => {
      const { handledTypes, runOperation } = await import('../../compose/cnab/be-driver.ts')
      if (handles) return print(handledTypes.join(','))
      const exit = await runOperation(
        {
          document: await readStdin(),
          dataDir,
          engine,
          outputs: process.env['CNAB_OUTPUT_DIR'],
        },
        bundleListener('table'),
      )
      process.exitCode = exit
    })
}
