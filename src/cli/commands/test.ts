/** chandler test: lives the examples of a package on this machine, and compares what came of them. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { ExampleTried } from '../../authoring/sources/try-examples.ts'
import { plural, printable } from '../../kit/text.ts'
import { add } from '../command.ts'
import { localDataDir } from '../local.ts'
import { type Form, printDocument, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { withRegistries } from '../registries-option.ts'
import { coloured, print } from '../terminal.ts'

interface TestOptions {
  readonly output: Form
  readonly dataDir: string
  readonly examples?: string
  readonly only?: string
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'test [path]',
    summary: 'Live the examples of a package, of whatever contract, and compare what comes of them',
    description:
      'Builds the sources of a folder where there are any, then provisions, updates, binds, unbinds and deprovisions each example of examples.yml on an engine of this machine; nothing is left behind. Without examples the first plan is tried with its defaults. Ends with 3 when an example does not do what it expects.',
    examples: [
      'test',
      'test my-bundle --only "a small one"',
      'test ./redis.brokerpak --examples redis.yml -o json',
    ],
  })
    .option('--examples <file>', 'the examples; examples.yml in the folder when absent')
    .option('--only <name>', 'the example of this name')
    .option('--data-dir <path>', 'where images and keys are kept', localDataDir())
  withRegistries(withOutput(command)).action(async (path = '.', options: TestOptions) => {
    const tried = await tryAll(path, options)
    const { output } = options
    if (output === 'json' || output === 'yaml') await printDocument(output, 'ExamplesTried', { items: tried })
    if (tried.some(({ faults }) => faults.length > 0)) process.exitCode = 3
  })
}

/** Tries all that are wanted, telling each as it ends. */
export async function tryAll(
  path: string,
  { dataDir, only, output, examples: file }: TestOptions,
): Promise<readonly ExampleTried[]> {
  const [{ readExamples }, { runnablePackage }, { tryExample }] = await Promise.all([
    import('../../authoring/sources/examples.ts'),
    import('../../authoring/sources/build.ts'),
    import('../../authoring/sources/try-examples.ts'),
  ])
  const source = file ?? examplesBeside(path)
  const all = source === undefined ? [{ name: 'defaults' }] : readExamples(source)
  const chosen = only === undefined ? all : all.filter(({ name }) => name === only)
  const listener = packageListener()
  const { signal, progress } = listener
  const runnable = await runnablePackage(path, { dataDir, signal, progress })
  const tried: ExampleTried[] = []
  for (const example of chosen) {
    const one = await tryExample(runnable, example, { dataDir, listener })
    tried.push(one)
    if (output === 'table' || output === 'wide') tell(one)
  }
  return tried
}

function examplesBeside(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  const file = join(path, 'examples.yml')
  return existsSync(file) ? file : undefined
}

function tell({ name, faults, stages }: ExampleTried): void {
  const passed = faults.length === 0
  const word = passed ? coloured('stdout', 'green', 'ok:') : coloured('stdout', 'red', 'failed:')
  print(`${word} ${printable(name)} (${plural(stages.length, 'action')})`)
  for (const fault of faults) print(printable(`  ${fault}`))
}
