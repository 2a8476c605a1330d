/** Lets writers of one connection share a transaction: one commit, each with its own savepoint. */

import type { Durability } from '../database.ts'

/** What the group needs of its connection; all of it happens at once. */
export interface Commands {
  exec(command: string): void
  /** Whether a commit waits until the disk has it. */
  setFirm(firm: boolean): void
  /** Whether a transaction is still open: some errors end it. */
  isOpen(): boolean
}

interface Waiting {
  readonly how: Durability
  readonly work: () => Promise<unknown>
  readonly done: (value: unknown) => void
  readonly failed: (error: unknown) => void
}

/** How a member's work ended; told only once the whole transaction is settled. */
interface Ending {
  readonly kind: 'worked' | 'failed'
  readonly tell: () => void
}

/** The error took the whole transaction with it. */
interface Fall {
  readonly kind: 'fell'
  readonly error: unknown
}

const groupMax = 64

export interface Group {
  /** Runs the work inside a transaction of its own or a shared one, and answers once that is committed. */
  write<T>(work: () => Promise<T>, how?: Durability): Promise<T>
  /** Runs a read while no transaction is open. */
  between<T>(read: () => T): Promise<T>
  /** Answers when nothing waits any more. */
  idle(): Promise<void>
}

/** `soon` starts the round: at once, or when the other requests that came in together have queued, too. */
export function makeGroup(commands: Commands, soon: (round: () => void) => void): Group {
  let waiting: Waiting[] = []
  let reads: (() => void)[] = []
  let busy = false
  let open = false

  const wake = (): void => {
    if (busy) return
    busy = true
    soon(() => void round())
  }
  const round = async (): Promise<void> => {
    const group = waiting.slice(0, groupMax)
    waiting = waiting.slice(groupMax)
    open = true
    await commit(commands, group)
    open = false
    busy = false
    const due = reads
    reads = []
    for (const read of due) read()
    // A new turn each time: those who write without end must not keep everyone else from being heard.
    if (waiting.length > 0) wake()
  }

  return {
    write: (work, how = 'firm') =>
      new Promise((resolve, reject) => {
        waiting.push({
          how,
          work,
          done: (value) => resolve(value as Awaited<ReturnType<typeof work>>),
          failed: reject,
        })
        wake()
      }),
    between: (read) =>
      new Promise((resolve, reject) => {
        const now = (): void => {
          try {
            resolve(read())
          } catch (error) {
            reject(error)
          }
        }
        if (open) reads.push(now)
        else now()
      }),
    idle: async () => {
      while (busy) await new Promise<void>((resolve) => reads.push(resolve))
    },
  }
}

async function commit(commands: Commands, group: readonly Waiting[]): Promise<void> {
  const endings: Ending[] = []
  try {
    commands.setFirm(group.some(({ how }) => how === 'firm'))
    commands.exec('BEGIN IMMEDIATE')
    for (const member of group) {
      // Alone it needs no savepoint: what fails is rolled back whole. Over a long transaction one costs dearly.
      const ending = await (group.length === 1 ? run(commands, member) : runInside(commands, member))
      if (ending.kind === 'fell') throw ending.error
      endings.push(ending)
    }
    commands.exec(endings.some(({ kind }) => kind === 'worked') ? 'COMMIT' : 'ROLLBACK')
  } catch (error) {
    if (commands.isOpen()) commands.exec('ROLLBACK')
    return alone(commands, group, error)
  }
  for (const { tell } of endings) tell()
}

async function run(commands: Commands, { work, done, failed }: Waiting): Promise<Ending | Fall> {
  try {
    const value = await work()
    return { kind: 'worked', tell: () => done(value) }
  } catch (error) {
    return commands.isOpen() ? { kind: 'failed', tell: () => failed(error) } : { kind: 'fell', error }
  }
}

async function runInside(commands: Commands, member: Waiting): Promise<Ending | Fall> {
  commands.exec('SAVEPOINT member')
  const ending = await run(commands, member)
  if (ending.kind === 'failed') commands.exec('ROLLBACK TO member')
  if (ending.kind !== 'fell') commands.exec('RELEASE member')
  return ending
}

/** The whole transaction fell: everyone tries alone, so that only the culprit fails. */
async function alone(commands: Commands, group: readonly Waiting[], error: unknown): Promise<void> {
  if (group.length > 1) for (const member of group) await commit(commands, [member])
  else group[0]?.failed(error)
}
