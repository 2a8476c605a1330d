/** chandler tweed: pattern images, for their authors, without a broker. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { OperationRan, PatternOperation, PatternRead } from '../../authoring/pattern-tools.ts'
import { present } from '../../kit/present.ts'
import { printable } from '../../kit/text.ts'
import { describeProblem, fail, failAll, type Problem } from '../../model/problem.ts'
import { problemCodes } from '../../model/problem-codes.ts'
import { add } from '../command.ts'
import { warningLine } from '../failure.ts'
import { printHandedOut } from '../handed-out.ts'
import { localDataDir } from '../local.ts'
import { type Form, printDocument, printOne, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { withRegistries } from '../registries-option.ts'
import { print, say } from '../terminal.ts'
import { metadataFields } from '../tweed/metadata-fields.ts'
import { startingPattern } from '../tweed/starting-pattern.ts'
import { nameOfFolder, shellPath, startFolder } from '../write-files.ts'

interface Local {
  readonly dataDir: string
  readonly output: Form
}

const operations: readonly PatternOperation[] = ['provision', 'bind', 'unbind', 'deprovision']

export function register(program: Command): void {
  const group = add(program, {
    usage: 'tweed',
    summary: 'Write and try Tweed pattern images',
    description:
      'Pattern images follow the Pattern OCI Image Contract, v1. A reference is an image, or a folder with an image.yml, which is built first.',
    examples: ['tweed init my-pattern', 'tweed check my-pattern --run', 'tweed run provision my-pattern'],
  })
  registerInit(group)
  registerMetadata(group)
  registerCheck(group)
  registerRun(group)
  registerBuild(group)
}

function registerInit(group: Command): void {
  const command = add(group, {
    usage: 'init [folder]',
    summary: 'Write a pattern to start with',
    description:
      'Writes a small pattern that passes "tweed check --run". Nothing that exists is overwritten.',
    examples: ['tweed init', 'tweed init my-pattern'],
  })
  withOutput(command).action(async (folder = 'pattern', { output }: { readonly output: Form }) => {
    const files = startingPattern(nameOfFolder(folder))
    const next = `chandler tweed check ${shellPath(folder)} --run`
    await startFolder(output, { contract: 'tweed', folder, files, next })
  })
}

function registerMetadata(group: Command): void {
  const command = add(group, {
    usage: 'metadata <reference>',
    summary: 'Show what a pattern says of itself',
    examples: [
      'tweed metadata docker://registry.example/patterns/redis:1.2.3',
      'tweed metadata my-pattern -o json',
    ],
  })
  withLocal(command).action(async (reference: string, { dataDir, output }: Local) => {
    const { readPattern } = await import('../../authoring/pattern-tools.ts')
    const read = await readPattern({ reference, dataDir }, packageListener())
    warn(read)
    const { digest, metadata, schema } = read
    await printOne(output, {
      kind: 'Pattern',
      name: String(metadata['name']),
      value: { reference: read.reference, digest, metadata, ...present({ schema }) },
      fields: [...metadataFields(metadata), ['Reference', read.reference], ['Digest', digest]],
    })
  })
}

function registerCheck(group: Command): void {
  const command = add(group, {
    usage: 'check <reference>',
    summary: 'Lint a pattern, and with --run drive it through its whole life',
    description:
      'Tells everything that is wrong at once, of a folder with file and line: how the image is built, its program, metadata, Containerfile and examples. With --run the pattern is provisioned, bound, unbound and deprovisioned on an engine of this machine; nothing is kept.',
    examples: ['tweed check my-pattern', 'tweed check oci:./image:latest --run -p name=mine'],
  }).option('--run', 'drive it through its whole life')
  withParameters(withLocal(command)).action(
    async (reference: string, options: Local & ParameterOptions & { readonly run?: boolean }) => {
      const { checkPattern } = await import('../../authoring/pattern-tools.ts')
      const { dataDir, output } = options
      const read = await checkPattern({ reference, dataDir }, packageListener())
      const stages = options.run ? await live(read, options) : []
      if (output === 'json' || output === 'yaml') {
        const warnings = read.warnings.map((one) => ({
          code: one.code,
          text: describeProblem(one),
          fix: fixOf(one),
          ...present({ where: one.where }),
        }))
        await printDocument(output, 'PatternCheck', { reference: read.reference, warnings, stages })
      } else {
        warn(read)
        const { name, version } = read.metadata
        print(printable(`ok: ${String(name)} ${String(version)} is a pattern`))
        for (const { action, fault } of stages)
          print(printable(fault === undefined ? `ok: ${action}` : `failed: ${action}: ${fault}`))
      }
      if (stages.some(({ fault }) => fault !== undefined)) process.exitCode = 3
    },
  )
}

interface Stage {
  readonly action: string
  readonly fault?: string
}

async function live(read: PatternRead, options: Local & ParameterOptions): Promise<readonly Stage[]> {
  const { tryPackage } = await import('../../authoring/package-tools.ts')
  const stages: Stage[] = []
  const trial = {
    reference: read.reference,
    contract: 'tweed',
    dataDir: options.dataDir,
    parameters: (await parametersOf(options)) ?? {},
    bindParameters: {},
    // Patterns have no update by contract.
    ended: (stage: Stage & { readonly skipped?: string }) => {
      if (stage.skipped === undefined) stages.push(stage)
    },
  }
  await tryPackage(trial, packageListener())
  return stages
}

interface RunOptions extends Local, ParameterOptions {
  readonly name: string
  readonly binding: string
  readonly outputs?: string
}

function registerRun(group: Command): void {
  const command = add(group, {
    usage: 'run <operation> <reference>',
    summary: 'Run one operation as a broker would',
    description:
      'The instance lives on this machine, sealed, until it is deprovisioned. The log goes to standard error, the credentials of bind to standard output.',
    examples: [
      'tweed run provision my-pattern -p name=mine --outputs ./outputs',
      'tweed run bind my-pattern --binding app',
      'tweed run unbind my-pattern --binding app',
      'tweed run deprovision my-pattern',
    ],
  })
    .option('--name <name>', 'the instance', 'pattern')
    .option('--binding <name>', 'the binding', 'binding')
    .option('--outputs <folder>', 'write the files of $OUTPUTS there')
  withParameters(withLocal(command)).action(run)
}

async function run(operation: string, reference: string, options: RunOptions): Promise<void> {
  const { runPattern } = await import('../../authoring/pattern-tools.ts')
  const known = operations.find((one) => one === operation)
  if (known === undefined) return fail('usage.invalid', `the operation is one of ${operations.join(', ')}`)
  const { dataDir, name, binding, outputs, output } = options
  const parameters = (await parametersOf(options)) ?? {}
  if (Object.keys(parameters).length > 0 && known !== 'provision')
    fail('usage.invalid', 'only provision takes parameters')
  const wish = { operation: known, reference, dataDir, name, binding, parameters }
  const ran = await runPattern(
    { ...wish, ...(outputs === undefined ? {} : { outputs: resolve(outputs) }) },
    packageListener(),
  )
  await printRun(output, known, ran)
  failAll(ran.problems)
}

async function printRun(form: Form, operation: PatternOperation, ran: OperationRan): Promise<void> {
  const { credentials, outputs, problems } = ran
  if (form === 'json' || form === 'yaml') {
    await printDocument(form, 'PatternRun', {
      operation,
      succeeded: problems.length === 0,
      ...present({ credentials }),
      outputs: outputs.map(({ content: _, state, ...rest }) => ({ ...rest, state: state ?? 'present' })),
    })
    return
  }
  if (credentials !== undefined) print(JSON.stringify(credentials, null, 2))
  printHandedOut(outputs, { name: 'FILE', told: 'SUMMARY' }, () => '')
  if (problems.length === 0) say(`${operation} succeeded`)
}

function registerBuild(group: Command): void {
  const command = add(group, {
    usage: 'build <folder>',
    summary: 'Build the image of a folder as its image.yml says',
    examples: [
      'tweed build my-pattern --to oci:./image:latest',
      'tweed build my-pattern --to docker://registry.example/me/my-pattern:0.1.0',
    ],
  }).option('--to <reference>', 'where the image goes; a layout in the data folder when absent')
  withLocal(command).action(
    async (folder: string, { dataDir, output, to }: Local & { readonly to?: string }) => {
      const { builtImage } = await import('../../authoring/run-action.ts')
      if (!existsSync(join(folder, 'image.yml'))) fail('file.unreadable', join(folder, 'image.yml'))
      const reference = await builtImage({ reference: folder, dataDir }, to)
      await printOne(output, {
        kind: 'Image',
        name: reference,
        value: { reference },
        fields: [['Image', reference]],
      })
    },
  )
}

function withLocal(command: Command): Command {
  return withRegistries(withOutput(command)).option(
    '--data-dir <path>',
    'where images, keys and instances are kept',
    localDataDir(),
  )
}

function warn({ warnings }: PatternRead): void {
  for (const warning of warnings) say(printable(warningLine({ ...warning, hint: fixOf(warning) })))
}

function fixOf({ code, hint }: Problem): string {
  return hint ?? problemCodes[code].hint
}
