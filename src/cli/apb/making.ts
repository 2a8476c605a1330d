/** chandler apb init, lint, prepare, build: from an empty folder to an image. */
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { plural, printable } from '../../kit/text.ts'
import { describePlace, describeProblem, fail, failAll, type Problem } from '../../model/problem.ts'
import { problemCodes } from '../../model/problem-codes.ts'
import { add } from '../command.ts'
import { findingsOf, type LintForm, withLintOutput } from '../findings.ts'
import { type Form, printDocument, printOne, withOutput } from '../output.ts'
import { toSarif } from '../sarif.ts'
import { print, say } from '../terminal.ts'
import { nameOfFolder, shellPath, startFolder } from '../write-files.ts'
import { type LocalOptions, withBase, withDataDir, withLocal } from './local-options.ts'
import { startingBundle } from './starting-bundle.ts'

export function registerMaking(group: Command): void {
  registerInit(group)
  registerLint(group)
  registerPrepare(group)
  registerBuild(group)
}

interface InitOptions {
  readonly ansible?: true
  readonly base: string
  readonly async: string
  readonly bindable: boolean
  readonly output: Form
}

function registerInit(group: Command): void {
  const command = add(group, {
    usage: 'init [folder]',
    summary: 'Write a bundle to start with',
    description:
      'Writes a small bundle in shell that works at once with programs of this machine, or with --ansible one of playbooks and roles upon a base image. Nothing that exists is overwritten.',
    examples: ['apb init my-bundle', 'apb init my-bundle --ansible --base registry.example/apb-base:latest'],
  })
    .option('--ansible', 'playbooks and roles, upon a base image')
    .option(
      '--base <image>',
      'the base image of --ansible',
      'docker.io/ansibleplaybookbundle/apb-base:latest',
    )
    .option('--async <word>', 'required, optional or unsupported', 'optional')
    .option('--no-bindable', 'nothing is handed out to applications')
  withOutput(command).action(writeBundle)
}

async function writeBundle(
  folder = 'bundle',
  { ansible, base, async, bindable, output }: InitOptions,
): Promise<void> {
  if (!['required', 'optional', 'unsupported'].includes(async))
    fail('usage.invalid', `--async ${async} is not required, optional or unsupported`)
  const kind = ansible ? 'ansible' : 'shell'
  const files = startingBundle({ name: nameOfFolder(folder), kind, base, async, bindable })
  const next = `chandler apb ${ansible ? 'lint' : 'test'} ${shellPath(folder)}`
  await startFolder(output, { contract: 'apb', folder, files, next })
}

interface LintOptions {
  readonly dataDir: string
  readonly registry: string
  readonly output: LintForm
}

function registerLint(group: Command): void {
  const command = add(group, {
    usage: 'lint [reference]',
    summary: 'Say why a bundle would not be listed, and what users would trip over',
    description:
      'Tells everything at once, each with file and line. What a broker would leave out of its catalog is an error and ends with 9; the rest are warnings.',
    examples: [
      'apb lint',
      'apb lint my-bundle/apb.yml',
      'apb lint docker://registry.example/bundles/redis-apb:latest',
    ],
  }).option('--registry <name>', 'the name that the broker gives to the registry', 'local')
  withLintOutput(withDataDir(command)).action(async (reference: string | undefined, options: LintOptions) => {
    const { lintBundle } = await import('../../authoring/apb/lint.ts')
    const { dataDir, output, registry } = options
    const lint = await lintBundle({ reference: reference ?? '.', dataDir, registry })
    await printLint(output, lint)
    if (lint.problems.length > 0) process.exitCode = 9
  })
}

type Lint = Awaited<ReturnType<typeof import('../../authoring/apb/lint.ts').lintBundle>>

async function printLint(form: LintForm, { problems, warnings, service }: Lint): Promise<void> {
  if (form === 'sarif') {
    const all = [...findingsOf('error', problems), ...findingsOf('warning', warnings)]
    return print(JSON.stringify(toSarif(all), null, 2))
  }
  if (form === 'json' || form === 'yaml') {
    const findings = (severity: string, list: readonly Problem[]) =>
      list.map((one) => ({ severity, code: one.code, text: textOf(one), ...one.where }))
    const all = [...findings('error', problems), ...findings('warning', warnings)]
    return printDocument(form, 'BundleLint', {
      ...present({ service }),
      listed: problems.length === 0,
      findings: all,
    })
  }
  for (const problem of problems) print(printable(`error: ${lineOf(problem)}`))
  for (const warning of warnings) print(printable(`warning: ${lineOf(warning)}`))
  const told = warnings.length === 0 ? '' : `, with ${plural(warnings.length, 'warning')}`
  print(
    printable(
      problems.length === 0
        ? `It would be listed as ${service ?? 'a service'}${told}.`
        : `It would not be listed: ${plural(problems.length, 'error')}${told}.`,
    ),
  )
}

function lineOf(problem: Problem): string {
  const place = describePlace(problem.where)
  return place === undefined ? textOf(problem) : `${place}: ${textOf(problem)}`
}

/** The finding itself; its title, where it says no more. */
function textOf({ code, detail }: Problem): string {
  return detail ?? problemCodes[code].title
}

function registerPrepare(group: Command): void {
  const command = add(group, {
    usage: 'prepare [folder]',
    summary: 'Write apb.yml into the label of the Dockerfile',
    description:
      'The label is what brokers read. Nothing is written while the spec would not be listed. "apb build" does it by itself; docker and podman do not.',
    examples: ['apb prepare', 'apb prepare my-bundle'],
  })
  withLocal(command).action(async (folder: string | undefined, { dataDir, output }: LocalOptions) => {
    const { lintBundle, prepareBundle } = await import('../../authoring/apb/lint.ts')
    const place = folder ?? '.'
    const { problems } = await lintBundle({ reference: place, dataDir, registry: 'local' })
    failAll(problems)
    const { file, changed } = prepareBundle(place)
    await printOne(output, {
      kind: 'PreparedDockerfile',
      name: file,
      value: { file, changed },
      fields: [
        ['Dockerfile', file],
        ['Label', changed ? 'written' : 'as it was'],
      ],
    })
  })
}

interface BuildOptions extends LocalOptions {
  readonly to?: string
  readonly base?: string
}

function registerBuild(group: Command): void {
  const command = add(group, {
    usage: 'build [folder]',
    summary: 'Build the image of a bundle, with its spec in the label',
    description:
      'Builds as image.yml says, or as the Dockerfile says where nothing must be run inside the image. No container engine is needed.',
    examples: [
      'apb build my-bundle',
      'apb build my-bundle --to docker://registry.example/bundles/my-bundle:latest',
      'apb build my-bundle --base oci:./bases:apb --to oci:./image:latest',
    ],
  }).option('--to <reference>', 'where the image goes; a layout in the data folder when absent')
  withBase(withLocal(command)).action(async (folder: string | undefined, options: BuildOptions) => {
    const { lintBundle } = await import('../../authoring/apb/lint.ts')
    const { buildBundle } = await import('../../authoring/apb/build.ts')
    const { dataDir, output, to, base } = options
    const place = folder ?? '.'
    const { problems, warnings, service } = await lintBundle({ reference: place, dataDir, registry: 'local' })
    failAll(problems)
    for (const warning of warnings) say(printable(`warning: ${describeProblem(warning)}`))
    const reference = await buildBundle({ folder: place, dataDir, ...present({ to, base }) })
    await printOne(output, {
      kind: 'Image',
      name: reference,
      value: { reference, ...present({ service }) },
      fields: [['Image', reference]],
    })
  })
}
