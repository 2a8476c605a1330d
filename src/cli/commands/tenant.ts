/** chandler tenant: what is decided for tenants, and what they have. */
import { type Command, InvalidArgumentError } from 'commander'
import type { ChangedTenant, NewTenant, TenantDetail } from '../../api/access.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import { decisions } from '../../model/tenant-decisions.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { mayGoOn } from '../consent.ts'
import { type Form, printDeed, printList, printOne, withOutput } from '../output.ts'
import { collected } from './user.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'tenant',
    summary: 'Tenants: organisations, spaces, namespaces that instances belong to',
    examples: ['tenant list', 'tenant show acme', 'tenant create acme --instances 20'],
  })
  listing(group)
  showing(group)
  creating(group)
  setting(group)
  removing(group)
  erasing(group)
}

interface Deciding {
  readonly service?: readonly string[]
  readonly instances?: number
  readonly bindings?: number
  readonly queued?: number
  readonly ordersPerMinute?: number
  readonly engine?: string
  readonly network?: 'default' | 'none'
  readonly logs?: 'tenant' | 'operators'
}

function listing(group: Command): void {
  const command = add(group, {
    usage: 'list',
    summary: 'List tenants that have or had something, or that something is decided for',
    examples: ['tenant list', 'tenant list --beginning trial/', 'tenant list -o json'],
  }).option('--beginning <text>', 'whose name begins so')
  withOutput(withConnection(command)).action(async (options: { beginning?: string; output: Form }) => {
    const { beginning, output } = options
    await printList(output, {
      kind: 'TenantList',
      items: await (await connect(command)).tenants(beginning),
      empty: 'Nothing was ordered yet.',
      name: ({ name }) => name,
      columns: [
        { title: 'TENANT', of: ({ name }) => name },
        { title: 'INSTANCES', of: ({ instances, quotas }) => ofQuota(instances, quotas.instances) },
        { title: 'BINDINGS', of: ({ bindings, quotas }) => ofQuota(bindings, quotas.bindings) },
      ],
    })
  })
}

function showing(group: Command): void {
  const command = add(group, {
    usage: 'show <name>',
    summary: 'Show what a tenant has of what it may have, what it sees, and what is decided for it',
    examples: ['tenant show acme', 'tenant show acme -o json'],
  })
  withOutput(withConnection(command)).action(async (name: string, { output }: { output: Form }) => {
    await show(output, await (await connect(command)).tenant(name))
  })
}

function creating(group: Command): void {
  const command = add(group, {
    usage: 'create <name>',
    summary: 'Decide for a tenant what it may see and have, where and how its packages run',
    description:
      'Decides for a tenant, or for all below a name as NAME/*, what it may see and have, where and how its packages run. What is not decided is left to wider names and to the configuration.',
    examples: [
      'tenant create acme --instances 20 --bindings 100',
      'tenant create "trial/*" --service demo --service redis/small --network none',
      'tenant create bank --engine kubernetes/bank --logs operators',
    ],
  })
  withOutput(deciding(withConnection(command))).action(
    async (name: string, { output, ...options }: Deciding & { output: Form }) => {
      await show(output, await (await connect(command)).createTenant({ name, ...decided(options) }))
    },
  )
}

function setting(group: Command): void {
  const command = add(group, {
    usage: 'set <name>',
    summary: 'Change what is decided for a tenant',
    description: 'Changes what is decided for a tenant; what is not named stays.',
    examples: ['tenant set acme --instances 50', 'tenant set acme --unset network --unset logs'],
  }).option('--unset <what>', `no decision any more on ${decisions.join(', ')}`, unsetting)
  withOutput(deciding(withConnection(command))).action(
    async (
      name: string,
      { output, unset = [], ...options }: Deciding & { unset?: readonly string[]; output: Form },
    ) => {
      const nothing = Object.fromEntries(unset.map((one) => [one, null]))
      const change: ChangedTenant = { ...nothing, ...decided(options) }
      if (Object.keys(change).length === 0)
        fail('usage.invalid', 'nothing is to be changed', { hint: 'Name what is to be decided.' })
      await show(output, await (await connect(command)).changeTenant(name, change))
    },
  )
}

function removing(group: Command): void {
  const command = add(group, {
    usage: 'remove <name>',
    summary: 'Take away what is decided for a tenant; what it has stays',
    examples: ['tenant remove acme', 'tenant remove acme --yes'],
  }).option('-y, --yes', 'do not ask')
  withOutput(withConnection(command)).action(
    async (name: string, options: { yes?: boolean; output: Form }) => {
      await mayGoOn(`Take away what is decided for ${name}?`, options)
      await (await connect(command)).removeTenant(name)
      const value = { name, removed: true }
      await printDeed(options.output, { kind: 'TenantChange', value, name, sentences: [`Removed: ${name}`] })
    },
  )
}

function erasing(group: Command): void {
  const command = add(group, {
    usage: 'erase <name>',
    summary: 'Erase for good what is sealed of a tenant that has nothing any more',
    description:
      'Erases the key of a tenant that has neither instances nor operations that go on, and what is sealed with it: orders, jobs and logs of operations that have ended. What is decided for the tenant stays, and so do names, states and times.',
    examples: ['tenant erase acme', 'tenant erase acme --yes'],
  }).option('-y, --yes', 'do not ask')
  withOutput(withConnection(command)).action(
    async (name: string, options: { yes?: boolean; output: Form }) => {
      await mayGoOn(`Erase for good what is sealed of ${name}?`, options)
      await (await connect(command)).eraseTenant(name)
      const value = { name, erased: true }
      await printDeed(options.output, { kind: 'TenantChange', value, name, sentences: [`Erased: ${name}`] })
    },
  )
}

function deciding(command: Command): Command {
  return command
    .option(
      '--service <name>',
      'it sees this service, or plan as SERVICE/PLAN; may be given several times',
      collected,
    )
    .option('--instances <number>', 'how many it may have', whole)
    .option('--bindings <number>', 'how many it may have', whole)
    .option('--queued <number>', 'how many of its operations may wait', whole)
    .option('--orders-per-minute <number>', 'how many orders it may give within a minute', whole)
    .option('--engine <name>', 'the engine that its packages run on, and no other')
    .option('--network <kind>', 'none: its packages get no network; default', oneOf('default', 'none'))
    .option(
      '--logs <who>',
      'who reads logs of its packages: tenant or operators',
      oneOf('tenant', 'operators'),
    )
}

function decided({ service, ...rest }: Deciding): Omit<NewTenant, 'name'> {
  return present({ ...rest, services: service && [...service] })
}

function unsetting(one: string, before?: readonly string[]): readonly string[] {
  return collected(oneOf(...decisions)(one), before)
}

function oneOf<const T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text)
    if (found === undefined) throw new InvalidArgumentError(`write one of ${words.join(', ')}`)
    return found
  }
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('write a whole number')
  return Number(text)
}

async function show(form: Form, tenant: TenantDetail): Promise<void> {
  const { name, instances, bindings, quotas, shared, services, granted, lent, rules } = tenant
  await printOne(form, {
    kind: 'Tenant',
    value: tenant,
    name,
    fields: [
      ['Tenant', name],
      ['Instances', ofQuota(instances, quotas.instances)],
      ['Bindings', ofQuota(bindings, quotas.bindings)],
      ...shared.map((one) => [`Shared by ${one.name}`, sharedBy(one)] as const),
      ['Sees', services.map((one) => `${one.name} (${one.plans.join(', ')})`).join(', ') || 'nothing'],
      ['Granted', granted.map(shareLine).join(', ') || undefined],
      ['Lent', lent.map(shareLine).join(', ') || undefined],
      ...rules.map((rule) => [`Decided for ${rule.name}`, decidedBy(rule)] as const),
    ],
  })
}

function ofQuota(used: number, most: number | undefined): string {
  return most === undefined ? String(used) : `${used}/${most}`
}

function shareLine({ service, plan, to }: TenantDetail['granted'][number]): string {
  return `${service}/${plan} to ${to}`
}

function sharedBy({ instances, bindings }: TenantDetail['shared'][number]): string {
  return [
    ...(instances ? [`${ofQuota(instances.used, instances.most)} instances`] : []),
    ...(bindings ? [`${ofQuota(bindings.used, bindings.most)} bindings`] : []),
  ].join(', ')
}

function decidedBy(rule: TenantDetail['rules'][number]): string {
  const said = decisions.flatMap((what) =>
    rule[what] === undefined ? [] : [`${what} ${[rule[what]].flat().join(' ')}`],
  )
  return `${said.join(', ') || 'nothing'} (${rule.from})`
}
