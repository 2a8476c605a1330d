/** Lets writers of one connection share a transaction: one commit and one flush, each with its own savepoint. */

import type { Durability } from '../database.ts'

/** What the group needs of its connection. */
export interface Commands {
  exec(command: string): void
  /** Whether a transaction is still open: some errors end it. */
  isOpen(): boolean
  /** Whether nothing is written any more, however often a write is tried. */
  isOver(): boolean
  /** Resolves when the disk has everything that was committed before it was asked. */
  flush(): Promise<void>
}

interface Waiting {
  readonly how: Durability
  readonly work: () => Promise<unknown>
  readonly done: (value: unknown) => void
  readonly failed: (error: unknown) => void
}

/** How a member's work ended; told only once the whole transaction is settled. */
type Ending =
  | { readonly kind: 'worked'; readonly how: Durability; readonly tell: (flushed: Promise<void>) => void }
  | { readonly kind: 'failed'; readonly tell: () => void }

/** The error took the whole transaction with it. */
interface Fall {
  readonly kind: 'fell'
  readonly error: unknown
}

const groupMax = 64

export interface Group {
  /** Runs the work inside a transaction of its own or a shared one, and answers once that is committed as asked. */
  write<T>(work: () => Promise<T>, how?: Durability): Promise<T>
  /** Resolves when the disk has everything that was committed before. */
  settled(): Promise<void>
  /** Runs a read while no transaction is open. */
  between<T>(read: () => T): Promise<T>
  /** Keeps all writers waiting while the work goes on. */
  apart(work: () => Promise<void>): Promise<void>
  /** Answers when nothing waits any more. */
  idle(): Promise<void>
}

/** `soon` starts the round: at once, or when the other requests that came in together have queued, too. */
export function makeGroup(commands: Commands, soon: (round: () => void) => void): Group {
  const waiting: Waiting[] = []
  const flushing = new Set<Promise<void>>()
  let reads: (() => void)[] = []
  const pauses: (() => Promise<void>)[] = []
  let busy = false
  let open = false

  const flush = (): Promise<void> => {
    const flushed = commands.flush()
    flushing.add(flushed)
    void flushed.then(
      () => flushing.delete(flushed),
      () => flushing.delete(flushed),
    )
    return flushed
  }
  const wake = (): void => {
    if (busy) return
    busy = true
    soon(() => void round())
  }
  const round = async (): Promise<void> => {
    if (waiting.length > 0) {
      open = true
      await commit({ commands, flush, waiting })
      open = false
    }
    for (const pause of pauses.splice(0)) await pause()
    busy = false
    const due = reads
    reads = []
    for (const read of due) read()
    // A new turn each time: endless writers must not keep other callers from being heard.
    if (waiting.length > 0 || pauses.length > 0) wake()
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
    settled: flush,
    between: (read) =>
      new Promise((resolve, reject) => {
        const now = () => settle(read, resolve, reject)
        if (open) reads.push(now)
        else now()
      }),
    apart: (work) =>
      new Promise((resolve, reject) => {
        pauses.push(() => work().then(resolve, reject))
        wake()
      }),
    idle: async () => {
      while (busy) await new Promise<void>((resolve) => reads.push(resolve))
      await Promise.allSettled(flushing)
    },
  }
}

function settle<T>(read: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(read())
  } catch (error) {
    reject(error)
  }
}

interface Round {
  readonly commands: Commands
  readonly flush: () => Promise<void>
  readonly waiting: Waiting[]
}

/** One transaction for the callers that wait, and for those that come while it is open. */
async function commit({ commands, flush, waiting }: Round): Promise<void> {
  const members: Waiting[] = []
  const endings: Ending[] = []
  try {
    commands.exec('BEGIN IMMEDIATE')
    while (members.length < groupMax) {
      const member = waiting.shift()
      if (member === undefined) break
      members.push(member)
      // Alone it needs no savepoint: what fails is rolled back whole. Over a long transaction one costs dearly.
      const isAlone = members.length === 1 && waiting.length === 0
      const ending = await (isAlone ? run(commands, member) : runInside(commands, member))
      if (ending.kind === 'fell') throw ending.error
      endings.push(ending)
      if (isAlone && ending.kind === 'failed') break
    }
    commands.exec(endings.some(({ kind }) => kind === 'worked') ? 'COMMIT' : 'ROLLBACK')
  } catch (error) {
    if (commands.isOpen()) commands.exec('ROLLBACK')
    if (commands.isOver()) {
      for (const member of [...members, ...waiting.splice(0)]) member.failed(error)
      return
    }
    return alone({ commands, flush, waiting: members }, error)
  }
  const needsDisk = endings.some((ending) => ending.kind === 'worked' && ending.how === 'firm')
  const flushed = needsDisk ? flush() : Promise.resolve()
  for (const ending of endings) ending.tell(flushed)
}

async function run(commands: Commands, { how, work, done, failed }: Waiting): Promise<Ending | Fall> {
  try {
    const value = await work()
    const tell = (flushed: Promise<void>): void =>
      how === 'firm' ? void flushed.then(() => done(value), failed) : done(value)
    return { kind: 'worked', how, tell }
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
async function alone({ waiting: members, ...round }: Round, error: unknown): Promise<void> {
  if (members.length > 1) for (const member of members) await commit({ ...round, waiting: [member] })
  else members[0]?.failed(error)
}
