/** chandler backup: a consistent copy of the store while the broker runs. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printOne, withOutput } from '../output.ts'
import { say } from '../terminal.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'backup',
    summary: 'Write a consistent copy of the store',
    description:
      "Has the broker write a consistent copy of its SQLite file into its data folder. Keep the key ring apart from it. PostgreSQL is backed up with PostgreSQL's own tools.",
    examples: ['backup', 'backup -o name'],
  })
  withOutput(withConnection(command)).action(async ({ output }: { output: Form }) => {
    const { file } = await (await connect(command)).backup()
    await printOne(output, { kind: 'Backup', value: { file }, name: file, fields: [['File', file]] })
    if (output === 'table')
      say('It opens only with the key ring of this broker; keep a copy of that elsewhere.')
  })
}
