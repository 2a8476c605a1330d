/** chandler freeze and thaw: refuse new orders for a while. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printDeed, withOutput } from '../output.ts'

export function register(program: Command): void {
  const freeze = add(program, {
    usage: 'freeze',
    summary: 'Refuse new orders for a while',
    description:
      'Refuses new orders until thawed. Running work goes on, deletes and unbinds are taken unless --all is given.',
    examples: ['freeze --reason "database maintenance until 18:00"', 'freeze --reason incident --all'],
  })
    .requiredOption('--reason <text>', 'what platforms are told')
    .option('--all', 'refuse deletes and unbinds, too')
  withOutput(withConnection(freeze)).action(async ({ reason, all = false, output }: FreezeOptions) => {
    await (await connect(freeze)).freeze({ reason, all })
    await printDeed(output, {
      kind: 'Freeze',
      value: { frozen: true, reason, all },
      name: 'frozen',
      sentences: [`Frozen: ${reason}`],
    })
  })
  const thaw = add(program, { usage: 'thaw', summary: 'Take new orders again', examples: ['thaw'] })
  withOutput(withConnection(thaw)).action(async ({ output }: { readonly output: Form }) => {
    await (await connect(thaw)).thaw()
    await printDeed(output, {
      kind: 'Freeze',
      value: { frozen: false },
      name: 'thawed',
      sentences: ['Orders are taken again.'],
    })
  })
}

interface FreezeOptions {
  readonly reason: string
  readonly all?: boolean
  readonly output: Form
}
