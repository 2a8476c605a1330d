/** chandler status: nodes, counts, whether the broker is frozen, and how the process that answers is. */
import type { Command } from 'commander'
import { printable } from '../../kit/text.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { ago, type Form, printDocument, printFields, withOutput } from '../output.ts'
import { printTable } from '../table.ts'
import { print } from '../terminal.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'status',
    summary: 'Show nodes, counts and whether the broker is frozen',
    examples: ['status', 'status -o json'],
  })
  withOutput(withConnection(command)).action(async ({ output }: { output: Form }) => {
    const client = await connect(command)
    const [about, cluster, health] = await Promise.all([client.about(), client.cluster(), client.health()])
    if (output === 'json' || output === 'yaml') {
      await printDocument(output, 'Cluster', { ...cluster, version: about.version, health })
      return
    }
    if (output === 'name') return print(cluster.id)
    printFields([
      ['Cluster', cluster.id],
      ['Version', about.version],
      ['You are', `${about.user.name} (${about.user.role})`],
      ['Frozen', cluster.freeze && `${cluster.freeze.reason} (by ${cluster.freeze.by})`],
    ])
    print('')
    printTable(
      ['NODE', 'VERSION', 'STARTED', 'LAST SEEN'],
      cluster.nodes.map((node) => [
        node.draining ? `${node.name} (draining)` : node.name,
        node.version,
        ago(node.startedAt),
        ago(node.heartbeatAt),
      ]),
    )
    print('')
    printTable(
      ['CHECK', 'STATE', 'DETAIL'],
      health.checks.map(({ name, ok, detail }) => [name, ok ? 'ok' : 'failed', printable(detail)]),
    )
    if (cluster.counts.length === 0) return
    print('')
    printTable(
      ['OF', 'STATE', 'COUNT'],
      cluster.counts.map((one) => [one.of, one.state, String(one.count)]),
    )
  })
}
