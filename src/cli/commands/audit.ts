/** chandler audit: who did what, and whether the trail is unbroken. */
import type { Command } from 'commander'
import type { AuditRecord } from '../../api/audit.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printDocument, printList, withOutput } from '../output.ts'
import { print } from '../terminal.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'audit',
    summary: 'Read and verify who did what',
    examples: ['audit list', 'audit verify'],
  })
  const list = add(group, {
    usage: 'list',
    summary: 'List audit records, oldest first',
    examples: ['audit list', 'audit list --after 1000 --limit 500 -o json'],
  })
    .option('--after <number>', 'records after this number', '0')
    .option('--limit <count>', 'at most so many', '50')
  withOutput(withConnection(list)).action(
    async ({ output, after, limit }: { output: Form; after: string; limit: string }) => {
      const { items } = await (await connect(list)).audit({ after: Number(after), limit: Number(limit) })
      await show(output, items)
    },
  )
  const verify = add(group, {
    usage: 'verify',
    summary: 'Check that no record was changed, removed or moved',
    examples: ['audit verify'],
  })
  withOutput(withConnection(verify)).action(async ({ output }: { output: Form }) => {
    const verdict = await (await connect(verify)).verifyAudit()
    if (output === 'json' || output === 'yaml') await printDocument(output, 'AuditVerdict', verdict)
    if (verdict.firstBreak) {
      fail('audit.broken', `record ${verdict.firstBreak.seq}: ${verdict.firstBreak.reason}`)
    }
    if (output === 'table' || output === 'wide') print(`The chain of ${verdict.records} records is unbroken.`)
  })
}

async function show(form: Form, items: readonly AuditRecord[]): Promise<void> {
  await printList(form, {
    kind: 'AuditList',
    items,
    empty: 'There are no audit records.',
    name: (one) => String(one.seq),
    columns: [
      { title: 'NUMBER', of: (one) => String(one.seq) },
      { title: 'AT', of: (one) => one.at },
      { title: 'WHO', of: (one) => `${one.actor.kind} ${one.actor.id}` },
      { title: 'ACTION', of: (one) => one.action },
      {
        title: 'RESULT',
        of: ({ decision, result, times }) =>
          `${decision === 'denied' ? 'denied' : result}${times === undefined ? '' : ` ${times}x`}`,
      },
      { title: 'FROM', of: (one) => one.source ?? '-', wide: true },
      { title: 'CODE', of: (one) => one.code ?? '-', wide: true },
      { title: 'REQUEST', of: (one) => one.requestId, wide: true },
      { title: 'OBJECT', of: (one) => `${one.object.kind} ${one.object.id}` },
    ],
  })
}
