/** chandler cnab list, show, logs, outputs and claims. */
import type { Command } from 'commander'
import { shorten } from '../../kit/text.ts'
import type { OutputView } from '../../local/cnab/views.ts'
import { describeProblem, fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { printDocument, printFields, printList } from '../output.ts'
import { printTable } from '../table.ts'
import { print, printBytes, say } from '../terminal.ts'
import { collect, type Local, pairsOf, withLocal, withNamespace } from './options.ts'

interface Named extends Local {
  readonly namespace: string
}

export function registerRecords(group: Command): void {
  registerList(group)
  registerShow(group)
  registerRunList(group)
  registerLogs(group)
  registerOutputs(group)
  registerClaims(group)
}

function nameIn(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

interface ListOptions extends Named {
  readonly allNamespaces?: boolean
  readonly label?: readonly string[]
}

function registerList(group: Command): void {
  const command = add(group, {
    usage: 'list',
    summary: 'List installations',
    examples: ['cnab list', 'cnab list --all-namespaces --label team=red -o json'],
  })
    .option('--all-namespaces', 'of all namespaces')
    .option('-l, --label <name=value>', 'only those with this label (repeatable)', collect)
  withNamespace(withLocal(command)).action(
    async ({ dataDir, output, namespace, allNamespaces, label }: ListOptions) => {
      const { inCnabContext } = await import('../../local/cnab/tools.ts')
      const { installationNames, viewInstallation } = await import('../../local/cnab/views.ts')
      const wanted = Object.entries(pairsOf('--label', label))
      const items = await inCnabContext(dataDir, 'none', async (room) =>
        Promise.all((await installationNames(room)).map((name) => viewInstallation(room, name))),
      )
      const isThere = (name: string): boolean =>
        allNamespaces === true || (namespace === '' ? !name.includes('/') : name.startsWith(`${namespace}/`))
      const shown = items.filter(
        ({ name, labels }) => isThere(name) && wanted.every(([key, text]) => labels[key] === text),
      )
      await printList(output, {
        kind: 'CnabInstallationList',
        items: shown.map(({ parameters: _, ...rest }) => rest),
        columns: [
          { title: 'NAME', of: ({ name }) => name },
          { title: 'VERSION', of: ({ version }) => version },
          { title: 'STATE', of: ({ state }) => state },
          { title: 'STATUS', of: ({ status }) => status },
          { title: 'MODIFIED', of: ({ modified }) => modified },
          { title: 'REFERENCE', of: ({ reference }) => reference, wide: true },
        ],
        name: ({ name }) => name,
        empty: 'Nothing is installed. See chandler cnab install --help.',
      })
    },
  )
}

function registerShow(group: Command): void {
  const command = add(group, {
    usage: 'show <name>',
    summary: 'Show an installation and its runs',
    description: 'Values that the bundle marks as secret are shown as stars, with -o json, too.',
    examples: ['cnab show hello', 'cnab show hello -o json'],
  })
  withNamespace(withLocal(command)).action(async (name: string, { dataDir, output, namespace }: Named) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { viewInstallation, viewRuns } = await import('../../local/cnab/views.ts')
    const { view, runs } = await inCnabContext(dataDir, 'none', async (room) => ({
      view: await viewInstallation(room, nameIn(namespace, name)),
      runs: await viewRuns(room, nameIn(namespace, name)),
    }))
    const parameters = view.parameters.map((one) => (one.sensitive ? { ...one, value: mask } : one))
    if (output === 'json' || output === 'yaml')
      return await printDocument(output, 'CnabInstallation', { ...view, parameters, runs })
    if (output === 'name') return print(view.name)
    printFields([
      ['Name', view.name],
      ['Bundle', `${view.bundle} ${view.version}`],
      ['Reference', view.reference],
      ['State', view.state],
      ['Status', `${view.status} (${view.action})`],
      ['Created', view.created],
      ['Modified', view.modified],
      ['Installed', view.installed],
      ['Uninstalled', view.uninstalled],
      ['Parameter sets', view.parameterSets.join(', ')],
      ['Credential sets', view.credentialSets.join(', ')],
      [
        'Labels',
        Object.entries(view.labels)
          .map((pair) => pair.join('='))
          .join(', '),
      ],
    ])
    if (parameters.length > 0) {
      print('\nParameters')
      printTable(
        ['NAME', 'TYPE', 'VALUE'],
        parameters.map((one) => [one.name, one.type, shorten(textOf(one.value), 60)]),
      )
    }
    print('\nRuns')
    printTable(
      ['RUN', 'ACTION', 'STATUS', 'STARTED', 'STOPPED', 'MESSAGE'],
      runs.map((run) => [
        run.id,
        run.action,
        run.status,
        run.started,
        run.stopped ?? '',
        shorten(run.message ?? '', 60),
      ]),
    )
  })
}

function registerRunList(group: Command): void {
  const runs = add(group, {
    usage: 'runs',
    summary: 'Look at the runs of installations',
    examples: ['cnab runs list hello'],
  })
  const command = add(runs, {
    usage: 'list <name>',
    summary: 'List the runs of an installation, the newest first',
    examples: ['cnab runs list hello', 'cnab runs list hello -o json'],
  })
  withNamespace(withLocal(command)).action(async (name: string, { dataDir, output, namespace }: Named) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { viewRuns } = await import('../../local/cnab/views.ts')
    const items = await inCnabContext(dataDir, 'none', (room) => viewRuns(room, nameIn(namespace, name)))
    await printList(output, {
      kind: 'CnabRunList',
      items,
      columns: [
        { title: 'RUN', of: ({ id }) => id },
        { title: 'ACTION', of: ({ action }) => action },
        { title: 'STATUS', of: ({ status }) => status },
        { title: 'STARTED', of: ({ started }) => started },
        { title: 'STOPPED', of: ({ stopped }) => stopped ?? '' },
        { title: 'MESSAGE', of: ({ message }) => shorten(message ?? '', 60), wide: true },
      ],
      name: ({ id }) => id,
      empty: 'Nothing has run.',
    })
  })
}

const mask = '******'

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function registerLogs(group: Command): void {
  const command = add(group, {
    usage: 'logs <name>',
    summary: 'Print the log of the last run, or of another one',
    examples: ['cnab logs hello', 'cnab logs hello --run 01JH2HP97B5B0N5S37KYMVG000'],
  }).option('-r, --run <id>', 'of this run')
  withNamespace(withLocal(command)).action(
    async (name: string, { dataDir, output, namespace, run }: Named & { readonly run?: string }) => {
      const { inCnabContext } = await import('../../local/cnab/tools.ts')
      const { logOf } = await import('../../local/cnab/views.ts')
      const log = await inCnabContext(dataDir, 'none', (room) => logOf(room, nameIn(namespace, name), run))
      if (output === 'json' || output === 'yaml')
        return await printDocument(output, 'CnabLog', { log: Buffer.from(log).toString() })
      printBytes(log)
    },
  )
}

interface OutputOptions extends Named {
  readonly to?: string
}

function registerOutputs(group: Command): void {
  const command = add(group, {
    usage: 'outputs <name> [output]',
    summary: 'List the outputs of an installation, or print one',
    description:
      'Of each output the newest value counts, whichever run wrote it. One that is asked for by name is printed byte for byte, also when it is secret.',
    examples: [
      'cnab outputs hello',
      'cnab outputs hello kubeconfig > kubeconfig',
      'cnab outputs hello -o json',
    ],
  })
  withNamespace(withLocal(command)).action(
    async (name: string, output: string | undefined, options: OutputOptions) => {
      const { dataDir, namespace, output: form } = options
      const { inCnabContext } = await import('../../local/cnab/tools.ts')
      const { viewOutputs } = await import('../../local/cnab/views.ts')
      const all = await inCnabContext(dataDir, 'none', (room) => viewOutputs(room, nameIn(namespace, name)))
      if (output !== undefined && form === 'table') {
        const found = all.find((one) => one.name === output)
        return printBytes(found?.bytes ?? lacks(name, output))
      }
      const wanted = output === undefined ? all : all.filter((one) => one.name === output)
      if (output !== undefined && wanted.length === 0) lacks(name, output)
      await printList(form, {
        kind: 'CnabOutputList',
        items: wanted.map((one) => shownOutput(one, output !== undefined)),
        columns: [
          { title: 'NAME', of: (one) => one.name },
          { title: 'TYPE', of: (one) => one.type },
          { title: 'BYTES', of: (one) => String(one.bytes) },
          { title: 'VALUE', of: (one) => shorten(one.value ?? '', 60) },
        ],
        name: (one) => one.name,
        empty: 'There are no outputs.',
      })
    },
  )
}

interface ShownOutput {
  readonly name: string
  readonly type: string
  readonly sensitive: boolean
  readonly bytes: number
  readonly value?: string
  readonly base64?: string
}

function shownOutput({ name, type, sensitive, bytes }: OutputView, byName: boolean): ShownOutput {
  const plain = { name, type, sensitive, bytes: bytes.length }
  if (sensitive && !byName) return { ...plain, value: mask }
  const text = Buffer.from(bytes).toString()
  return Buffer.from(text).equals(bytes)
    ? { ...plain, value: text }
    : { ...plain, base64: Buffer.from(bytes).toString('base64') }
}

function registerClaims(group: Command): void {
  const claims = add(group, {
    usage: 'claims',
    summary: 'Exchange records of runs with other tools',
    description:
      'Stores of other tools are folders of claims, results and outputs, as the specification of claims has them.',
    examples: ['cnab claims import ~/.porter', 'cnab claims export ./store hello'],
  })
  const importing = add(claims, {
    usage: 'import <folder>',
    summary: 'Take over the records of a store',
    description: 'Records that are here already stay as they are.',
    examples: ['cnab claims import ~/.porter'],
  })
  withLocal(importing).action(async (folder: string, { dataDir, output }: Local) => {
    const { inCnabContext } = await import('../../local/cnab/tools.ts')
    const { importClaims } = await import('../../local/cnab/exchange.ts')
    const { moved, warnings } = await inCnabContext(dataDir, 'none', (room) => importClaims(room, folder))
    for (const warning of warnings) say(`warning: ${describeProblem(warning)}`)
    await printExchanged(output, moved)
  })
  const exporting = add(claims, {
    usage: 'export <folder> [names...]',
    summary: 'Write records as other tools read them',
    description: 'Values that are secret stand in them in clear: the files are readable for you only.',
    examples: ['cnab claims export ./store', 'cnab claims export ./store hello'],
  })
  withLocal(exporting).action(
    async (folder: string, names: readonly string[], { dataDir, output }: Local) => {
      const { inCnabContext } = await import('../../local/cnab/tools.ts')
      const { exportClaims } = await import('../../local/cnab/exchange.ts')
      const done = await inCnabContext(dataDir, 'none', (room) => exportClaims(room, folder, names))
      say('warning: secret values stand in the files in clear')
      await printExchanged(output, done)
    },
  )
}

async function printExchanged(
  form: Local['output'],
  items: readonly { readonly installation: string; readonly runs: number }[],
): Promise<void> {
  await printList(form, {
    kind: 'CnabClaimsMoved',
    items,
    columns: [
      { title: 'INSTALLATION', of: ({ installation }) => installation },
      { title: 'RUNS', of: ({ runs }) => String(runs) },
    ],
    name: ({ installation }) => installation,
    empty: 'There was nothing to move.',
  })
}

function lacks(name: string, output: string): never {
  return fail('cnab.output.unknown', `${name} has no output ${output}`)
}
