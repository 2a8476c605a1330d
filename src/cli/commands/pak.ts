/** chandler pak: brokerpaks, for their authors and for operators who move over. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { PakRead } from '../../authoring/pak-tools.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { plural } from '../../kit/text.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { apart, fail, ProblemError } from '../../model/problem.ts'
import { add } from '../command.ts'
import { warningLine } from '../failure.ts'
import { findingsOf, isForPrograms, type LintForm, printFindings, withLintOutput } from '../findings.ts'
import { type Form, printDocument, printOne, withOutput } from '../output.ts'
import { readEnvironmentFile } from '../pak/environment-file.ts'
import { startingPak } from '../pak/starting-pak.ts'
import { withRegistries } from '../registries-option.ts'
import { writeSecrets } from '../secret-files.ts'
import { printTable } from '../table.ts'
import { print, say } from '../terminal.ts'
import { nameOfFolder, shellPath, startFolder } from '../write-files.ts'
import { registerExamples } from './pak-examples.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'pak',
    summary: 'Build and look at brokerpaks',
    description: 'A brokerpak is a zip of service definitions, Terraform and the programs that run it.',
    examples: ['pak init my-pak', 'pak build my-pak', 'pak info my-pak-1.0.0.brokerpak'],
  })
  registerInit(group)
  registerBuild(group)
  registerInfo(group)
  registerValidate(group)
  registerDocs(group)
  registerExamples(group)
  registerImport(group)
}

function registerInit(group: Command): void {
  const command = add(group, {
    usage: 'init [folder]',
    summary: 'Write a pak to start with',
    description: 'Writes a manifest and a service that needs no cloud. Nothing that exists is overwritten.',
    examples: ['pak init', 'pak init my-pak'],
  })
  withOutput(command).action(async (folder = '.', { output }: { readonly output: Form }) => {
    const next = `chandler pak validate ${shellPath(folder)}`
    await startFolder(output, {
      contract: 'brokerpak',
      folder,
      files: startingPak(nameOfFolder(folder)),
      next,
    })
  })
}

interface BuildFlags {
  readonly to: string
  readonly target?: string
  readonly compress: boolean
  readonly output: Form
}

function registerBuild(group: Command): void {
  const command = add(group, {
    usage: 'build [folder]',
    summary: 'Make a pak of a source folder',
    description:
      'Fetches the programs of the manifest, checks them against manifest.lock, which the first build writes, and packs them with the definitions. The same folder always makes the same bytes; nothing is downloaded where all sources are local.',
    examples: ['pak build', 'pak build my-pak --target linux/amd64 --to dist'],
  })
  withRegistries(withOutput(command))
    .option('--to <folder>', 'where the pak goes', '.')
    .option('--target <os/arch>', 'only for this platform; all of the manifest otherwise')
    .option('--no-compress', 'store files as they are')
    .action(async (folder = '.', { to, target, compress, output }: BuildFlags) => {
      const { buildPak } = await import('../../authoring/pak-tools.ts')
      const order = {
        folder,
        to,
        stored: !compress,
        progress: say,
        ...present({ target }),
      }
      const { file, digest, warnings } = await buildPak(order)
      for (const warning of warnings) say(warningLine(warning))
      await printOne(output, {
        kind: 'Pak',
        name: file,
        value: { file, digest },
        fields: [
          ['Pak', file],
          ['Digest', digest],
        ],
      })
    })
}

function registerInfo(group: Command): void {
  const command = add(group, {
    usage: 'info <reference>',
    summary: 'Show what a pak holds',
    examples: ['pak info my-pak-1.0.0.brokerpak', 'pak info ./my-pak -o json'],
  })
  withRegistries(withOutput(command)).action(
    async (reference: string, { output }: { readonly output: Form }) => {
      const { readPak } = await import('../../authoring/pak-tools.ts')
      const read = await readPak(reference, { engine: 'host' })
      const { manifest } = read.notes
      const { name, version, digest } = read.package
      if (output === 'name') return print(name)
      if (output === 'json' || output === 'yaml')
        return printDocument(output, 'PakInfo', { name, version, digest, manifest, contents: read.entries })
      showInfo(read)
    },
  )
}

function showInfo({ package: pkg, notes: { manifest, definitions }, entries }: PakRead): void {
  print('Information')
  const rows = [
    ['name', pkg.name],
    ['version', pkg.version],
    ['platforms', manifest.platforms.map(({ os, arch }) => `${os}/${arch}`).join(', ')],
    ...Object.entries(manifest.metadata).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]
  for (const [label = '', value = ''] of rows) print(`${label.padEnd(10)} ${value}`)
  section(
    'Parameters',
    ['NAME', 'DESCRIPTION'],
    manifest.parameters.map((one) => [one.name, one.description]),
  )
  const binaries = manifest.binaries.map((one) => [one.name, one.version, one.source])
  section('Dependencies', ['NAME', 'VERSION', 'SOURCE'], binaries)
  const services = definitions.map((one) => [one.id, one.name, one.description, String(one.plans.length)])
  section('Services', ['ID', 'NAME', 'DESCRIPTION', 'PLANS'], services)
  const contents = entries.map(({ mode, bytes, path }) => [mode.toString(8), String(bytes), path])
  section('Contents', ['MODE', 'SIZE', 'NAME'], contents)
}

function section(title: string, titles: readonly string[], rows: readonly (readonly string[])[]): void {
  print(`\n${title}`)
  printTable(titles, rows)
}

function registerValidate(group: Command): void {
  const command = add(group, {
    usage: 'validate <reference>',
    summary: 'Say everything that is wrong with a pak or its source folder',
    examples: ['pak validate my-pak-1.0.0.brokerpak', 'pak validate my-pak --strict csb'],
  }).option('--strict <original>', 'refuse what that original refuses: v1 or csb')
  withRegistries(withLintOutput(command)).action(
    async (reference: string, { strict, output }: ValidateFlags) => {
      const { readPak } = await import('../../authoring/pak-tools.ts')
      const isPacked = /\.brokerpak(?:$|[?#])/.test(reference)
      const options = { ...(isPacked ? {} : { engine: 'host' }), ...present({ strict }) }
      if (isForPrograms(output)) {
        const findings = await readPak(reference, options).then(
          ({ warnings }) => findingsOf('warning', warnings),
          (error: unknown) => {
            if (error instanceof ProblemError) return findingsOf('error', apart(error.problem))
            throw error
          },
        )
        return printFindings(output, { subject: reference, findings })
      }
      const { warnings } = await readPak(reference, options)
      for (const warning of warnings) say(warningLine(warning))
      print(warnings.length === 0 ? 'Valid' : `Valid, with ${plural(warnings.length, 'warning')}`)
    },
  )
}

interface ValidateFlags {
  readonly strict?: string
  readonly output: LintForm
}

function registerDocs(group: Command): void {
  const command = add(group, {
    usage: 'docs <reference>',
    aliases: ['use'],
    summary: 'Write what users of the services of a pak must know, as Markdown',
    examples: ['pak docs my-pak-1.0.0.brokerpak > services.md', 'pak docs ./my-pak'],
  })
  withRegistries(command).action(async (reference: string) => {
    const { pakManual } = await import('../../authoring/pak-tools.ts')
    print((await pakManual(reference)).trimEnd())
  })
}

function registerImport(group: Command): void {
  add(group, {
    usage: 'import-settings [file]',
    summary: 'Read the environment of a cloud-service-broker into settings of ours',
    description:
      'Reads variables (GSB_*, SECURITY_USER_*, PORT, and what paks declare) from a file of NAME=value lines, or from the environment. Settings go to standard output, passwords and credentials to files of the folder secrets beside them, what has no counterpart to standard error.',
    examples: ['pak import-settings broker.env --pak mysql.brokerpak > chandler.yml'],
  })
    .option('--pak <files...>', 'paks at hand: of the built-in folder, or by file name those of the sources')
    .option('--folder <path>', 'where the settings will lie; the folder secrets is made there', '.')
    .action(async (file: string | undefined, { pak = [], folder }: ImportOptions) => {
      const { moveSettings } = await import('../../authoring/pak-tools.ts')
      const environment = file === undefined ? process.env : variablesOf(file)
      const { settings, secrets, faults, remarks } = await moveSettings(environment, pak)
      for (const remark of remarks) say(`note: ${remark}`)
      if (faults.length > 0) fail('usage.invalid', faults.join('; '))
      writeSecrets(join(folder, 'secrets'), secrets)
      print(writeYaml(settings as Json).trimEnd())
    })
}

interface ImportOptions {
  readonly pak?: readonly string[]
  readonly folder: string
}

function variablesOf(file: string): Readonly<Record<string, string>> {
  if (!existsSync(file)) return fail('file.unreadable', file)
  const { variables, unread } = readEnvironmentFile(readFileSync(file, 'utf8'))
  if (unread.length > 0)
    say(
      `note: ${file}, line ${unread.join(', ')}: nothing is assigned; a value of several lines needs quotes`,
    )
  return variables
}
