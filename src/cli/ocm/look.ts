/** chandler ocm get, tree and download. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ShownVersion, TreeNode } from '../../authoring/ocm/look.ts'
import type { Json } from '../../kit/json.ts'
import { plural } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { type Form, printDocument, printFields, printList } from '../output.ts'
import { printTable } from '../table.ts'
import { print, say } from '../terminal.ts'
import { type PlaceOptions, placeOf, withPlace } from './options.ts'

export function registerLooks(group: Command): void {
  registerGet(group)
  registerTree(group)
  registerDownload(group)
}

interface GetOptions extends PlaceOptions {
  readonly descriptor?: boolean
}

function registerGet(group: Command): void {
  const command = add(group, {
    usage: 'get <reference>',
    summary: 'Show component versions and what they hold',
    description:
      'A reference is REPOSITORY//COMPONENT:VERSION. Without a version all versions are shown, without a component all components of an archive. The repository is a transport archive (folder, tar, tgz), a component archive, or a registry (host/path).',
    examples: [
      'ocm get ./ctf',
      'ocm get ./ctf//example.org/chandler/echo:1.0.0',
      'ocm get registry.example/team//example.org/chandler/echo -o json',
    ],
  }).option('--descriptor', 'the component descriptor itself, as YAML or with -o json as JSON')
  withPlace(command).action(async (reference: string, options: GetOptions) => {
    const { lookAt } = await import('../../authoring/ocm/look.ts')
    const versions = await lookAt(reference, placeOf(options))
    if (options.descriptor) return await printDescriptors(options.output, versions)
    const [only, second] = versions
    if (only !== undefined && second === undefined && options.output === 'table') return printVersion(only)
    await printList(options.output, {
      kind: 'ComponentVersionList',
      items: versions,
      columns: [
        { title: 'COMPONENT', of: (one) => one.component },
        { title: 'VERSION', of: (one) => one.version },
        { title: 'PROVIDER', of: (one) => one.provider },
        { title: 'RESOURCES', of: (one) => String(one.resources.length) },
        { title: 'REFERENCES', of: (one) => String(one.references.length), wide: true },
        { title: 'SIGNATURES', of: (one) => one.signatures.join(', '), wide: true },
      ],
      name: (one) => `${one.component}:${one.version}`,
      empty: 'There are no component versions.',
    })
  })
}

async function printDescriptors(form: Form, versions: readonly ShownVersion[]): Promise<void> {
  const { writeYaml } = await import('../../kit/yaml.ts')
  const documents = versions.map(({ descriptor }) => descriptor)
  if (form === 'json')
    return print(JSON.stringify(documents.length === 1 ? documents[0] : documents, null, 2))
  print(documents.map((one) => writeYaml(one as Json)).join('---\n'))
}

function printVersion(version: ShownVersion): void {
  printFields([
    ['Component', version.component],
    ['Version', version.version],
    ['Provider', version.provider],
    ['Repository', version.repository],
    ['Manifest', version.manifest],
    ['Signatures', version.signatures.join(', ')],
    [
      'References',
      version.references.map((one) => `${one.name} → ${one.component}:${one.version}`).join('\n'),
    ],
  ])
  if (version.resources.length === 0) return
  print('')
  printTable(
    ['RESOURCE', 'VERSION', 'TYPE', 'IDENTITY', 'ACCESS'],
    version.resources.map((one) => [
      one.name,
      one.version,
      one.type,
      Object.entries(one.extraIdentity)
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
      one.access,
    ]),
  )
}

function registerTree(group: Command): void {
  const command = add(group, {
    usage: 'tree <reference>',
    summary: 'Show a component version with all it references',
    examples: [
      'ocm tree ./ctf//example.org/chandler/echo:1.0.0',
      'ocm tree ./ctf//example.org/chandler/echo -o yaml',
    ],
  })
  withPlace(command).action(async (reference: string, options: PlaceOptions) => {
    const { treeOf } = await import('../../authoring/ocm/look.ts')
    const tree = await treeOf(reference, placeOf(options))
    if (options.output === 'json' || options.output === 'yaml')
      return await printDocument(options.output, 'ComponentTree', tree)
    if (options.output === 'name') return print(namesOf(tree).join('\n'))
    print([`${tree.component}:${tree.version}`, ...branchesOf(tree, '')].join('\n'))
  })
}

function namesOf(node: TreeNode): readonly string[] {
  return [...new Set([`${node.component}:${node.version}`, ...node.references.flatMap(namesOf)])]
}

function branchesOf({ resources, references }: TreeNode, indent: string): readonly string[] {
  const last = resources.length + references.length - 1
  const mark = (i: number) => (i === last ? ['└─ ', '   '] : ['├─ ', '│  '])
  return [
    ...resources.map((resource, i) => `${indent}${mark(i)[0]}${resource}`),
    ...references.flatMap((node, i) => {
      const [branch = '', below = ''] = mark(resources.length + i)
      return [
        `${indent}${branch}${node.reference} → ${node.component}:${node.version}`,
        ...branchesOf(node, indent + below),
      ]
    }),
  ]
}

interface DownloadOptions extends PlaceOptions {
  readonly to: string
}

function registerDownload(group: Command): void {
  const command = add(group, {
    usage: 'download <reference> <resource> [identity...]',
    summary: 'Write a resource of a component version to a file, verified',
    description:
      'The resource is named by its name; KEY=VALUE says more where several have that name. An OCI artifact becomes an artifact set (tgz).',
    examples: ['ocm download ./ctf//example.org/chandler/echo:1.0.0 sizes --to sizes.yaml'],
  }).requiredOption('--to <file>', 'where to write it')
  withPlace(command).action(
    async (reference: string, name: string, identity: readonly string[], options: DownloadOptions) => {
      const { download } = await import('../../authoring/ocm/look.ts')
      const to = resolve(options.to)
      const done = await download(
        { reference, pattern: { ...patternOf(identity), name }, to },
        placeOf(options),
      )
      if (options.output === 'json' || options.output === 'yaml')
        return await printDocument(options.output, 'Download', { path: to, ...done })
      if (options.output === 'name') return print(to)
      say(`${plural(done.bytes, 'byte')} of ${done.mediaType} written to ${to}`)
    },
  )
}

/** KEY=VALUE pairs as a pattern. */
function patternOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) return fail('usage.invalid', `${JSON.stringify(pair)} is not KEY=VALUE`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}
