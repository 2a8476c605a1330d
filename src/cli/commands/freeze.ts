/** chandler freeze and thaw: refuse new orders for a while. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { print } from '../terminal.ts'

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
  withConnection(freeze).action(async ({ reason, all }: { reason: string; all?: boolean }) => {
    await (await connect(freeze)).freeze({ reason, all: all ?? false })
    print(`Frozen: ${reason}`)
  })
  const thaw = add(program, { usage: 'thaw', summary: 'Take new orders again', examples: ['thaw'] })
  withConnection(thaw).action(async () => {
    await (await connect(thaw)).thaw()
    print('Orders are taken again.')
  })
}
