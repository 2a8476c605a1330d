/** chandler why: the one thing that an instance or operation waits for. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { findInstance } from '../find.ts'
import { type Form, printOne, withOutput } from '../output.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'why <instance|operation>',
    summary: 'Say what an instance or operation waits for',
    examples: ['why my-db', 'why 01jxyz…'],
  })
  withOutput(withConnection(command)).action(async (wanted: string, options: { output: Form }) => {
    const client = await connect(command)
    const isOperation = /^[0-9a-hjkmnp-tv-z]{26}$/i.test(wanted)
    const why = isOperation
      ? await client.whyOperation(wanted.toLowerCase())
      : await client.whyInstance(await findInstance(client, wanted, undefined))
    await printOne(options.output, {
      kind: 'Why',
      value: why,
      name: why.reason,
      fields: [
        ['State', why.state],
        ['Why', why.reason],
        ['Operation', why.operation],
      ],
    })
  })
}
