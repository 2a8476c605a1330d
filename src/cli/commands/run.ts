/** chandler run: any action of any package, without a broker. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ActionRan } from '../../compose/local-run.ts'
import { printable } from '../../kit/text.ts'
import { failAll } from '../../model/problem.ts'
import { add } from '../command.ts'
import { printHandedOut } from '../handed-out.ts'
import { localDataDir } from '../local.ts'
import { type Form, printDocument, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { print, say } from '../terminal.ts'

interface RunOptions extends ParameterOptions {
  readonly output: Form
  readonly name: string
  readonly binding: string
  readonly plan?: string
  readonly contract?: string
  readonly outputs?: string
  readonly dataDir: string
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'run <reference> <action>',
    summary: 'Run any action of any package, without a broker',
    description:
      'The action is provision, update, bind, unbind, deprovision, or one of the package\'s own (see "package inspect"). The instance lives on this machine, sealed, until it is deprovisioned. The log goes to standard error, what the action hands out to standard output.',
    examples: [
      'run sim: provision --name demo',
      'run oci:./redis:latest provision -p memory=256 --name cache',
      'run oci:./redis:latest bind --name cache --binding app -o json',
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
  withParameters(withOutput(command)).action(run)
}

async function run(reference: string, action: string, options: RunOptions): Promise<void> {
  const { runAction } = await import('../../compose/local-run.ts')
  const { outputs, output, param: _, parameters: __, ...rest } = options
  const parameters = (await parametersOf(options)) ?? {}
  const wish = { ...rest, reference, action, parameters }
  const ran = await runAction(
    { ...wish, ...(outputs === undefined ? {} : { outputs: resolve(outputs) }) },
    packageListener(),
  )
  await show(output, action, ran)
  failAll(ran.problems)
}

async function show(form: Form, action: string, ran: ActionRan): Promise<void> {
  const { message, binding, outputs, problems } = ran
  if (form === 'json' || form === 'yaml') {
    await printDocument(form, 'ActionRun', {
      action,
      succeeded: problems.length === 0,
      ...(message === undefined ? {} : { message }),
      ...(binding === undefined ? {} : { binding }),
      outputs: outputs.map((one) => {
        const { content: _, state, ...rest } = one
        const text = textOf(one)
        return { ...rest, state: state ?? 'present', ...(text === undefined ? {} : { text }) }
      }),
    })
    return
  }
  if (binding !== undefined) print(JSON.stringify(binding.credentials ?? binding, null, 2))
  printHandedOut(outputs, { name: 'OUTPUT', told: 'CONTENT' }, (one) => firstLine(textOf(one) ?? ''))
  if (problems.length === 0) say(message ?? `${action} succeeded`)
}

const shownBytesMax = 64 * 1024
const lineMax = 60

/** What can be shown of an output: text that is no secret and not long. */
function textOf({ content, secret }: ActionRan['outputs'][number]): string | undefined {
  if (secret || content.length > shownBytesMax) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

function firstLine(text: string): string {
  const line = printable(text.split('\n')[0] ?? '')
  return line.length > lineMax ? `${line.slice(0, lineMax)}…` : line
}
