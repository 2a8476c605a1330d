/** chandler cnab init, explain, inspect, archive, publish, copy and relocate. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Explanation } from '../../authoring/cnab/look.ts'
import { present } from '../../kit/present.ts'
import { add } from '../command.ts'
import { type Form, printDocument, printFields, printOne, withOutput } from '../output.ts'
import { withRegistries } from '../registries-option.ts'
import { printTable } from '../table.ts'
import { print, say } from '../terminal.ts'
import { nameOfFolder, shellPath, startFolder } from '../write-files.ts'
import { bundleListener } from './listener.ts'
import { type Local, relocationOf, withBundleOptions, withLocal } from './options.ts'
import { startingBundle, startingImage } from './starting-bundle.ts'

interface BundleOptions extends Local {
  readonly relocationMapping?: string
  readonly image?: readonly string[]
  readonly allowUnpinnedImages?: boolean
  readonly allowExtension?: readonly string[]
  readonly allowDockerHostAccess?: boolean
  readonly dependency?: readonly string[]
  readonly dependencyVersions?: string
}

export function registerBundles(group: Command): void {
  registerInit(group)
  registerExplain(group)
  registerInspect(group)
  registerArchive(group)
  registerPublish(group)
  registerCopy(group)
  registerRelocate(group)
}

function registerInit(group: Command): void {
  const command = add(group, {
    usage: 'init [folder]',
    summary: 'Write a bundle to start with',
    description: 'Writes a bundle.json and the folder of its image. Nothing that exists is overwritten.',
    examples: ['cnab init', 'cnab init my-bundle'],
  })
  withOutput(command).action(async (folder = '.', { output }: { readonly output: Form }) => {
    const file = shellPath(join(folder, 'bundle.json'))
    const name = nameOfFolder(folder)
    const next = `chandler cnab install demo --cnab-file ${file} --image ${shellPath(`${startingImage(name)}=${folder}`)}`
    await startFolder(output, { contract: 'cnab', folder, files: startingBundle(name), next })
  })
}

function registerExplain(group: Command): void {
  const command = add(group, {
    usage: 'explain <reference>',
    summary: 'Say what a bundle wants and gives',
    examples: ['cnab explain ./hello-1.0.0.tgz', 'cnab explain ./bundle.json --action upgrade -o json'],
  }).option('--action <name>', 'only what concerns this action')
  withRegistries(withLocal(command)).action(
    async (reference: string, { dataDir, output, action }: Local & { readonly action?: string }) => {
      const { explain } = await import('../../authoring/cnab/look.ts')
      const explanation = await explain({ reference, dataDir, ...present({ action }) })
      if (output === 'json' || output === 'yaml')
        return await printDocument(output, 'CnabBundle', explanation)
      if (output === 'name') return print(explanation.name)
      showExplanation(explanation)
    },
  )
}

function showExplanation(one: Explanation): void {
  printFields([
    ['Name', one.name],
    ['Version', one.version],
    ['Description', one.description],
    ['Made with', one.mixins?.join(', ')],
  ])
  if (one.wantsEngineSocket)
    print('\nThis bundle wants the socket of the container engine: whoever has it rules the machine.')
  section(
    'Parameters',
    ['NAME', 'TYPE', 'DEFAULT', 'APPLIES TO', 'REQUIRED', 'DESCRIPTION'],
    one.parameters.map((each) => [
      each.name,
      each.type,
      each.default === null ? '' : JSON.stringify(each.default),
      each.applyTo,
      each.required ? 'yes' : '',
      each.description,
    ]),
  )
  section(
    'Credentials',
    ['NAME', 'APPLIES TO', 'REQUIRED', 'DESCRIPTION'],
    one.credentials.map((each) => [each.name, each.applyTo, each.required ? 'yes' : '', each.description]),
  )
  section(
    'Outputs',
    ['NAME', 'TYPE', 'APPLIES TO', 'DESCRIPTION'],
    one.outputs.map((each) => [each.name, each.type, each.applyTo, each.description]),
  )
  section(
    'Actions',
    ['NAME', 'MODIFIES', 'STATELESS', 'DESCRIPTION'],
    one.actions.map((each) => [
      each.name,
      each.modifies ? 'yes' : '',
      each.stateless ? 'yes' : '',
      each.description,
    ]),
  )
  section(
    'Dependencies',
    ['NAME', 'BUNDLE'],
    one.dependencies.map((each) => [each.alias, each.reference]),
  )
}

function section(title: string, titles: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return
  print(`\n${title}`)
  printTable(titles, rows)
}

function registerInspect(group: Command): void {
  const command = add(group, {
    usage: 'inspect <reference>',
    summary: 'Show the images of a bundle, where they are named and where they are',
    examples: [
      'cnab inspect ./hello-1.0.0.tgz',
      'cnab inspect docker://registry.example/team/hello:v1.0.0 -o json',
    ],
  })
  withBundleOptions(withLocal(command)).action(async (reference: string, options: BundleOptions) => {
    const { inspectBundle } = await import('../../authoring/cnab/look.ts')
    const { dataDir, output } = options
    const found = await inspectBundle({ reference, dataDir, relocation: await relocationOf(options) })
    if (output === 'json' || output === 'yaml') return await printDocument(output, 'CnabInspection', found)
    if (output === 'name') return print(found.name)
    printFields([
      ['Name', found.name],
      ['Version', found.version],
      ['Schema version', found.schemaVersion],
      ['Digest', found.digest],
      ['Images', found.thick ? 'in the archive' : 'elsewhere'],
      ['Required extensions', found.requiredExtensions.join(', ')],
    ])
    section(
      'Images',
      ['NAME', 'IMAGE', 'CONTENT DIGEST', 'PLACE'],
      found.images.map((one) => [one.name, one.image, one.contentDigest ?? '', one.place]),
    )
  })
}

interface ArchiveOptions extends BundleOptions {
  readonly to?: string
  readonly thin?: boolean
  readonly compression: 'none' | 'fastest' | 'usual' | 'best' | 'huffman'
}

function registerArchive(group: Command): void {
  const command = add(group, {
    usage: 'archive <reference>',
    summary: 'Pack a bundle and its images into one file',
    description:
      'The file can be run, published and copied without any registry. The same bundle always makes the same bytes. Without --to it is named after the bundle.',
    examples: [
      'cnab archive docker://registry.example/team/hello:v1.0.0 --to hello.tgz',
      'cnab archive ./bundle.json --image hello-installer:1.0.0=oci:./image:latest',
      'cnab archive ./hello.tgz --thin --to hello-thin.tgz',
    ],
  })
    .option('--to <file>', 'the file to write')
    .option('--thin', 'without the images')
    .option('--compression <how>', 'none, fastest, usual, best or huffman', 'usual')
  withBundleOptions(withLocal(command)).action(async (reference: string, options: ArchiveOptions) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { archiveBundle } = await import('../../authoring/cnab/bundle-tools.ts')
    const { dataDir, output, to, thin, compression } = options
    const { signal, progress } = bundleListener(output)
    const wish = {
      reference,
      relocation: await relocationOf(options),
      thin: thin === true,
      compression,
      ...present({ to }),
      signal,
      progress,
    }
    const file = await inCnabContext(dataDir, 'none', (room) =>
      archiveBundle(room.house.workshop.artifacts, wish),
    )
    await printOne(output, { kind: 'CnabArchive', name: file, value: { file }, fields: [['Archive', file]] })
  })
}

interface PublishOptions extends BundleOptions {
  readonly to: string
  readonly force?: boolean
}

function registerPublish(group: Command): void {
  const command = add(group, {
    usage: 'publish <reference>',
    summary: 'Push a bundle and its images into a registry',
    description:
      'All images go into the repository of the bundle, by digest, under one index. Without a tag the version of the bundle becomes one, with a "v" before it.',
    examples: [
      'cnab publish ./hello-1.0.0.tgz --to docker://registry.example/team/hello',
      'cnab publish ./bundle.json --image hello-installer:1.0.0=oci:./image:latest --to docker://localhost:5000/hello:v1',
    ],
  })
    .requiredOption('--to <reference>', 'the repository, with or without a tag')
    .option('--force', 'replace what the tag names')
  withBundleOptions(withLocal(command)).action(async (reference: string, options: PublishOptions) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { publishBundle } = await import('../../authoring/cnab/bundle-tools.ts')
    const { dataDir, output, to, force } = options
    const { signal, progress } = bundleListener(output)
    const relocation = await relocationOf(options)
    const wish = { reference, relocation, to, force: force === true, signal, progress }
    const published = await inCnabContext(dataDir, 'none', (room) =>
      publishBundle(room.house.workshop.artifacts, wish),
    )
    await printPublished(output, published)
  })
}

async function printPublished(
  form: Local['output'],
  { reference, digest }: { readonly reference: string; readonly digest: string },
): Promise<void> {
  await printOne(form, {
    kind: 'CnabPublished',
    name: reference,
    value: { reference, digest },
    fields: [
      ['Bundle', reference],
      ['Digest', digest],
    ],
  })
}

function registerCopy(group: Command): void {
  const command = add(group, {
    usage: 'copy <from> <to>',
    summary: 'Copy a published bundle with its images to another place',
    description:
      'Nothing changes on the way, no digest and no byte. A destination without a tag is a registry or a folder of one, and the bundle keeps its name and tag.',
    examples: [
      'cnab copy docker://a.example/team/hello:v1.0.0 docker://b.example/mirror',
      'cnab copy docker://a.example/team/hello:v1.0.0 docker://b.example/mirror/hello:latest --force',
    ],
  }).option('--force', 'replace what the tag names')
  withRegistries(withLocal(command)).action(
    async (from: string, to: string, { dataDir, output, force }: Local & { readonly force?: boolean }) => {
      const { inCnabContext } = await import('../../local/cnab/tools.ts')
      const { copyBundle } = await import('../../authoring/cnab/bundle-tools.ts')
      const { signal, progress } = bundleListener(output)
      const wish = { from, to, force: force === true, signal, progress }
      const copied = await inCnabContext(dataDir, 'none', (room) =>
        copyBundle(room.house.workshop.artifacts, wish),
      )
      await printPublished(output, copied)
    },
  )
}

interface RelocateOptions extends BundleOptions {
  readonly prefix: string
  readonly to?: string
}

function registerRelocate(group: Command): void {
  const command = add(group, {
    usage: 'relocate <reference>',
    summary: 'Copy the images of a bundle to another registry and say where they are now',
    description:
      'Each image gets a name of its own below the prefix. The map that is printed (or written with --to) is what install, upgrade and publish take as --relocation-mapping.',
    examples: ['cnab relocate ./bundle.json --prefix registry.example/mirror --to relocation.json'],
  })
    .requiredOption('-p, --prefix <host/folder>', 'where the images go')
    .option('--to <file>', 'where the map is written')
  withBundleOptions(withLocal(command)).action(async (reference: string, options: RelocateOptions) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { relocateBundle } = await import('../../authoring/cnab/bundle-tools.ts')
    const { dataDir, output, prefix, to } = options
    const { signal, progress } = bundleListener(output)
    const relocation = await relocationOf(options)
    const wish = { reference, relocation, prefix, signal, progress }
    const map = await inCnabContext(dataDir, 'none', (room) =>
      relocateBundle(room.house.workshop.artifacts, wish),
    )
    if (to !== undefined) {
      writeFileSync(to, `${JSON.stringify(map, null, 2)}\n`)
      say(`wrote ${to}`)
    }
    if (output === 'json' || output === 'yaml')
      await printDocument(output, 'CnabRelocation', { relocation: map })
    else if (to === undefined) print(JSON.stringify(map, null, 2))
  })
}
