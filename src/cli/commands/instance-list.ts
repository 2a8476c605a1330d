/** chandler instance list: filtered by the broker, searched and sorted here. */
import type { Command } from 'commander'
import type { Instance, InstanceQuery } from '../../api/instance.ts'
import type { Client } from '../../client/client.ts'
import { present } from '../../kit/present.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { countOf, type ListChoice, withChoice } from '../list-choice.ts'
import { ago, type Form, printList, withOutput } from '../output.ts'

/** Adds the command to `instance`. */
export function registerList(parent: Command): void {
  const command = add(parent, {
    usage: 'list',
    summary: 'List instances',
    examples: [
      'instance list',
      'instance list --service alpha-db --state failed',
      'instance list --search shop --sort=-created --limit 10',
      'instance list -o name',
    ],
  })
    .option('--service <name>', 'of this service')
    .option('--plan <name>', 'of this plan')
    .option('--state <state>', 'in this state')
    .option('--beginning <text>', 'whose id or name begins so')
    .option('--latest', 'the latest change first')
    .option('--all', 'also those that are gone')
    .option('--platform <name>', 'of this platform account')
    .option('--tenant <name>', 'of this tenant, or of all below a name as NAME/*')
  withChoice(withOutput(withConnection(command))).action(async (options: ListOptions) => {
    const client = await connect(command)
    const items = await instancesOf(client, options)
    const names = Map.groupBy(items, (one) => one.name)
    await printList(
      options.output,
      {
        kind: 'InstanceList',
        items,
        empty: 'There are no instances. Order one: chandler instance provision SERVICE PLAN NAME',
        // A name that two platforms have would say which one to no command.
        name: (one) => (one.name === undefined || names.get(one.name)?.length !== 1 ? one.id : one.name),
        columns: [
          { title: 'NAME', of: (one) => one.name ?? '-' },
          { title: 'ID', of: (one) => one.id },
          { title: 'SERVICE', of: (one) => one.service.name ?? one.service.id },
          { title: 'PLAN', of: (one) => one.plan.name ?? one.plan.id },
          { title: 'STATE', of: (one) => one.state },
          { title: 'PLATFORM', of: (one) => one.platform },
          { title: 'OPERATION', of: (one) => one.operation ?? '-', wide: true },
          { title: 'PACKAGE', of: (one) => one.package.digest, wide: true },
          { title: 'CREATED', of: (one) => ago(one.createdAt), by: (one) => one.createdAt },
        ],
      },
      options,
    )
  })
}

interface ListOptions extends ListChoice, Omit<InstanceQuery, 'limit'> {
  readonly output: Form
  readonly all?: boolean
  readonly latest?: boolean
}

/** As many as are wanted: all, where they are still to be searched or sorted. */
async function instancesOf(client: Client, options: ListOptions): Promise<readonly Instance[]> {
  const { service, plan, state, platform, tenant, all, beginning, latest, limit, search, sort } = options
  const most = limit === undefined || search !== undefined || sort !== undefined ? Infinity : countOf(limit)
  const items: Instance[] = []
  let cursor: string | undefined
  do {
    const page = await client.instances(
      present({
        ...{ service, plan, state, beginning, platform, tenant, cursor },
        limit: Math.min(500, most - items.length),
        order: latest ? ('latest' as const) : undefined,
        present: all || state === 'gone' ? undefined : true,
      }),
    )
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined && items.length < most)
  return items
}
