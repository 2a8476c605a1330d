/** chandler key: the keys that seal secrets. */
import type { Command } from 'commander'
import type { Keys } from '../../api/cluster.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printList, withOutput } from '../output.ts'
import { say } from '../terminal.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'key',
    summary: 'Rotate the keys that seal secrets',
    examples: ['key status', 'key rotate'],
  })
  const status = add(group, {
    usage: 'status',
    summary: 'Show the keys and how many records each seals',
    examples: ['key status', 'key status -o json'],
  })
  withOutput(withConnection(status)).action(async ({ output }: { output: Form }) => {
    await show(output, await (await connect(status)).keys())
  })
  const rotate = add(group, {
    usage: 'rotate',
    summary: 'Make a fresh key the active one',
    description:
      'Makes a fresh key the active one. Everything sealed is sealed anew with it in the background, without downtime; `chandler key status` shows how far that is.',
    examples: ['key rotate'],
  })
  withOutput(withConnection(rotate)).action(async ({ output }: { output: Form }) => {
    await show(output, await (await connect(rotate)).rotateKey())
    if (output === 'table') say('Records follow in the background: chandler key status')
  })
}

async function show(form: Form, { keys }: Keys): Promise<void> {
  await printList(form, {
    kind: 'Keys',
    items: keys,
    empty: 'There are no keys.',
    name: (key) => key.id,
    columns: [
      { title: 'KEY', of: (key) => key.id },
      { title: 'STATE', of: (key) => (key.active ? 'active' : 'decrypt-only') },
      { title: 'RECORDS', of: (key) => String(key.records) },
    ],
  })
}
