/** chandler binding: bind instances, read credentials, rotate and unbind. */
import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import type { Binding } from '../../api/binding.ts'
import type { Ordered } from '../../api/instance.ts'
import type { BindingAddress, Client } from '../../client/client.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { writeYaml } from '../../kit/yaml.ts'
import {
  type CredentialFormat,
  credentialFormats,
  formatCredentials,
} from '../../model/credential-formats.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { mayGoOn } from '../consent.ts'
import { findInstance } from '../find.ts'
import { type WaitOptions, waitFor, withWaiting } from '../follow.ts'
import { type ListChoice, withChoice } from '../list-choice.ts'
import { ago, type Form, printList, printOne, withOutput } from '../output.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { printBytes, say } from '../terminal.ts'
import { showDryRun } from '../trial.ts'

interface Common extends WaitOptions, ParameterOptions {
  readonly output: Form
  readonly platform?: string
  readonly yes?: boolean
  readonly credentials?: boolean
  readonly id?: string
  readonly as?: CredentialFormat
}

export function register(program: Command): void {
  const group = add(program, {
    usage: 'binding',
    summary: 'Bind instances and read credentials',
    examples: ['binding bind my-db', 'binding list my-db', 'binding show my-db 7c1e --credentials'],
  })
  binding(group)
  listing(group)
  showing(group)
  unbinding(group)
  rotating(group)
}

function binding(parent: Command): void {
  const command = add(parent, {
    usage: 'bind <instance> [binding]',
    summary: 'Bind an instance and show the credentials',
    examples: [
      'binding bind my-db',
      'binding bind my-db my-app -p role=reader -o json',
      'binding bind my-db -p role=reader --dry-run',
    ],
  })
    .option('--no-credentials', 'do not read the credentials')
    .option('--dry-run', 'say whether the order would be taken, and bind nothing')
  remote(withWaiting(withParameters(command))).action(
    async (wanted: string, id: string | undefined, options: Common & { dryRun?: boolean }) => {
      const client = await connect(command)
      const parameters = await parametersOf(options)
      const address = await findInstance(client, wanted, options.platform)
      const wish = {
        ...present({ id, parameters }),
      }
      if (options.dryRun) return showDryRun(await client.dryBind(address, wish), options.output)
      const ordered = await client.bind(address, wish, randomUUID())
      await finish(client, ordered, options, command)
    },
  )
}

function listing(parent: Command): void {
  const command = add(parent, {
    usage: 'list <instance>',
    summary: 'List the bindings of an instance',
    examples: ['binding list my-db', 'binding list my-db -o name'],
  })
  withChoice(remote(command)).action(async (wanted: string, options: Common & ListChoice) => {
    const client = await connect(command)
    const { items } = await client.bindings(await findInstance(client, wanted, options.platform))
    await printList(
      options.output,
      {
        kind: 'BindingList',
        items,
        empty: 'The instance has no bindings. Bind it: chandler binding bind INSTANCE',
        name: (one) => one.id,
        columns: [
          { title: 'ID', of: (one) => one.id },
          { title: 'STATE', of: (one) => one.state },
          { title: 'EXPIRES', of: (one) => one.expiresAt ?? '-', wide: true },
          { title: 'CREATED', of: (one) => ago(one.createdAt), by: (one) => one.createdAt },
        ],
      },
      options,
    )
  })
}

function showing(parent: Command): void {
  const command = add(parent, {
    usage: 'show <instance> <binding>',
    summary: 'Show one binding, with its credentials only when asked',
    examples: [
      'binding show my-db 7c1e',
      'binding show my-db 7c1e --credentials -o json',
      'binding show my-db 7c1e --credentials --as dotenv > .env',
    ],
  })
    .option('--credentials', 'read the credentials, too; this is audited')
    .addOption(
      new Option('--as <form>', 'print the credentials alone, as applications read them').choices([
        ...credentialFormats,
      ]),
    )
  remote(command).action(async (wanted: string, id: string, options: Common) => {
    const client = await connect(command)
    const address = await findBinding(client, wanted, id, options.platform)
    if (options.as === undefined) return show(client, address, options)
    if (!options.credentials) fail('usage.invalid', '--as goes with --credentials')
    printBytes(Buffer.from(await formatted(client, address, options.as)))
  })
}

async function formatted(client: Client, address: BindingAddress, format: CredentialFormat): Promise<string> {
  const [instance, answer] = await Promise.all([client.instance(address), client.credentials(address)])
  const { id, name, service, plan } = instance
  return formatCredentials(format, {
    binding: address.binding,
    instance: id,
    instanceName: name,
    service: service.name ?? service.id,
    plan: plan.name ?? plan.id,
    credentials: answer.credentials ?? {},
  })
}

function unbinding(parent: Command): void {
  const command = add(parent, {
    usage: 'unbind <instance> <binding>',
    summary: 'Unbind',
    examples: ['binding unbind my-db 7c1e', 'binding unbind my-db 7c1e --yes --no-wait'],
  }).option('-y, --yes', 'do not ask')
  remote(withWaiting(command)).action(async (wanted: string, id: string, options: Common) => {
    const client = await connect(command)
    const address = await findBinding(client, wanted, id, options.platform)
    await mayGoOn(`Unbind ${address.binding} from ${wanted}? Its credentials end.`, options)
    const ordered = await client.unbind(address)
    await waitFor(client, ordered, waitOptions(options, command))
    await printOrdered(ordered, options, 'unbound')
  })
}

function rotating(parent: Command): void {
  const command = add(parent, {
    usage: 'rotate <instance> <binding>',
    summary: 'Bind again with fresh credentials',
    description: 'Binds again with fresh credentials. The old binding stays valid until it is unbound.',
    examples: ['binding rotate my-db 7c1e'],
  }).option('--no-credentials', 'do not read the credentials')
  remote(withWaiting(command)).action(async (wanted: string, id: string, options: Common) => {
    const client = await connect(command)
    const address = await findBinding(client, wanted, id, options.platform)
    await finish(client, await client.rotate(address, randomUUID()), options, command)
    if (options.output === 'table') {
      say(
        `The old binding is still valid. When nobody needs it: chandler binding unbind ${wanted} ${address.binding}`,
      )
    }
  })
}

function remote(command: Command): Command {
  return withOutput(withConnection(command)).option('--platform <name>', 'of this platform account')
}

function waitOptions(options: WaitOptions, command: Command): WaitOptions {
  return { ...options, quiet: command.optsWithGlobals()['quiet'] === true }
}

/** The binding that is meant: its id, or the beginning of it. */
async function findBinding(
  client: Client,
  wanted: string,
  id: string,
  platform: string | undefined,
): Promise<BindingAddress> {
  const address = await findInstance(client, wanted, platform)
  const { items } = await client.bindings(address)
  const exact = items.find((one) => one.id === id)
  const [first, second] = exact ? [exact] : items.filter((one: Binding) => one.id.startsWith(id))
  if (first === undefined) return fail('binding.unknown', id)
  if (second !== undefined) return fail('cli.ambiguous', `${id} may be ${first.id} or ${second.id}`)
  return { ...address, binding: first.id }
}

async function finish(client: Client, ordered: Ordered, options: Common, command: Command): Promise<void> {
  await waitFor(client, ordered, waitOptions(options, command))
  const { binding: id } = ordered
  if (options.wait === false || id === undefined) return printOrdered(ordered, options, 'ordered')
  await show(client, { ...ordered, binding: id }, options)
}

async function show(client: Client, address: BindingAddress, options: Common): Promise<void> {
  const found = await client.binding(address)
  const secrets = options.credentials ? await client.credentials(address) : undefined
  await printOne(options.output, {
    kind: 'Binding',
    value: { ...found, ...secrets },
    name: found.id,
    fields: [
      ['Binding', found.id],
      ['Instance', found.instance],
      ['State', found.state],
      ['Expires', found.expiresAt],
      ['Predecessor', found.predecessor],
      ['Created', `${found.createdAt} (${ago(found.createdAt)})`],
      ['Secrets', found.secrets?.map(secretLine).join('\n')],
      ['Credentials', secrets?.credentials && writeYaml(secrets.credentials).trimEnd()],
      ['Route service', secrets?.routeServiceUrl],
      ['Syslog drain', secrets?.syslogDrainUrl],
      ['Endpoints', secrets?.endpoints && writeYaml(secrets.endpoints as Json).trimEnd()],
      ['Volume mounts', secrets?.volumeMounts && writeYaml(secrets.volumeMounts as Json).trimEnd()],
    ],
  })
}

type SecretOfBinding = NonNullable<Awaited<ReturnType<Client['binding']>>['secrets']>[number]

/** `shop/binding-7c1e-0a1b2c3d4e`, and how far it is. */
function secretLine({ namespace, name, wish, state, problem }: SecretOfBinding): string {
  const wished = wish === 'there' ? 'holds the credentials' : 'is removed'
  const words = { done: wished, waits: 'is being brought up to date', failed: `failed: ${problem ?? ''}` }
  return `${namespace}/${name} ${words[state]}`
}

async function printOrdered(ordered: Ordered, options: Common, done: string): Promise<void> {
  await printOne(options.output, {
    kind: 'Ordered',
    value: ordered,
    name: ordered.binding ?? ordered.instance,
    fields: [
      ['Binding', ordered.binding],
      ['State', options.wait === false ? 'under way' : done],
      ['Operation', options.wait === false ? ordered.operation : undefined],
    ],
  })
}
