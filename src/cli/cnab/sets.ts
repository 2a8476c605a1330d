/** chandler cnab credentials and parameters: sets of values, and where they come from. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { writeYaml } from '../../kit/yaml.ts'
import type { SetKind } from '../../local/cnab/sets.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { printDocument, printFields, printList, printOne } from '../output.ts'
import { printTable } from '../table.ts'
import { askSecret, isTerminal, print, readStdin, say } from '../terminal.ts'
import { type Local, withLocal, withNamespace } from './options.ts'

interface Named extends Local {
  readonly namespace: string
}

const words = { credentials: 'credential set', parameters: 'parameter set' } as const

export function registerSets(group: Command): void {
  for (const kind of ['credentials', 'parameters'] as const) {
    const sets = add(group, {
      usage: kind,
      summary: `Keep ${words[kind]}s on this machine`,
      description: `A ${words[kind]} names values and says where each is: a value itself, an environment variable (env), a file (path), what a program prints (command), or a secret of this machine (secret). Sets are kept sealed, and looked up at the last moment.`,
      examples: [
        `cnab ${kind} apply staging.yml`,
        `cnab ${kind} list`,
        `cnab install hello ./hello-1.0.0.tgz ${kind === 'credentials' ? '-c' : '--parameter-set'} staging`,
      ],
    })
    registerGenerate(sets, kind)
    registerApply(sets, kind)
    registerList(sets, kind)
    registerShow(sets, kind)
    registerDelete(sets, kind)
    if (kind === 'credentials') registerSecret(sets)
  }
}

interface GenerateOptions extends Named {
  readonly reference: string
}

function registerGenerate(sets: Command, kind: SetKind): void {
  const command = add(sets, {
    usage: 'generate <name>',
    summary: `Print a ${words[kind]} to start with: what a bundle asks for, each from an environment variable`,
    description: `Nothing is kept: say in the document where each value is, and keep it with "apply".`,
    examples: [`cnab ${kind} generate staging --reference ./hello-1.0.0.tgz > staging.yml`],
  }).requiredOption('-r, --reference <reference>', 'the bundle')
  withNamespace(withLocal(command)).action(async (name: string, options: GenerateOptions) => {
    const { explain } = await import('../../authoring/cnab/look.ts')
    const { startingSet } = await import('../../local/cnab/sets.ts')
    const { dataDir, reference, namespace, output } = options
    const bundle = await explain({ reference, dataDir })
    const document = startingSet(kind, { name, namespace, bundle })
    print(output === 'json' ? JSON.stringify(document, null, 2) : writeYaml(document).trimEnd())
  })
}

function registerApply(sets: Command, kind: SetKind): void {
  const command = add(sets, {
    usage: 'apply <file>',
    summary: `Keep a ${words[kind]}, or replace it`,
    examples: [`cnab ${kind} apply staging.yml`],
  })
  withLocal(command).action(async (file: string, { dataDir, output }: Local) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { applySet, keyOf } = await import('../../local/cnab/sets.ts')
    const set = await inCnabContext(dataDir, 'none', (room) => Promise.resolve(applySet(room, kind, file)))
    const name = keyOf(set.namespace, set.name)
    await printOne(output, {
      kind: 'CnabSet',
      name,
      value: { name: set.name, namespace: set.namespace, entries: set.entries.map((one) => one.name) },
      fields: [
        ['Name', name],
        ['Values', set.entries.map((one) => one.name).join(', ')],
      ],
    })
  })
}

function registerList(sets: Command, kind: SetKind): void {
  const command = add(sets, {
    usage: 'list',
    summary: `List ${words[kind]}s`,
    examples: [`cnab ${kind} list`, `cnab ${kind} list -o name`],
  })
  withLocal(command).action(async ({ dataDir, output }: Local) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { storedSetsOf, readSet } = await import('../../local/cnab/sets.ts')
    const items = await inCnabContext(dataDir, 'none', (room) => {
      const documents = storedSetsOf(room, kind)
      return Promise.resolve(
        documents.names().flatMap((key) => {
          const kept = documents.find(key)
          if (kept === undefined) return []
          const { name, namespace, entries } = readSet(kept.document, kind, key)
          return [{ name, namespace, modified: kept.modified, values: entries.map((one) => one.name) }]
        }),
      )
    })
    await printList(output, {
      kind: 'CnabSetList',
      items,
      columns: [
        { title: 'NAMESPACE', of: ({ namespace }) => namespace },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'MODIFIED', of: ({ modified }) => modified },
        { title: 'VALUES', of: ({ values }) => values.join(', ') },
      ],
      name: ({ name }) => name,
      empty: `There are no ${words[kind]}s. See chandler cnab ${kind} apply --help.`,
    })
  })
}

function registerShow(sets: Command, kind: SetKind): void {
  const command = add(sets, {
    usage: 'show <name>',
    summary: `Show a ${words[kind]}: where its values are, never the values of credentials`,
    examples: [`cnab ${kind} show staging`],
  })
  withNamespace(withLocal(command)).action(async (name: string, { dataDir, output, namespace }: Named) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { findSet } = await import('../../local/cnab/sets.ts')
    const set = await inCnabContext(dataDir, 'none', (room) =>
      Promise.resolve(findSet(room, kind, { name, namespace })),
    )
    const entries = set.entries.map(({ name: entry, source }) => ({
      name: entry,
      source: source?.kind ?? '',
      from: shownSource(kind, source),
    }))
    if (output === 'json' || output === 'yaml')
      return await printDocument(output, 'CnabSet', {
        name: set.name,
        namespace: set.namespace,
        labels: set.labels,
        entries,
      })
    if (output === 'name') return print(set.name)
    printFields([
      ['Name', set.name],
      ['Namespace', set.namespace],
      [
        'Labels',
        Object.entries(set.labels)
          .map((pair) => pair.join('='))
          .join(', '),
      ],
    ])
    printTable(
      ['NAME', 'SOURCE', 'FROM'],
      entries.map((one) => [one.name, one.source, one.from]),
    )
  })
}

function shownSource(
  kind: SetKind,
  source: { readonly kind: string; readonly value: unknown } | undefined,
): string {
  if (source === undefined) return ''
  if (source.kind === 'value' && kind === 'credentials') return '******'
  return typeof source.value === 'string' ? source.value : JSON.stringify(source.value)
}

function registerDelete(sets: Command, kind: SetKind): void {
  const command = add(sets, {
    usage: 'delete <name>',
    summary: `Forget a ${words[kind]}`,
    examples: [`cnab ${kind} delete staging`],
  })
  withNamespace(withLocal(command)).action(async (name: string, { dataDir, namespace }: Named) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { keyOf, storedSetsOf } = await import('../../local/cnab/sets.ts')
    const was = await inCnabContext(dataDir, 'none', (room) =>
      Promise.resolve(storedSetsOf(room, kind).remove(keyOf(namespace, name))),
    )
    if (!was) fail('cnab.set.unknown', `${words[kind]} ${name}`)
    say(`deleted ${name}`)
  })
}

interface SecretOptions extends Local {
  readonly file?: string
  readonly delete?: boolean
}

function registerSecret(sets: Command): void {
  const command = add(sets, {
    usage: 'secret <name>',
    summary: 'Keep a secret of this machine, for sources named "secret"',
    description: 'It is asked for, or read from standard input or a file, and kept sealed.',
    examples: [
      'cnab credentials secret kubeconfig --file ~/.kube/config',
      'cnab credentials secret password < password.txt',
      'cnab credentials secret password --delete',
    ],
  })
    .option('--file <path>', 'read it from a file')
    .option('--delete', 'forget it')
  withLocal(command).action(async (name: string, { dataDir, file, delete: remove }: SecretOptions) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const value = remove ? undefined : await secretText(name, file)
    await inCnabContext(dataDir, 'none', (room) => {
      if (value !== undefined) room.secrets.keep(name, value)
      else if (!room.secrets.remove(name)) fail('cnab.set.unknown', `secret ${name}`)
      return Promise.resolve()
    })
    say(value === undefined ? `deleted ${name}` : `kept ${name}`)
  })
}

async function secretText(name: string, file: string | undefined): Promise<string> {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8')
    } catch (cause) {
      return fail('file.unreadable', file, { cause })
    }
  }
  return isTerminal('stdin') ? await askSecret(`${name}: `) : await readStdin()
}
