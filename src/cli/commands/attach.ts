/** chandler attach: what commands without a server have left under way. */
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { failAll } from '../../model/problem.ts'
import { printRan } from '../action-ran.ts'
import { add } from '../command.ts'
import { localDataDir } from '../local.ts'
import { ago, type Form, printList, withOutput } from '../output.ts'
import { packageListener } from '../package-listener.ts'
import { say } from '../terminal.ts'

interface AttachOptions {
  readonly output: Form
  readonly dataDir: string
  readonly cancel?: true
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'attach [operation|instance]',
    summary: 'See what commands without a broker have left under way, and stay with it to its end',
    description:
      'A run goes on when its command is killed or its terminal closes. Without an argument this lists what is under way on this machine. With one it shows the log, carries the operation to its end and says how it ended; it does so for ended operations, too.',
    examples: ['attach', 'attach demo', 'attach demo --cancel'],
  })
    .option('--cancel', 'stop it')
    .option('--data-dir <path>', 'where images, keys and instances are kept', localDataDir())
  withOutput(command).action(async (name: string | undefined, options: AttachOptions) => {
    await (name === undefined ? list(options) : attach(name, options))
  })
}

async function list({ output, dataDir }: AttachOptions): Promise<void> {
  const { lookUnderWay } = await import('../../authoring/attach.ts')
  const { operations, trials } = await lookUnderWay(dataDir)
  await printList(output, {
    kind: 'LocalOperationList',
    items: operations.map(({ operation, action, worker }) => ({
      id: operation.id,
      ...operation.target,
      action,
      state: operation.state,
      reason: operation.reason,
      createdAt: new Date(operation.createdAt).toISOString(),
      ...present({ worker }),
    })),
    columns: [
      { title: 'OPERATION', of: (one) => one.id },
      { title: 'INSTANCE', of: (one) => one.instance },
      { title: 'ACTION', of: (one) => one.action },
      { title: 'STATE', of: (one) => one.state },
      { title: 'ORDERED', of: (one) => ago(one.createdAt) },
      { title: 'PROCESS', of: (one) => (one.worker === undefined ? 'none' : String(one.worker)) },
    ],
    name: (one) => one.id,
    empty: 'Nothing is under way.',
  })
  for (const { instance } of trials)
    say(
      `${instance} was left by a command that was killed: chandler run REFERENCE deprovision --name ${instance}`,
    )
}

async function attach(name: string, { output, dataDir, cancel }: AttachOptions): Promise<void> {
  const { stayWithOperation } = await import('../../authoring/attach.ts')
  const wish = { dataDir, name, cancel: cancel === true }
  const { action, ran } = await stayWithOperation(wish, packageListener())
  await printRan(output, action, ran)
  failAll(ran.problems)
}
