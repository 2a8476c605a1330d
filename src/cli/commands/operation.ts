/** chandler operation: watch, cancel and repeat operations. */
import type { Command } from 'commander'
import type { Operation, OperationQuery, Run } from '../../api/operation.ts'
import type { Client } from '../../client/client.ts'
import { present } from '../../kit/present.ts'
import { printable, sizeText } from '../../kit/text.ts'
import { ProblemError } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { findInstance, findOperation } from '../find.ts'
import { problemOf, type WaitOptions, waitFor, watch, withWaiting } from '../follow.ts'
import { countOf, type ListChoice, withSearch } from '../list-choice.ts'
import { ago, type Form, printDocument, printList, printOne, withOutput } from '../output.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { print, printBytes } from '../terminal.ts'
import { registerResults } from './instance-actions.ts'

interface Common extends WaitOptions {
  readonly output: Form
}

export function register(program: Command): void {
  const group = add(program, {
    usage: 'operation',
    summary: 'Watch, cancel and repeat operations',
    examples: ['operation list --state active', 'operation logs -f my-db', 'operation cancel 01jxyz…'],
  })
  listing(group)
  showing(group)
  logs(group)
  cancelling(group)
  retrying(group)
  releasing(group)
  registerResults(group)
}

function listing(group: Command): void {
  const command = add(group, {
    usage: 'list',
    summary: 'List operations, latest first',
    examples: [
      'operation list',
      'operation list --state active',
      'operation list --instance my-db --search "disk full"',
    ],
  })
    .option('--instance <instance>', 'of this instance')
    .option('--state <states>', 'in these states, comma separated; `active` and `ended` stand for several')
    .option('--limit <count>', 'at most so many', '50')
  withSearch(remote(command)).action(async (options: ListOptions) => {
    const client = await connect(command)
    const target = options.instance && (await findInstance(client, options.instance, undefined))
    await printList(
      options.output,
      {
        kind: 'OperationList',
        items: await operationsOf(client, { ...(target || {}) }, options),
        empty: 'There are no operations.',
        name: (one) => one.id,
        columns: [
          { title: 'ID', of: (one) => one.id },
          { title: 'ACTION', of: (one) => one.action },
          { title: 'INSTANCE', of: (one) => one.instance },
          { title: 'STATE', of: (one) => one.state },
          { title: 'BINDING', of: (one) => one.binding ?? '-', wide: true },
          { title: 'NODE', of: (one) => one.node ?? '-', wide: true },
          { title: 'CREATED', of: (one) => ago(one.createdAt), by: (one) => one.createdAt },
          { title: 'REASON', of: (one) => one.reason },
        ],
      },
      options,
    )
  })
}

interface ListOptions extends Common, ListChoice {
  readonly instance?: string
  readonly state?: string
  readonly limit: string
}

/** As many as are wanted: all, where they are still to be searched or sorted. */
async function operationsOf(
  client: Client,
  target: OperationQuery,
  { state, limit, search, sort }: ListOptions,
): Promise<readonly Operation[]> {
  const most = search === undefined && sort === undefined ? countOf(limit) : Infinity
  const items: Operation[] = []
  let cursor: string | undefined
  do {
    const page = await client.operations(
      present({ ...target, state, cursor, limit: Math.min(500, most - items.length) }),
    )
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined && items.length < most)
  return items
}

function showing(group: Command): void {
  const command = add(group, {
    usage: 'show <operation>',
    summary: 'Show one operation with its history',
    description: 'Shows one operation with its history. An instance stands for its latest operation.',
    examples: ['operation show 01jxyz…', 'operation show my-db -o json'],
  })
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const id = await findOperation(client, wanted)
    const [operation, history, runs] = await Promise.all([
      client.operation(id),
      client.history(id),
      client.runs(id),
    ])
    if (options.output === 'json' || options.output === 'yaml') {
      await printDocument(options.output, 'Operation', {
        ...operation,
        history: history.items,
        runs: runs.items,
      })
      return
    }
    await showOperation(options.output, operation)
    if (options.output === 'name') return
    print('')
    await printList('table', {
      kind: 'History',
      items: history.items,
      empty: '',
      name: (line) => line.at,
      columns: [
        { title: 'AT', of: (line) => line.at },
        { title: 'STATE', of: (line) => line.state },
        { title: 'NODE', of: (line) => line.node },
        { title: 'REASON', of: (line) => line.reason },
      ],
    })
    if (runs.items.some(({ used }) => used !== undefined)) {
      print('')
      await showUse(runs.items)
    }
  })
}

async function showUse(runs: readonly Run[]): Promise<void> {
  const sized = (bytes: number | undefined) => (bytes === undefined ? '-' : sizeText(bytes))
  await printList('table', {
    kind: 'Run',
    items: runs,
    empty: '',
    name: (run) => run.name,
    columns: [
      { title: 'RUN', of: (run) => `${run.stage}, attempt ${run.attempt}` },
      { title: 'ENGINE', of: (run) => run.engine },
      { title: 'MEMORY', of: ({ used }) => sized(used?.memoryBytes) },
      {
        title: 'PROCESSOR',
        of: ({ used }) =>
          used?.processorMs === undefined ? '-' : `${(used.processorMs / 1000).toFixed(2)} s`,
      },
      { title: 'DISK', of: ({ used }) => sized(used?.diskBytes) },
      { title: 'LOG', of: ({ used }) => sized(used?.logBytes) },
    ],
  })
}

function logs(group: Command): void {
  const command = add(group, {
    usage: 'logs <operation>',
    summary: 'Print the log of an operation',
    description: 'Prints the log of an operation. An instance stands for its latest operation.',
    examples: ['operation logs 01jxyz…', 'operation logs -f my-db'],
  }).option('-f, --follow', 'go on until the operation ends')
  remote(command).action(async (wanted: string, options: Common & { follow?: boolean }) => {
    const client = await connect(command)
    const id = await findOperation(client, wanted)
    if (options.follow) {
      const ended = await followLog(client, id)
      if (ended.state !== 'succeeded') throw new ProblemError(problemOf(ended))
      return
    }
    let after: number | undefined = 0
    while (after !== undefined) {
      const page: Awaited<ReturnType<typeof client.log>> = await client.log(id, after)
      for (const line of page.items) {
        if (options.output === 'json') print(JSON.stringify(line))
        else printBytes(Buffer.from(printable(line.text)))
      }
      after = page.next
    }
  })
}

/** The log on standard output; state changes go where progress goes. */
async function followLog(client: Awaited<ReturnType<typeof connect>>, id: string): Promise<Operation> {
  return watch(
    {
      ...client,
      async *follow(operation, signal) {
        for await (const event of client.follow(operation, signal)) {
          if (event.kind === 'log') printBytes(Buffer.from(printable(event.line.text)))
          else yield event
        }
      },
    },
    id,
    { timeout: '30d' },
  )
}

function cancelling(group: Command): void {
  const command = add(group, {
    usage: 'cancel <operation>',
    summary: 'Ask an operation to stop',
    examples: ['operation cancel 01jxyz…', 'operation cancel my-db', 'operation cancel my-db --force'],
  })
  command.option('--force', 'end it within seconds, on any node; what its run has left is kept')
  remote(command).action(async (wanted: string, options: Common & { readonly force?: true }) => {
    const client = await connect(command)
    const id = await findOperation(client, wanted)
    await showOperation(options.output, await client.cancel(id, options.force === true))
  })
}

function retrying(group: Command): void {
  const command = add(group, {
    usage: 'retry <operation>',
    summary: 'Order again what a failed operation was to do',
    description:
      'Orders again what a failed operation was to do. With parameters, these take the place of those that it had; of an update: of the changes.',
    examples: [
      'operation retry 01jxyz…',
      'operation retry my-db -p size=2',
      'operation retry my-db --no-wait',
    ],
  })
  const configured = remote(withParameters(withWaiting(command)))
  configured.action(async (wanted: string, options: Common & ParameterOptions) => {
    const client = await connect(command)
    const ordered = await client.retry(await findOperation(client, wanted), await parametersOf(options))
    await waitFor(client, ordered, { ...options, quiet: command.optsWithGlobals()['quiet'] === true })
    if (ordered.operation !== undefined) {
      await showOperation(options.output, await client.operation(ordered.operation))
    }
  })
}

function releasing(group: Command): void {
  const command = add(group, {
    usage: 'release <operation>',
    summary: 'Put a quarantined operation back into the queue',
    examples: ['operation release 01jxyz…'],
  })
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    await showOperation(options.output, await client.release(await findOperation(client, wanted)))
  })
}

function remote(command: Command): Command {
  return withOutput(withConnection(command))
}

async function showOperation(form: Form, operation: Operation): Promise<void> {
  await printOne(form, {
    kind: 'Operation',
    value: operation,
    name: operation.id,
    fields: [
      ['Operation', operation.id],
      ['Action', operation.action],
      ['Instance', `${operation.instance} (platform ${operation.platform})`],
      ['Binding', operation.binding],
      ['State', operation.state],
      ['Reason', operation.reason],
      ['Last lines', operation.lastLines?.join('\n')],
      ['Hint', operation.problem?.hint],
      ['Node', operation.node],
      ['Request', operation.requestId],
      ['Created', `${operation.createdAt} (${ago(operation.createdAt)})`],
      ['Started', operation.startedAt],
      ['Finished', operation.finishedAt],
      ['Deadline', operation.finishedAt === undefined ? operation.deadlineAt : undefined],
    ],
  })
}
