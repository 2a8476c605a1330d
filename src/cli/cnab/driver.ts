/** chandler cnab driver, also cnab-chandler: an operation of another tool, run on an engine of this machine. */
import { type Command, Option } from 'commander'
import { add } from '../command.ts'
import { localDataDir } from '../local.ts'
import { print, readStdin } from '../terminal.ts'
import { takeSettingsOf } from './caller.ts'
import { bundleListener } from './listener.ts'

interface DriverOptions {
  readonly caller?: string
  readonly dataDir?: string
  readonly handles?: boolean
  readonly engine?: string
}

export function registerDriver(group: Command): void {
  add(group, {
    usage: 'driver',
    summary: 'Be a driver of other tools (cnab-chandler)',
    description:
      'Tools of the ecosystem call the program cnab-chandler for "--driver chandler": it reads one operation as JSON from standard input, runs it, and writes outputs below $CNAB_OUTPUT_DIR. $CHANDLER_CNAB_ENGINE chooses another engine than the embedded one. Variables of the bundle are read from the operation only: those that the tool put into the environment are dropped.',
    examples: ['cnab driver --handles', 'cnab driver < operation.json'],
  })
    .option('--handles', 'print the types of images that can be run')
    .option('--engine <name>', 'embedded, docker or auto (default: $CHANDLER_CNAB_ENGINE, or embedded)')
    .option('--data-dir <path>', 'where images are kept (default: the data folder of this user)')
    .addOption(new Option('--caller <pid>', 'the process whose settings hold').hideHelp())
    .action(async ({ caller, dataDir, handles, engine }: DriverOptions) => {
      const { acceptOperation, handledTypes, runOperation } = await import(
        '../../authoring/cnab/be-driver.ts'
      )
      if (handles) return print(handledTypes.join(','))
      const operation = acceptOperation(await readStdin())
      const outputs = process.env['CNAB_OUTPUT_DIR'] || undefined
      takeSettingsOf(caller, Object.keys(operation.environment))
      const call = {
        operation,
        dataDir: dataDir ?? localDataDir(),
        engine: engine ?? (process.env['CHANDLER_CNAB_ENGINE'] || 'embedded'),
        outputs,
      }
      process.exitCode = await runOperation(call, bundleListener('table'))
    })
}
