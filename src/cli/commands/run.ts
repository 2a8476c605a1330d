/** chandler run: any action of any package, without a broker. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { failAll } from '../../model/problem.ts'
import { printRan } from '../action-ran.ts'
import { add } from '../command.ts'
import { detach, withDetach } from '../detach.ts'
import { localDataDir } from '../local.ts'
import { type Form, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { withRegistries } from '../registries-option.ts'

interface RunOptions extends ParameterOptions {
  readonly output: Form
  readonly name: string
  readonly binding: string
  readonly plan?: string
  readonly contract?: string
  readonly outputs?: string
  readonly dataDir: string
  readonly detach?: true
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'run <reference> <action>',
    summary: 'Run any action of any package, without a broker',
    description:
      'The action is provision, update, bind, unbind, deprovision, or one of the package\'s own (see "package inspect"). The instance lives on this machine, sealed, until it is deprovisioned. A folder of sources is built first. The log goes to standard error, what the action hands out to standard output.',
    examples: [
      'run sim: provision --name demo',
      'run oci:./redis:latest provision -p memory=256 --name cache',
      'run oci:./redis:latest bind --name cache --binding app -o json',
      'run my-bundle provision --name trial',
      'run ./storage.brokerpak provision --plan small -p region=eu',
      'run sim: echo -p text=hello --name demo',
      'run sim: deprovision --name demo',
    ],
  })
    .option('--name <name>', 'the instance', 'default')
    .option('--binding <name>', 'the binding that bind makes and unbind removes', 'default')
    .option('--plan <name>', 'the plan to provision, where there are several')
    .option('--outputs <folder>', 'write the files it hands out there')
    .option('--contract <name>', 'the contract, where it should not be detected')
    .option('--data-dir <path>', 'where images, keys and instances are kept', localDataDir())
  withDetach(withParameters(withRegistries(withOutput(command)))).action(run)
}

async function run(reference: string, action: string, options: RunOptions): Promise<void> {
  const { orderAction, runAction } = await import('../../authoring/run-action.ts')
  const { outputs, output, detach: isDetached, param: _, parameters: __, ...rest } = options
  const parameters = (await parametersOf(options)) ?? {}
  const wish = { ...rest, reference, action, parameters }
  if (isDetached) return detach(await orderAction(wish, packageListener()), options)
  const ran = await runAction(
    { ...wish, ...present({ outputs: outputs && resolve(outputs) }) },
    packageListener(),
  )
  await printRan(output, action, ran)
  failAll(ran.problems)
}
