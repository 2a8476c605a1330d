/** chandler apb list: bundles that a broker offers. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printList, withOutput } from '../output.ts'

/** Adds what talks to a broker. */
export function registerBroker(group: Command): void {
  const listing = add(group, {
    usage: 'list',
    summary: 'List the bundles that a broker offers',
    examples: ['apb list', 'apb list -o json'],
    aliases: ['ls'],
  })
  withOutput(withConnection(listing)).action(
    async ({ output }: { readonly output: Form }, command: Command) => {
      const { services } = await (await connect(command)).catalog()
      await printList(output, {
        kind: 'BundleList',
        items: services.filter((one) => one.package.contract === 'apb'),
        columns: [
          { title: 'SERVICE', of: (one) => one.name },
          { title: 'BUNDLE', of: (one) => one.package.name },
          { title: 'PLANS', of: (one) => one.plans.map((plan) => plan.name).join(', ') },
          { title: 'BINDABLE', of: (one) => (one.bindable ? 'yes' : 'no') },
          { title: 'ID', of: (one) => one.id, wide: true },
          { title: 'DIGEST', of: (one) => one.package.digest, wide: true },
          { title: 'DESCRIPTION', of: (one) => one.description },
        ],
        name: (one) => one.name,
        empty: 'The broker offers no bundles.',
      })
    },
  )
}
