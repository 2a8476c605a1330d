/** chandler audit: who did what, and whether the trail is unbroken. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { AuditQuery, AuditRecord, AuditVerdict } from '../../api/audit.ts'
import { type AuditProof, proveAudit, readEvidence } from '../../api/audit-proof.ts'
import type { Client } from '../../client/client.ts'
import { present } from '../../kit/present.ts'
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
    summary: 'List audit records, oldest first, or the latest first of one thing or deed',
    examples: [
      'audit list',
      'audit list --after 1000 --limit 500 -o json',
      'audit list --action binding.read-credentials',
      'audit list --object demo',
      'audit list --tenant acme',
    ],
  })
    .option('--after <number>', 'records after this number', '0')
    .option('--latest', 'the latest first')
    .option('--object <id>', 'about the thing of this id, and the bindings of an instance, the latest first')
    .option('--action <deed>', 'of this deed, the latest first')
    .option('--tenant <name>', 'about what belongs to this tenant, the latest first')
    .option('--limit <count>', 'at most so many', '50')
  withOutput(withConnection(list)).action(
    async ({
      output,
      after,
      limit,
      ...filter
    }: { output: Form; after: string; limit: string } & AuditQuery) => {
      const { latest, object, action, tenant } = filter
      const query = present({ after: Number(after), limit: Number(limit), latest, object, action, tenant })
      const { items } = await (await connect(list)).audit(query)
      await show(output, items)
    },
  )
  const verify = add(group, {
    usage: 'verify',
    summary: 'Check that no record was changed, removed or moved',
    description:
      'Has the broker check its whole trail with its key. With --anchors the records are checked here, against anchors from the log, a file or a syslog server, which the administrator of the database cannot change; the records are those of --records, else those in the file of the anchors, else those of the broker. --public-key names the key that must have signed.',
    examples: [
      'audit verify',
      'audit verify --anchors /var/log/chandler/audit.jsonl',
      'audit verify --anchors broker.log --records trail.json',
    ],
  })
    .option(
      '--anchors <file>',
      'anchors that were kept elsewhere: a log, the file of audit.file, what syslog wrote',
    )
    .option('--records <file>', 'records to check: the file of audit.file, or audit list -o json')
    .option('--public-key <key>', 'the key that must have signed the anchors')
  withOutput(withConnection(verify)).action(async (options: VerifyOptions) => {
    if (options.anchors === undefined) {
      if (options.records !== undefined || options.publicKey !== undefined)
        fail('usage.invalid', '--records and --public-key go with --anchors')
      return showVerdict(options.output, await (await connect(verify)).verifyAudit())
    }
    const evidence = readEvidence(readText(options.anchors))
    if (evidence.anchors.length === 0) fail('usage.invalid', `${options.anchors} has no anchors in it`)
    const kept =
      options.records === undefined ? evidence.records : readEvidence(readText(options.records)).records
    const records =
      kept.length > 0 || options.records !== undefined ? kept : await allRecords(await connect(verify))
    await showProof(options.output, proveAudit({ records, anchors: evidence.anchors }, options.publicKey))
  })
}

interface VerifyOptions {
  readonly output: Form
  readonly anchors?: string
  readonly records?: string
  readonly publicKey?: string
}

const pageSize = 500

async function allRecords(broker: Client): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = []
  for (let after = 0; ; ) {
    const { items, next } = await broker.audit({ after, limit: pageSize })
    records.push(...items)
    if (next === undefined) return records
    after = next
  }
}

async function showVerdict(form: Form, verdict: AuditVerdict): Promise<void> {
  if (form === 'json' || form === 'yaml') await printDocument(form, 'AuditVerdict', verdict)
  if (verdict.firstBreak) {
    fail('audit.broken', `record ${verdict.firstBreak.seq}: ${verdict.firstBreak.reason}`)
  }
  if (form === 'table' || form === 'wide') print(`The chain of ${verdict.records} records is unbroken.`)
}

async function showProof(form: Form, proof: AuditProof): Promise<void> {
  if (form === 'json' || form === 'yaml') await printDocument(form, 'AuditProof', proof)
  const [first, ...more] = proof.faults
  if (first !== undefined)
    fail('audit.broken', more.length === 0 ? first : `${first} (and ${more.length} more)`)
  if (form !== 'table' && form !== 'wide') return
  print(`The ${proof.records} records agree with ${proof.anchors} anchors, up to record ${proof.anchored}.`)
  print(`Signed by ${proof.publicKey}`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
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
      { title: 'TENANT', of: (one) => one.tenant ?? '-', wide: true },
      { title: 'CODE', of: (one) => one.code ?? '-', wide: true },
      { title: 'REQUEST', of: (one) => one.requestId, wide: true },
      { title: 'OBJECT', of: (one) => objectText(one.object) },
    ],
  })
}

/** With where it is: two platforms may call theirs the same. */
function objectText({ kind, id, platform, instance }: AuditRecord['object']): string {
  return `${kind} ${[platform, instance, id].filter((part) => part !== undefined).join('/')}`
}
