/** chandler package add and remove: packages that authors offer to their own tenant at a running broker. */
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { mayGoOn } from '../consent.ts'
import { type Form, printDeed, printOne, withOutput } from '../output.ts'
import { collected } from './user.ts'

interface Adding {
  readonly output: Form
  readonly contract?: string
  readonly tenant?: string
  readonly share?: readonly string[]
}

/** Adds both below `package`. */
export function registerSandbox(group: Command): void {
  adding(group)
  removing(group)
}

function adding(group: Command): void {
  const command = add(group, {
    usage: 'add <name> <reference>',
    summary: 'Offer a package to your tenant, in the place of one of the same name there',
    description:
      "Has the broker read a package and offer it to one tenant, in that tenant's sandbox. The reference names a registry that sandboxes may use (sandbox.registries) and a digest.",
    examples: [
      'package add redis docker://registry.example/redis@sha256:4f5e…',
      'package add redis docker://registry.example/redis@sha256:4f5e… --tenant acme',
    ],
  })
    .option('--contract <name>', 'the contract, where it should not be detected')
    .option('--tenant <name>', 'the tenant that it is for; needed by accounts of several')
    .option(
      '--share <tenant>',
      'another tenant that sees it, by accounts that decide for tenants; may be given several times',
      collected,
    )
  withOutput(withConnection(command)).action(
    async (name: string, reference: string, { output, contract, tenant, share }: Adding) => {
      const wish = { name, reference, ...present({ contract, tenant, sharedWith: share && [...share] }) }
      const made = await (await connect(command)).addPackage(wish)
      await printOne(output, {
        kind: 'Package',
        value: made,
        name: made.name,
        fields: [
          ['Package', made.name],
          ['Tenant', made.tenant],
          ['Contract', made.contract],
          ['State', made.state],
          ['Digest', made.digest],
          ['Problems', made.problems?.map((one) => one.message).join('\n')],
        ],
      })
    },
  )
}

function removing(group: Command): void {
  const command = add(group, {
    usage: 'remove <name>',
    summary: 'Take a package out of the sandbox of its tenant; instances of it live on',
    examples: ['package remove sandbox/acme/redis', 'package remove sandbox/acme/redis --yes'],
  }).option('-y, --yes', 'do not ask')
  withOutput(withConnection(command)).action(
    async (name: string, options: { yes?: boolean; output: Form }) => {
      await mayGoOn(`Take ${name} out of its sandbox?`, options)
      await (await connect(command)).removePackage(name)
      const value = { name, removed: true }
      await printDeed(options.output, { kind: 'PackageChange', value, name, sentences: [`Removed: ${name}`] })
    },
  )
}
