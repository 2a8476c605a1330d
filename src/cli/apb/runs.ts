/** chandler apb run, test: actions of a bundle, as a broker would carry them out. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import { fail, failAll } from '../../model/problem.ts'
import { printRan } from '../action-ran.ts'
import { add } from '../command.ts'
import { packageListener } from '../package-listener.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { type LocalOptions, withBase, withLocal } from './local-options.ts'

interface RunOptions extends LocalOptions, ParameterOptions {
  readonly name: string
  readonly binding?: string
  readonly plan?: string
  readonly namespace: string
  readonly secret?: readonly string[]
  readonly base?: string
}

/** Adds `run` and `test`. */
export function registerRuns(group: Command): void {
  const running = add(group, {
    usage: 'run <action> [reference]',
    summary: 'Run one action as a broker would',
    description:
      'The action is provision, update, bind, unbind, deprovision or test. The instance lives on this machine, sealed, with its credentials, state and objects, until it is deprovisioned. The log goes to standard error, the credentials of bind to standard output.',
    examples: [
      'apb run provision my-bundle -p size=2',
      'apb run bind my-bundle --binding app',
      'apb run unbind my-bundle --binding app',
      'apb run deprovision my-bundle',
      'apb run provision docker://registry.example/bundles/redis-apb:latest --plan prod --name cache',
    ],
  })
    .option('--binding <name>', 'the binding that bind makes and unbind removes', 'binding')
    .option('--plan <name>', 'the plan to provision, where there are several')
  withRun(running).action(run)
  const testing = add(group, {
    usage: 'test [reference]',
    summary: "Run the bundle's own test",
    description:
      'Runs the action test: of the instance of that name, where there is one, else by itself with the parameters given and the defaults of the spec. Ends with 3 when the test fails. To drive a bundle through its whole life, use "package check --run".',
    examples: ['apb test', 'apb test my-bundle -p size=2', 'apb test my-bundle --name cache'],
  })
  withRun(testing).action((reference: string | undefined, options: RunOptions) =>
    run('test', reference, options),
  )
}

function withRun(command: Command): Command {
  const local = withParameters(withBase(withLocal(command)))
  return local
    .option('--name <name>', 'the instance', 'bundle')
    .option('--namespace <name>', 'the target namespace that the bundle is told', 'default')
    .option(
      '--secret <name/key=file>',
      'a secret as an operator lends it, read from a file (repeatable)',
      (one: string, all: readonly string[] = []) => [...all, one],
    )
}

async function run(action: string, reference: string | undefined, options: RunOptions): Promise<void> {
  const { runBundle } = await import('../../authoring/apb/tools.ts')
  const { output, dataDir, name, binding = 'binding', plan, base, namespace, secret = [] } = options
  const wish = { reference: reference ?? '.', action, dataDir, name, binding, namespace }
  const ran = await runBundle(
    {
      ...wish,
      parameters: (await parametersOf(options)) ?? {},
      lent: Object.fromEntries(secret.map(secretOf)),
      ...present({ plan, base }),
    },
    packageListener(),
  )
  await printRan(output, action, ran)
  failAll(ran.problems)
}

function secretOf(text: string): readonly [string, Secret] {
  const [, name = '', file = ''] = /^([^=/]+\/[^=/]+)=(.+)$/.exec(text) ?? []
  if (name === '') return fail('usage.invalid', `--secret ${JSON.stringify(text)} is not NAME/KEY=FILE`)
  try {
    return [name, new Secret(readFileSync(file, 'utf8').replace(/\r?\n$/, ''))]
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
