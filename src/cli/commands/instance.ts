/** chandler instance: order, look at, change and delete instances. */
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { InstanceDetail, Ordered } from '../../api/instance.ts'
import type { Client } from '../../client/client.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { previewAmong, previewParameters } from '../../model/preview.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { mayGoOn } from '../consent.ts'
import { findInstance } from '../find.ts'
import { type WaitOptions, waitFor, withWaiting } from '../follow.ts'
import { ago, type Form, printList, printOne, withOutput } from '../output.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { print, printBytes, say } from '../terminal.ts'
import { showDryRun } from '../trial.ts'
import { registerActions } from './instance-actions.ts'
import { registerList } from './instance-list.ts'
import { previewUpdate, registerLooks } from './instance-looks.ts'

interface Common extends WaitOptions, ParameterOptions {
  readonly output: Form
  readonly platform?: string
  readonly yes?: boolean
}

export function register(program: Command): void {
  const group = add(program, {
    usage: 'instance',
    summary: 'Order, change and delete instances',
    examples: [
      'instance list',
      'instance provision alpha-db small my-db',
      'instance deprovision my-db --yes',
    ],
  })
  provisioning(group)
  registerList(group)
  showing(group)
  updating(group)
  deprovisioning(group)
  waiting(group)
  outputs(group)
  renaming(group)
  repinning(group)
  purging(group)
  registerActions(group)
  registerLooks(group)
}

function provisioning(parent: Command): void {
  const command = add(parent, {
    usage: 'provision <service> [plan] [name]',
    summary: 'Order an instance',
    description:
      'Orders an instance and waits until it is ready. The plan may be left out when there is only one.',
    examples: [
      'instance provision alpha-db small my-db',
      'instance provision alpha-db small my-db -p size=3 -p label=blue',
      'instance provision alpha-db small -p size=3 --dry-run',
      'instance provision alpha-db slow my-db --parameters params.yml --no-wait -o json',
    ],
  })
    .option('--id <id>', 'id of the instance, instead of a random one')
    .option('--idempotency-key <key>', 'the same key orders the same instance once')
    .option('--tenant <name>', 'whom it is for, as `chandler tenant list` shows them')
    .option('--dry-run', 'say whether the order would be taken, and order nothing')
  remote(withWaiting(withParameters(command))).action(
    async (
      service: string,
      plan: string | undefined,
      instanceName: string | undefined,
      options: Common & { id?: string; tenant?: string; idempotencyKey?: string; dryRun?: boolean },
    ) => {
      const client = await connect(command)
      const parameters = await parametersOf(options)
      const wish = {
        service,
        ...present({
          plan,
          name: instanceName,
          id: options.id,
          platform: options.platform,
          tenant: options.tenant,
          parameters,
        }),
      }
      if (options.dryRun) return showDryRun(await client.dryOrder(wish), options.output)
      // Asked again after a broken connection, the order is still one order.
      const ordered = await client.order(wish, options.idempotencyKey ?? randomUUID())
      await finish(client, ordered, options, command)
    },
  )
}

function showing(parent: Command): void {
  const command = add(parent, {
    usage: 'show <instance>',
    summary: 'Show one instance',
    examples: ['instance show my-db', 'instance show 3f2a -o json'],
  })
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const found = await client.instance(await findInstance(client, wanted, options.platform))
    await showInstance(options.output, found)
  })
}

function updating(parent: Command): void {
  const command = add(parent, {
    usage: 'update <instance>',
    summary: 'Change parameters, plan or version of an instance',
    examples: [
      'instance update my-db -p size=5',
      'instance update my-db --plan large',
      'instance update my-db --plan large --dry-run',
      'instance update my-db --maintenance 2.1.1',
      'instance update my-db --maintenance 2.1.1 --dry-run',
    ],
  })
    .option('--plan <name>', 'move to this plan')
    .option('--maintenance <version>', 'move to this version of the catalog')
    .option(
      '--dry-run',
      'say whether the change would be taken and, where the package can tell, what it would do; change nothing',
    )
  remote(withWaiting(withParameters(command))).action(
    async (wanted: string, options: Common & { plan?: string; maintenance?: string; dryRun?: boolean }) => {
      const client = await connect(command)
      const parameters = await parametersOf(options)
      const { plan, maintenance } = options
      if (parameters === undefined && plan === undefined && maintenance === undefined) {
        fail('usage.invalid', 'nothing to change: give -p, --parameters, --plan or --maintenance')
      }
      const address = await findInstance(client, wanted, options.platform)
      const wish = {
        ...present({ plan, parameters, maintenance }),
      }
      if (options.dryRun) {
        const { items } = await client.actions(address)
        const dry = await client.dryChange(address, wish)
        const preview = previewAmong(items)
        if (!dry.accepted || preview === undefined) return showDryRun(dry, options.output)
        const asked = { ...wish, parameters: previewParameters(preview, parameters ?? {}) }
        return previewUpdate(
          client,
          address,
          { ...asked, action: preview.name },
          {
            ...options,
            ...waitOptions(options, command),
          },
        )
      }
      const ordered = await client.change(address, wish)
      await finish(client, ordered, options, command)
    },
  )
}

function deprovisioning(parent: Command): void {
  const command = add(parent, {
    usage: 'deprovision <instance>',
    summary: 'Delete an instance with its bindings',
    examples: ['instance deprovision my-db', 'instance deprovision my-db --yes --no-wait'],
  }).option('-y, --yes', 'do not ask')
  remote(withWaiting(command)).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const address = await findInstance(client, wanted, options.platform)
    await mayGoOn(`Delete instance ${wanted} (${address.instance})?`, options)
    const ordered = await client.remove(address)
    await waitFor(client, ordered, waitOptions(options, command))
    await printOrdered(ordered, options, 'deleted')
  })
}

function waiting(parent: Command): void {
  const command = add(parent, {
    usage: 'wait <instance>',
    summary: 'Wait until nothing is under way for an instance',
    examples: ['instance wait my-db', 'instance wait my-db --timeout 5m'],
  }).option('--timeout <duration>', 'how long to wait, such as 90s or 30m', '30m')
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const address = await findInstance(client, wanted, options.platform)
    const { operation } = await client.instance(address)
    if (operation !== undefined) {
      await waitFor(client, { ...address, operation }, waitOptions(options, command))
    }
    // A delete leaves nothing to show.
    const now = await client.instance(address)
    await showInstance(options.output, now)
  })
}

function outputs(parent: Command): void {
  for (const name of ['outputs', 'files']) {
    const command = add(parent, {
      usage: `${name} <instance> [output]`,
      summary: 'List the named results of an instance, or print one',
      examples: [`instance ${name} my-db`, `instance ${name} my-db kubeconfig > kubeconfig`],
      hidden: name === 'files',
    })
    remote(command).action(async (wanted: string, output: string | undefined, options: Common) => {
      const client = await connect(command)
      const address = await findInstance(client, wanted, options.platform)
      if (output !== undefined) return printBytes(await client.output(address, output))
      const { items } = await client.outputs(address)
      await printList(options.output, {
        kind: 'OutputList',
        items,
        empty: 'The instance has no outputs.',
        name: (one) => one.name,
        columns: [
          { title: 'NAME', of: (one) => one.name },
          { title: 'STATE', of: (one) => one.state },
          { title: 'BYTES', of: (one) => String(one.bytes) },
          { title: 'SECRET', of: (one) => (one.secret ? 'yes' : 'no') },
          { title: 'TYPE', of: (one) => one.mediaType, wide: true },
          { title: 'SUMMARY', of: (one) => one.summary },
        ],
      })
    })
  }
}

function renaming(parent: Command): void {
  const command = add(parent, {
    usage: 'rename <instance> <name>',
    summary: 'Give an instance another name',
    description:
      'Gives an instance another name, without running anything. Names are unique among the instances of a platform account.',
    examples: ['instance rename my-db shop-db'],
  })
  remote(command).action(async (wanted: string, name: string, options: Common) => {
    const client = await connect(command)
    const address = await findInstance(client, wanted, options.platform)
    await client.rename(address, name)
    await showInstance(options.output, await client.instance(address))
  })
}

function repinning(parent: Command): void {
  const command = add(parent, {
    usage: 'repin <instance>',
    summary: 'Move an instance to the package that its plan is offered from now',
    description:
      'An instance keeps the package that it was made from, by its digest. This moves it to the one in the catalog without running anything: the next operation runs the new one.',
    examples: ['instance repin my-db'],
  })
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const address = await findInstance(client, wanted, options.platform)
    await client.repin(address)
    await showInstance(options.output, await client.instance(address))
  })
}

function purging(parent: Command): void {
  const command = add(parent, {
    usage: 'purge <instance>',
    summary: 'Forget an instance without running anything',
    description:
      'Forgets an instance and its bindings without running the package. What it made outside stays there: for instances that can no longer be deleted properly.',
    examples: ['instance purge my-db --yes'],
  }).option('-y, --yes', 'do not ask')
  remote(command).action(async (wanted: string, options: Common) => {
    const client = await connect(command)
    const address = await findInstance(client, wanted, options.platform)
    await mayGoOn(`Forget instance ${wanted} (${address.instance}) and leave behind what it made?`, options)
    await client.purge(address)
    if (options.output === 'table') print(`Forgotten: ${address.instance}`)
  })
}

function remote(command: Command): Command {
  return withOutput(withConnection(command)).option('--platform <name>', 'of this platform account')
}

function waitOptions(options: WaitOptions, command: Command): WaitOptions {
  return { ...options, quiet: command.optsWithGlobals()['quiet'] === true }
}

async function finish(client: Client, ordered: Ordered, options: Common, command: Command): Promise<void> {
  await waitFor(client, ordered, waitOptions(options, command))
  if (options.wait === false) return printOrdered(ordered, options, 'ordered')
  await showInstance(options.output, await client.instance(ordered))
}

async function printOrdered(ordered: Ordered, options: Common, done: string): Promise<void> {
  await printOne(options.output, {
    kind: 'Ordered',
    value: ordered,
    name: ordered.instance,
    fields: [
      ['Instance', ordered.instance],
      ['State', options.wait === false ? 'under way' : done],
      ['Operation', options.wait === false ? ordered.operation : undefined],
    ],
  })
  if (options.wait === false && ordered.operation !== undefined && options.output === 'table') {
    say(`Follow it: chandler operation logs -f ${ordered.operation}`)
  }
}

async function showInstance(form: Form, instance: InstanceDetail): Promise<void> {
  const { parameters, lastOperation, barred } = instance
  await printOne(form, {
    kind: 'Instance',
    value: instance,
    name: instance.id,
    fields: [
      ['Name', instance.name],
      ['Instance', instance.id],
      ['Platform', instance.platform],
      ['Service', instance.service.name ?? instance.service.id],
      ['Plan', instance.plan.name ?? instance.plan.id],
      ['State', instance.state],
      ['Package', instance.package.digest],
      ['Version', instance.maintenance],
      ['Dashboard', instance.dashboardUrl],
      ['Bindings', instance.bindings === 0 ? undefined : String(instance.bindings)],
      [
        'Parameters',
        parameters && Object.keys(parameters).length > 0
          ? writeYaml(parameters as Json).trimEnd()
          : undefined,
      ],
      ['Created', `${instance.createdAt} (${ago(instance.createdAt)})`],
      [
        'Last operation',
        lastOperation && `${lastOperation.action} ${lastOperation.state} (${lastOperation.id})`,
      ],
      ['No update', barred.update?.message],
      ['No binding', barred.bind?.message],
      ['Reason', lastOperation?.state === 'failed' ? lastOperation.reason : undefined],
    ],
  })
}
