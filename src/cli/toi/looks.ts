/** chandler toi configuration, describe and check. */
import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ReadToi } from '../../authoring/toi/tools.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { plural } from '../../kit/text.ts'
import { describeProblem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { type Form, printDocument, printFields } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { schemaLines } from '../schema-lines.ts'
import { coloured, print, say } from '../terminal.ts'
import { usualFiles } from './files.ts'
import { type PackageOptions, wishOf, withPackage } from './options.ts'

export function registerLooks(group: Command): void {
  registerConfiguration(group)
  registerDescribe(group)
  registerCheck(group)
}

async function read(
  reference: string,
  identity: readonly string[],
  options: PackageOptions,
): Promise<ReadToi> {
  const { readToiPackage } = await import('../../authoring/toi/tools.ts')
  return await readToiPackage(wishOf(reference, identity, options), packageListener())
}

interface ConfigurationOptions extends PackageOptions {
  readonly parameters: string
  readonly credentials: string
}

function registerConfiguration(group: Command): void {
  const command = add(group, {
    usage: 'configuration <reference> [identity...]',
    summary: 'Write the example files and the scheme that a package brings along',
    examples: [
      'toi configuration ./ctf//example.org/chandler/echo:1.0.0',
      'toi configuration ./ctf//example.org/chandler/echo -p params.yaml',
    ],
    aliases: ['config', 'cfg'],
  })
    .option('-p, --parameters <file>', 'where the example of parameters goes', usualFiles.parameters)
    .option('-c, --credentials <file>', 'where the example of credentials goes', usualFiles.credentials)
  withPackage(command).action(
    async (reference: string, identity: readonly string[], options: ConfigurationOptions) => {
      const { notes } = await read(reference, identity, options)
      say(`found package in ${notes.component}:${notes.version}`)
      if (notes.description !== undefined)
        say(
          `\nPackage Description:\n${notes.description
            .trimEnd()
            .split('\n')
            .map((line) => `  ${line}`)
            .join('\n')}\n`,
        )
      const { configFile, credentialsFile } = notes.examples
      if (notes.layers.scheme !== undefined)
        write(
          `${options.parameters.replace(/\.ya?ml$/, '')}.jsonscheme`,
          `${JSON.stringify(notes.layers.scheme, null, 2)}\n`,
          0o644,
        )
      if (configFile === undefined) say('no configuration template configured')
      else write(options.parameters, await asYaml(configFile), 0o600)
      if (credentialsFile === undefined) say('no credentials template configured')
      else write(options.credentials, await asYaml(credentialsFile), 0o600)
    },
  )
}

function write(file: string, text: string, mode: number): void {
  writeFileSync(file, text, { mode })
  say(`${file}: ${Buffer.byteLength(text)} byte(s) written`)
}

/** Content that stands in the package is written as YAML, resources as they are. */
async function asYaml(text: string): Promise<string> {
  if (!text.startsWith('{')) return text
  const { writeYaml } = await import('../../kit/yaml.ts')
  return writeYaml(JSON.parse(text) as Json)
}

function registerDescribe(group: Command): void {
  const command = add(group, {
    usage: 'describe <reference> [identity...]',
    summary: 'Show what a package does, takes and asks for',
    examples: ['toi describe ./ctf//example.org/chandler/echo:1.0.0'],
  })
  withPackage(command).action(
    async (reference: string, identity: readonly string[], options: PackageOptions) => {
      await tell(options.output, await read(reference, identity, options))
    },
  )
}

async function tell(form: Form, { notes, package: pkg }: ReadToi): Promise<void> {
  const { component, version, description, executors, credentials, layers } = notes
  if (form === 'json' || form === 'yaml')
    return await printDocument(form, 'ToiPackage', {
      component,
      version,
      ...present({ description }),
      executors: executors.map(({ actions, image, outputs }) => ({
        actions: actions ?? 'any',
        image: image.reference,
        outputs: Object.values(outputs),
      })),
      credentials,
      ...present({ scheme: layers.scheme }),
    })
  if (form === 'name') return print(component)
  printFields([
    ['Component', `${component}:${version}`],
    ['Description', description],
    ['Digest', pkg.digest],
    [
      'Executors',
      executors
        .map(({ actions, image }) => `${actions?.join(', ') ?? 'any action'}: ${image.reference}`)
        .join('\n'),
    ],
    ['Outputs', [...new Set(executors.flatMap(({ outputs }) => Object.values(outputs)))].join(', ')],
    [
      'Credentials',
      Object.entries(credentials)
        .map(
          ([name, one]) =>
            `${name}${one.optional ? ' (optional)' : ''}: ${[one.description, Object.keys(one.properties).join(', ')].filter(Boolean).join(': ')}`,
        )
        .join('\n'),
    ],
    ['Parameters', layers.scheme === undefined ? undefined : schemaLines(layers.scheme).join('\n')],
  ])
}

function registerCheck(group: Command): void {
  const command = add(group, {
    usage: 'check <reference> [identity...]',
    summary: 'Say all that is wrong with a package at once',
    description: 'Follows every reference of the package and its executors: documents, libraries, images.',
    examples: ['toi check ./ctf//example.org/chandler/echo:1.0.0'],
  })
  withPackage(command).action(
    async (reference: string, identity: readonly string[], options: PackageOptions) => {
      const { notes, warnings } = await read(reference, identity, options)
      for (const warning of warnings)
        say(coloured('stderr', 'yellow', `warning: ${describeProblem(warning)}`))
      say(
        `ok: ${notes.component}:${notes.version} is a package with ${plural(notes.executors.length, 'executor')}`,
      )
    },
  )
}
