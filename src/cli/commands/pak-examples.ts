/** chandler pak test and run-examples: the examples of a pak, on this machine or at a running broker. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Ordered } from '../../api/instance.ts'
import type { ExampleLife, ExampleResult } from '../../authoring/pak-examples.ts'
import type { Client } from '../../client/client.ts'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import type { Package } from '../../model/package.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { waitFor } from '../follow.ts'
import { localDataDir } from '../local.ts'
import { type Form, printList, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { withRegistries } from '../registries-option.ts'
import { say } from '../terminal.ts'

type PakExample = ExampleResult['example']

/** Adds the commands to `pak`. */
export function registerExamples(group: Command): void {
  registerTest(group)
  registerRunExamples(group)
}

interface ExampleFlags {
  readonly engine?: string
  readonly example?: string
  readonly env: readonly string[]
  readonly output: Form
}

function registerTest(group: Command): void {
  const command = add(group, {
    usage: 'test [reference]',
    summary: 'Run the examples of a pak on this machine, without a broker',
    description:
      'Provisions, binds, unbinds and deprovisions each example; the credentials must be what the definition declares. Nothing is left behind. Ends with 3 when one of them fails.',
    examples: ['pak test', 'pak test my-pak --engine host', 'pak test my-pak --example "a word" -o json'],
  })
  withRegistries(withOutput(command))
    .option('--engine <engine>', 'pak: the one in the archive; host: the terraform or tofu of this machine')
    .option('--example <name>', 'only this one')
    .option('--env <names...>', 'variables of this environment that Terraform is given', [])
    .option('--data-dir <path>', 'where runs take place', localDataDir())
    .action(async (reference = '.', flags: ExampleFlags & { readonly dataDir: string }) => {
      const { testPak } = await import('../../authoring/pak-examples.ts')
      const isPacked = /\.brokerpak(?:$|[?#])/.test(reference)
      const engine = flags.engine ?? (isPacked ? 'pak' : 'host')
      const results = await testPak(
        {
          reference: /^https?:/.test(reference) ? reference : resolve(reference),
          dataDir: flags.dataDir,
          // The values are lent, so that they are sealed and masked; the options only name them.
          options: { engine, environment: Object.fromEntries(flags.env.map((name) => [name, ''])) },
          lent: lentFrom(flags.env),
          ...present({ only: flags.example }),
          ended: tellResult,
        },
        packageListener(),
      )
      await finish(results, flags.output)
    })
}

function registerRunExamples(group: Command): void {
  const command = add(group, {
    usage: 'run-examples <reference>',
    summary: 'Run the examples of a pak against a running broker that offers it',
    description:
      'Orders each example of the broker, binds, unbinds and deletes it again; the credentials must be what the definition declares. Ends with 3 when one of them fails.',
    examples: ['pak run-examples my-pak-1.0.0.brokerpak', 'pak run-examples ./my-pak --example "a word"'],
  })
  withOutput(withConnection(command))
    .option('--example <name>', 'only this one')
    .option('--prefix <text>', 'what the broker puts before the names of services', '')
    .option('--timeout <duration>', 'how long each order may take', '45m')
    .action(
      async (
        reference: string,
        { example, prefix, timeout, output }: ExampleFlags & { prefix: string; timeout: string },
      ) => {
        const [{ chosenExamples, runExample }, { readPak }] = await Promise.all([
          import('../../authoring/pak-examples.ts'),
          import('../../authoring/pak-tools.ts'),
        ])
        const { package: pkg } = await readPak(reference, { engine: 'host' })
        const client = await connect(command)
        const results: ExampleResult[] = []
        for (const one of chosenExamples(pkg, example)) {
          const life = brokerLife(client, one, { prefix, timeout, plan: planNamed(pkg, one) })
          const result = await runExample(pkg, one, life)
          tellResult(result)
          results.push(result)
        }
        await finish(results, output)
      },
    )
}

function planNamed({ services }: Package, { service, planId }: PakExample): string {
  const plan = services.find(({ name }) => name === service)?.plans.find(({ id }) => id === planId)
  return plan?.name ?? fail('catalog.plan-unknown', planId)
}

function lentFrom(names: readonly string[]): Readonly<Record<string, Secret>> {
  const found = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined
      ? fail('usage.invalid', `${name} is not set here`)
      : [[name, new Secret(value)] as const]
  })
  return Object.fromEntries(found)
}

function tellResult({ example, warning, fault }: ExampleResult): void {
  const end = fault === undefined ? 'PASS' : `FAILED ${fault}`
  say(`${example.service}, ${example.name}: ${end}${warning === undefined ? '' : ` (${warning})`}`)
}

async function finish(results: readonly ExampleResult[], output: Form): Promise<void> {
  const failed = results.filter(({ fault }) => fault !== undefined).length
  await printList(output, {
    kind: 'ExampleResultList',
    items: results.map(({ example, milliseconds, fault, warning }) => ({
      name: example.name,
      service: example.service,
      milliseconds: Math.round(milliseconds),
      result: fault === undefined ? 'PASS' : 'FAILED',
      ...present({ fault, warning }),
    })),
    empty: 'The pak has no examples.',
    name: (one) => one.name,
    columns: [
      { title: 'NAME', of: (one) => one.name },
      { title: 'SERVICE', of: (one) => one.service },
      { title: 'SECONDS', of: (one) => (one.milliseconds / 1000).toFixed(1) },
      { title: 'RESULT', of: (one) => [one.result, one.fault ?? one.warning ?? ''].join(' ').trim() },
    ],
  })
  if (failed > 0) fail('operation.failed', `FAILED ${failed} ${failed === 1 ? 'example' : 'examples'}`)
}

interface Place {
  readonly prefix: string
  readonly plan: string
  readonly timeout: string
}

function brokerLife(client: Client, example: PakExample, { prefix, plan, timeout }: Place): ExampleLife {
  const id = randomUUID()
  const binding = randomUUID()
  let made: Ordered | undefined
  let bound: Ordered | undefined
  const done = async (ordered: Ordered): Promise<Ordered> => {
    await waitFor(client, ordered, { quiet: true, timeout })
    return ordered
  }
  return {
    async provision() {
      const service = `${prefix}${example.service}`
      made = await client.order({ service, plan, id, parameters: example.provision }, id)
      await done(made)
    },
    async bind() {
      const address = { platform: made?.platform ?? '', instance: id }
      bound = await client.bind(address, { id: binding, parameters: example.bind }, binding)
      await done(bound)
      const { credentials } = await client.credentials({ ...address, binding })
      return isObject(credentials) ? credentials : {}
    },
    async unbind() {
      if (bound !== undefined) await done(await client.unbind({ ...bound, binding }))
    },
    async deprovision() {
      if (made !== undefined) await done(await client.remove(made))
    },
  }
}
