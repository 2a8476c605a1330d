/** chandler status: nodes, counts, whether the broker is frozen, how the process that answers is, and what doctor finds of it. */
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { printable } from '../../kit/text.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { exitBy, printFindings } from '../doctor-findings.ts'
import { ago, type Form, printDocument, printFields, withOutput } from '../output.ts'
import { withReadiness } from '../readiness.ts'
import { printTable } from '../table.ts'
import { print } from '../terminal.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'status',
    summary: 'Show nodes, counts and whether the broker is frozen',
    description:
      'With --examine, the process that answers is looked at as doctor looks at a machine before a start: host, store, engines, and whether each registry answers. Exit code 3 when something must be fixed.',
    examples: ['status', 'status --wait-ready', 'status --examine', 'status -o json'],
  }).option('--examine', 'what doctor finds of the process that answers, and what to fix')
  withOutput(withReadiness(withConnection(command))).action(
    async ({ output, examine }: { output: Form; examine?: true }) => {
      const client = await connect(command)
      const [about, cluster, health, examination] = await Promise.all([
        client.about(),
        client.cluster(),
        client.health(),
        examine ? client.examination() : undefined,
      ])
      exitBy(examination?.findings ?? [])
      if (output === 'json' || output === 'yaml') {
        const { version } = about
        await printDocument(output, 'Cluster', present({ ...cluster, version, health, examination }))
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
      if (cluster.counts.length > 0) {
        print('')
        printTable(
          ['OF', 'STATE', 'COUNT'],
          cluster.counts.map((one) => [one.of, one.state, String(one.count)]),
        )
      }
      if (examination === undefined) return
      print('')
      printFindings(examination.findings)
    },
  )
}
