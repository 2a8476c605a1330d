/** chandler instance check, export-state and import-state, and the dry run of an update: what some packages can say. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Invocation, Output } from '../../api/instance.ts'
import type { Client, InstanceAddress } from '../../client/client.ts'
import { isObject } from '../../kit/json.ts'
import { printable } from '../../kit/text.ts'
import { planFile } from '../../model/preview.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { mayGoOn } from '../consent.ts'
import { findInstance } from '../find.ts'
import { type WaitOptions, waitFor, withWaiting } from '../follow.ts'
import { type Form, printDocument, withOutput } from '../output.ts'
import { printTable } from '../table.ts'
import { print, printBytes } from '../terminal.ts'

interface Common extends WaitOptions {
  readonly output: Form
  readonly platform?: string
  readonly yes?: boolean
}

/** What would happen, or has happened, to a resource. */
interface Change {
  readonly address: string
  readonly action: string
  readonly attributes: readonly string[]
  readonly forces: readonly string[]
}

interface Look {
  readonly differs: boolean
  readonly changes: readonly Change[]
}

/** Adds the commands to `instance`. */
export function registerLooks(group: Command): void {
  checking(group)
  exporting(group)
  importing(group)
}

/** Says what an update would do, and does not do it. Problems: action.unknown where the package cannot tell. */
export async function previewUpdate(
  client: Client,
  address: InstanceAddress,
  wish: Invocation,
  options: Common,
): Promise<void> {
  const operation = await ended(client, address, wish, options)
  const { items } = await client.results(operation)
  if (items.some(({ name }) => name === planFile))
    await showLook(client, operation, options.output, 'UpdatePreview')
  else await showWords(client, operation, items, options.output)
}

/** What the package printed and wrote, where it knows no plan. */
async function showWords(
  client: Client,
  operation: string,
  answers: readonly Output[],
  form: Form,
): Promise<void> {
  const open = answers.filter(({ secret }) => !secret)
  const texts = await Promise.all(
    open.map(async ({ name }) => [name, textIn(await client.result(operation, name))] as const),
  )
  const { description = '' } = await client.operation(operation)
  if (form === 'json' || form === 'yaml')
    return printDocument(form, 'UpdatePreview', {
      operation,
      summary: description,
      answers: Object.fromEntries(texts),
    })
  for (const [name, text] of texts) print(form === 'name' ? name : printable(text))
  if (form !== 'name') print(`\nIn full:  chandler operation outputs ${operation}`)
}

function textIn(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().trimEnd()
}

function checking(group: Command): void {
  const command = add(group, {
    usage: 'check <instance>',
    summary: 'Compare what there is with what was made',
    description:
      'Asks the package of an instance whether what it made is still as it made it, and changes nothing. Ends with 5 where it is not.',
    examples: ['instance check my-db', 'instance check my-db -o json'],
  })
  remote(command)
    .option('--timeout <duration>', 'how long to wait, such as 90s or 30m', '30m')
    .action(async (wanted: string, options: Common) => {
      const client = await connect(command)
      const address = await findInstance(client, wanted, options.platform)
      const quiet = command.optsWithGlobals()['quiet'] === true
      const operation = await ended(client, address, { action: 'check' }, { ...options, quiet })
      const { differs } = await showLook(client, operation, options.output, 'DriftCheck')
      if (differs) fail('instance.drifted', wanted)
    })
}

function exporting(group: Command): void {
  const command = add(group, {
    usage: 'export-state <instance>',
    summary: 'Print the state that the package keeps of an instance',
    description:
      'Prints the state as the program of the package wrote it, secrets included. The audit trail records it.',
    examples: ['instance export-state my-db > my-db.tfstate'],
  })
  withConnection(command)
    .option('--platform <name>', 'of this platform account')
    .action(async (wanted: string, options: Common) => {
      const client = await connect(command)
      const address = await findInstance(client, wanted, options.platform)
      const operation = await ended(client, address, { action: 'export-state' }, { ...options, quiet: true })
      const { items } = await client.results(operation)
      const [state = fail('action.unknown', 'export-state')] = items
      printBytes(await client.result(operation, state.name))
    })
}

function importing(group: Command): void {
  const command = add(group, {
    usage: 'import-state <instance> <file>',
    summary: 'Put a state in the place of the one that the package keeps of an instance',
    description:
      'For instances that move over from another broker, ordered here with the parameter vacant=true, and for states that were mended by hand. What the replaced state knew of is not removed.',
    examples: ['instance import-state my-db my-db.tfstate --yes'],
  })
  remote(withWaiting(command))
    .option('-y, --yes', 'do not ask')
    .action(async (wanted: string, file: string, options: Common) => {
      const client = await connect(command)
      const address = await findInstance(client, wanted, options.platform)
      const state = textOf(file)
      await mayGoOn(`Replace the state of ${wanted} (${address.instance})?`, options)
      const quiet = command.optsWithGlobals()['quiet'] === true
      const order = { action: 'import-state', parameters: { state } }
      const operation = await ended(client, address, order, { ...options, quiet })
      const { description = '' } = await client.operation(operation)
      if (options.output === 'json' || options.output === 'yaml')
        return printDocument(options.output, 'StateImport', { ...address, operation, description })
      print(options.output === 'name' ? address.instance : description)
    })
}

/** Invokes and waits; answers the operation. */
async function ended(
  client: Client,
  address: InstanceAddress,
  wish: Invocation,
  options: WaitOptions,
): Promise<string> {
  const ordered = await client.invoke(address, wish)
  // What is asked for is the answer: there is nothing to go on without.
  await waitFor(client, ordered, { ...options, wait: true })
  return ordered.operation ?? fail('operation.unknown')
}

async function showLook(client: Client, operation: string, form: Form, kind: string): Promise<Look> {
  const look = readLook(await client.result(operation, planFile))
  const { description = '' } = await client.operation(operation)
  if (form === 'json' || form === 'yaml') {
    await printDocument(form, kind, { operation, summary: description, ...look })
    return look
  }
  if (form === 'name') {
    for (const { address } of look.changes) print(address)
    return look
  }
  print(printable(description))
  if (look.changes.length === 0) return look
  print('')
  printTable(
    ['ACTION', 'RESOURCE', 'WHAT'],
    look.changes.map(({ address, action, attributes, forces }) => [
      action,
      address,
      whatOf(attributes, forces),
    ]),
  )
  print(`\nIn full:  chandler operation outputs ${operation}`)
  return look
}

function whatOf(attributes: readonly string[], forces: readonly string[]): string {
  return attributes.map((name) => (forces.includes(name) ? `${name} (forces a new one)` : name)).join(', ')
}

function readLook(bytes: Uint8Array): Look {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString())
  const changes = isObject(value) && Array.isArray(value['changes']) ? value['changes'] : []
  return {
    differs: isObject(value) && value['differs'] === true,
    changes: changes.filter(isObject).map((change) => ({
      address: String(change['address']),
      action: String(change['action']),
      attributes: textsOf(change['attributes']),
      forces: textsOf(change['forces']),
    })),
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    return fail('file.unreadable', file)
  }
}

function remote(command: Command): Command {
  return withOutput(withConnection(command)).option('--platform <name>', 'of this platform account')
}
