/** chandler instance actions/invoke: what a package can do beyond the life cycle. */
import type { Command } from 'commander'
import type { Output } from '../../api/instance.ts'
import type { Operation } from '../../api/operation.ts'
import type { Client } from '../../client/client.ts'
import { present } from '../../kit/present.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { findInstance, findOperation } from '../find.ts'
import { type WaitOptions, waitFor, withWaiting } from '../follow.ts'
import { type Form, printList, printOne, withOutput } from '../output.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { print, printBytes, say } from '../terminal.ts'

interface Common extends WaitOptions, ParameterOptions {
  readonly output: Form
  readonly platform?: string
}

/** Adds the commands to `instance`. */
export function registerActions(group: Command): void {
  listing(group)
  invoking(group)
}

function listing(group: Command): void {
  const command = add(group, {
    usage: 'actions <instance>',
    summary: 'List what the package of an instance can do beyond the life cycle',
    examples: ['instance actions my-db', 'instance actions my-db -o json'],
  })
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const { items } = await client.actions(await findInstance(client, wanted, options.platform))
    await printList(options.output, {
      kind: 'ActionList',
      items,
      empty: 'The package has no actions of its own.',
      name: (one) => one.name,
      columns: [
        { title: 'NAME', of: (one) => one.name },
        { title: 'CHANGES', of: (one) => (one.modifies ? 'yes' : 'no') },
        { title: 'DESCRIPTION', of: (one) => one.description ?? one.title },
      ],
    })
  })
}

function invoking(group: Command): void {
  const command = add(group, {
    usage: 'invoke <instance> <action>',
    summary: 'Run an action of the package on an instance',
    description:
      'Runs an action of the package on an instance, waits for its end and prints what it answered. Nothing else happens to the instance meanwhile.',
    examples: ['instance invoke my-db backup', 'instance invoke my-db echo -p label=blue -o json'],
  })
  remote(withWaiting(withParameters(command))).action(
    async (wanted: string, action: string, options: Common) => {
      const client = await connect(command)
      const parameters = await parametersOf(options)
      const ordered = await client.invoke(await findInstance(client, wanted, options.platform), {
        action,
        ...present({ parameters }),
      })
      const quiet = command.optsWithGlobals()['quiet'] === true
      await waitFor(client, ordered, { ...options, quiet })
      const { operation = '' } = ordered
      if (options.wait === false) say(`Follow it: chandler operation logs -f ${operation}`)
      await printAnswer(client, options.output, await client.operation(operation))
    },
  )
}

/** The end of an action with what it answered: text is printed, the rest is listed. */
export async function printAnswer(client: Client, form: Form, operation: Operation): Promise<void> {
  const { items } = await client.results(operation.id)
  await printOne(form, {
    kind: 'ActionAnswer',
    value: { ...operation, outputs: items },
    name: operation.id,
    fields: [
      ['Operation', operation.id],
      ['Action', operation.action],
      ['State', operation.state],
      ['Answer', operation.description],
      ['Outputs', items.map(({ name }) => name).join(', ')],
    ],
  })
  if (form !== 'table') return
  for (const { name } of items.filter(isText)) {
    print('')
    printBytes(await client.result(operation.id, name))
  }
}

function isText({ mediaType, state }: Output): boolean {
  return state === 'present' && mediaType !== undefined && /^text\/|json$/.test(mediaType)
}

/** Adds `operation outputs`. */
export function registerResults(group: Command): void {
  const command = add(group, {
    usage: 'outputs <operation> [output]',
    summary: 'List what an action answered, or print one of its answers',
    description:
      'Lists what an action answered, or prints one of its answers. They are kept until the action runs again on the instance.',
    examples: ['operation outputs 01jxyz…', 'operation outputs my-db report.txt > report.txt'],
  })
  withOutput(withConnection(command)).action(
    async (wanted: string, output: string | undefined, options: Common) => {
      const client = await connect(command)
      const id = await findOperation(client, wanted)
      if (output !== undefined) return printBytes(await client.result(id, output))
      const { items } = await client.results(id)
      await printList(options.output, {
        kind: 'OutputList',
        items,
        empty: 'The operation left no answers.',
        name: (one) => one.name,
        columns: [
          { title: 'NAME', of: (one) => one.name },
          { title: 'BYTES', of: (one) => String(one.bytes) },
          { title: 'TYPE', of: (one) => one.mediaType },
          { title: 'SECRET', of: (one) => (one.secret ? 'yes' : 'no') },
        ],
      })
    },
  )
}

function remote(command: Command): Command {
  return withOutput(withConnection(command)).option('--platform <name>', 'of this platform account')
}
