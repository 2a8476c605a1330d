/** chandler toi package, list and rm. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import type { ActionRan } from '../../local/ran.ts'
import { describeProblem, fail, failAll } from '../../model/problem.ts'
import { printRan } from '../action-ran.ts'
import { add } from '../command.ts'
import { localDataDir } from '../local.ts'
import { ago, type Form, printDocument, printList, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { print, say } from '../terminal.ts'
import { configIn, credentialsIn, parametersIn } from './files.ts'
import { type PackageOptions, wishOf, withPackage } from './options.ts'

export function registerRuns(group: Command): void {
  registerPackage(group)
  registerList(group)
  registerRemove(group)
}

interface RunOptions extends PackageOptions {
  readonly name?: string
  readonly parameters?: string
  readonly credentials?: string
  readonly config?: string
  readonly outputs?: string
  readonly dryRun?: boolean
}

function registerPackage(group: Command): void {
  const command = add(group, {
    usage: 'package <action> <reference> [identity...]',
    summary: 'Carry out an action of a package',
    description:
      'The action is any that an executor of the package takes, install and uninstall above all. The package is chosen among those of the component by its name and KEY=VALUE attributes. The installation lives on this machine, sealed, until it is uninstalled; what was given once need not be given again. In place of the reference stands the name of an installation: that needs its repository no more.',
    examples: [
      'toi package install ./ctf//example.org/chandler/echo:1.0.0 -p params.yaml -c creds.yaml',
      'toi package install registry.example/team//example.org/chandler/echo package platform=any --dry-run',
      'toi package uninstall echo',
    ],
    aliases: ['pkg', 'componentversion', 'cv', 'component', 'comp', 'c'],
  })
    .option('--name <name>', 'the installation; as the component is called when absent')
    .option('-p, --parameters <file>', 'parameters (YAML, may hold spiff); TOIParameters, if it is there')
    .option('-c, --credentials <file>', 'credentials (YAML, may hold spiff); TOICredentials, if it is there')
    .option(
      '--config <file>',
      'a configuration of OCM with consumers and credentials; ~/.ocmconfig, if it is there',
    )
    .option('--outputs <path>', 'write outputs there: into a folder that exists, or as one document')
    .option(
      '--dry-run',
      'only show what the executor would be given, stage by stage, and where each value came from',
    )
  withPackage(command).action(run)
}

async function run(
  action: string,
  reference: string,
  identity: readonly string[],
  options: RunOptions,
): Promise<void> {
  if (options.config?.includes('=') && !existsSync(options.config))
    fail(
      'usage.invalid',
      `--config ${options.config}: settings of drivers are not known here; engines are chosen by the machine`,
    )
  const credentials = credentialsIn(options.credentials)
  const config = configIn(options.config)
  const order = {
    ...wishOf(reference, identity, options),
    action,
    parameters: parametersIn(options.parameters),
    ...present({ name: options.name, credentials, config }),
  }
  const { rehearseToi, runToi } = await import('../../authoring/toi/tools.ts')
  if (options.dryRun) return await tellRehearsal(options.output, await rehearseToi(order, packageListener()))
  const ran = await runToi(order, packageListener())
  if (options.outputs !== undefined) await writeOutputs(resolve(options.outputs), ran.outputs)
  await printRan(options.output, action, ran)
  failAll(ran.problems)
}

type Rehearsed = Awaited<ReturnType<typeof import('../../authoring/toi/tools.ts').rehearseToi>>

async function tellRehearsal(form: Form, rehearsal: Rehearsed): Promise<void> {
  if (form === 'json' || form === 'yaml') return await printDocument(form, 'ToiRehearsal', rehearsal)
  for (const warning of rehearsal.warnings) say(`warning: ${describeProblem(warning)}`)
  print(`image: ${rehearsal.image}`)
  print(`arguments: ${rehearsal.arguments.join(' ')}`)
  for (const [name, properties] of Object.entries(rehearsal.credentials))
    print(`credential ${name}: ${properties.join(', ')}`)
  for (const { stage, text, origins } of rehearsal.steps) {
    print(`\n# ${stage}\n${text.trimEnd()}`)
    for (const { path, from } of origins) print(`#   ${path} from ${from}`)
  }
  if (rehearsal.outputs.length > 0) print(`\noutputs: ${rehearsal.outputs.join(', ')}`)
}

/** A folder gets one file per output; anything else is one document. */
async function writeOutputs(path: string, outputs: ActionRan['outputs']): Promise<void> {
  const present = outputs.filter(({ state }) => state === undefined)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    // The names were checked when the package was read.
    for (const { name, content } of present) writeFileSync(join(path, name), content, { mode: 0o600 })
    return say(`writing outputs to directory ${JSON.stringify(path)}...`)
  }
  const { writeYaml } = await import('../../kit/yaml.ts')
  const { readSpiff } = await import('../../languages/spiff/index.ts')
  const document = Object.fromEntries(
    present.map(({ name, content }) => {
      const text = Buffer.from(content).toString()
      const read = Buffer.from(text).equals(Buffer.from(content)) ? readSpiff({ name, text }) : undefined
      const value =
        read?.kind === 'done'
          ? JSON.parse(read.documents[0]?.json() ?? 'null')
          : { binary: Buffer.from(content).toString('base64') }
      return [name, value]
    }),
  )
  mkdirSync(resolve(path, '..'), { recursive: true })
  writeFileSync(path, writeYaml({ outputs: document }), { mode: 0o600 })
}

interface LocalOptions {
  readonly output: Form
  readonly dataDir: string
}

function withLocal(command: Command): Command {
  return withOutput(command).option(
    '--data-dir <path>',
    'where images, keys and installations are kept',
    localDataDir(),
  )
}

function registerList(group: Command): void {
  const command = add(group, {
    usage: 'list',
    summary: 'List what is installed on this machine',
    examples: ['toi list', 'toi list -o json'],
    aliases: ['ls'],
  })
  withLocal(command).action(async ({ output, dataDir }: LocalOptions) => {
    const { listToi } = await import('../../authoring/toi/tools.ts')
    await printList(output, {
      kind: 'ToiInstallationList',
      items: await listToi(dataDir),
      columns: [
        { title: 'NAME', of: (one) => one.name },
        { title: 'COMPONENT', of: (one) => one.component },
        { title: 'VERSION', of: (one) => one.version },
        { title: 'STATE', of: (one) => one.state },
        { title: 'CHANGED', of: (one) => ago(new Date(one.changedAt).toISOString()), wide: true },
      ],
      name: (one) => one.name,
      empty: 'Nothing is installed.',
    })
  })
}

function registerRemove(group: Command): void {
  const command = add(group, {
    usage: 'rm <name>',
    summary: 'Forget an installation without uninstalling it',
    examples: ['toi rm echo'],
  })
  withLocal(command).action(async (name: string, { dataDir }: LocalOptions) => {
    const { forgetToi } = await import('../../authoring/toi/tools.ts')
    await forgetToi(dataDir, name)
    say(`${name} is forgotten; what it installed is where it was`)
  })
}
