/** Orders that a command leaves to another one in the background. */
import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { type Form, printOne } from './output.ts'
import { say } from './terminal.ts'

export function withDetach(command: Command): Command {
  return command.option('--detach', 'order it and come back at once; "chandler attach" shows how it goes')
}

/** Has a command in the background stay with an operation, and tells its id. */
export async function detach(
  operation: string,
  { dataDir, output }: { readonly dataDir: string; readonly output: Form },
): Promise<void> {
  const [program = ''] = process.argv.slice(1)
  const words = [...process.execArgv, program, 'attach', operation, '--data-dir', dataDir]
  spawn(process.execPath, words, { detached: true, stdio: 'ignore' }).unref()
  await printOne(output, {
    kind: 'Operation',
    name: operation,
    value: { id: operation },
    fields: [['Operation', operation]],
  })
  if (output === 'table') say(`Next:  chandler attach ${operation}`)
}
