/** SQLite: one connection that writes with group commit, one that reads, and the lock that keeps others out. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { invariant } from '../../kit/assert.ts'
import type { Clock } from '../../kit/clock.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import type { Database, Dialect, Row, Session, Value } from '../database.ts'
import { openCheckpoints } from './checkpoints.ts'
import { copyTo, refuseDamaged } from './copy.ts'
import { openFlush } from './flush.ts'
import { type Commands, type Group, makeGroup } from './group-commit.ts'
import { firstTime, lastTimeWriter, type Uptime, uptimeOfMachine } from './last-time.ts'
import { lockFile, shareLock } from './lock-file.ts'
import { preparePlace } from './place.ts'
import { isDamaged, isInputOutput, sqliteProblem } from './problem.ts'
import { steadyTime } from './steady-time.ts'
import { openTurn, type Turn } from './turn.ts'

const dialect: Dialect = {
  name: 'sqlite',
  list: '(SELECT value FROM json_each(?))',
  forUpdate: '',
  skipLocked: '',
  shareKey: '',
}

const settings = [
  'PRAGMA journal_mode = WAL',
  // A commit does not wait for the disk; a caller that is told of one that must survive a power loss does (see flush).
  'PRAGMA synchronous = NORMAL',
  // A thread does it; this is for when it cannot.
  'PRAGMA wal_autocheckpoint = 32768',
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA secure_delete = ON',
  'PRAGMA cache_size = -8000',
  'PRAGMA temp_store = MEMORY',
]

export interface SqliteOptions {
  readonly clock: Clock
  /** shared: several processes use the file at once, as commands without a server do. */
  readonly processes?: 'alone' | 'shared'
  /** How long the machine has been running. */
  readonly uptime?: () => Uptime
  /** How long to wait for a process that still has the file. */
  readonly connectMs?: number
  /** Told when the file can no longer be trusted: nothing more is written, the process should end. */
  readonly lost?: (error: unknown) => void
}

const lockPauseMs = 100

/** Opens the file, or a database in memory for `:memory:`; no second process can have it. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Database> {
  return path === ':memory:' ? openInMemory(options) : openFile(path, options)
}

/** Its time is steady. */
const noSteps: readonly [] = []

function openInMemory(options: SqliteOptions): Database {
  const writer = connect(':memory:', steadyTime(options.clock), {})
  // No timer and no I/O: a simulation depends on it.
  const commands = commandsOf(writer.db, options, () => Promise.resolve())
  const group = makeGroup(commands, queueMicrotask)
  const reader: Session = {
    dialect,
    now: async () => writer.now(),
    steps: () => noSteps,
    get: (text, ...values) => group.between(() => writer.get(text, values)),
    all: (text, ...values) => group.between(() => writer.all(text, values)),
    run: (text, ...values) => group.between(() => writer.run(text, values)),
    send: (text, ...values) => group.between(() => void writer.run(text, values)),
  }
  return assemble({ writer, reader, group, keepTime: () => undefined }, async () => writer.db.close())
}

async function openFile(path: string, options: SqliteOptions): Promise<Database> {
  preparePlace(path)
  const opened = await connectBoth(path, options)
  const { unlock } = opened
  try {
    const log = openFlush(path)
    const turn = turnOf(opened.looking, options)
    const commands = commandsOf(opened.writer.db, options, log.flush)
    const writer = telling(opened.writer, commands.failed)
    const looking = telling(inTurns(opened.looking, turn), commands.failed)
    const group = makeGroup(endingTurns(commands, turn), (round) => void setImmediate(round))
    const checkpoints = openCheckpoints({ path, apart: group.apart, failed: commands.failed })
    const counted: Group = {
      ...group,
      write: async (work, how) => {
        const value = await group.write(work, how)
        checkpoints.written()
        return value
      },
    }
    const { keepTime } = opened
    return assemble({ writer, reader: sessionOf(looking), group: counted, keepTime }, async () => {
      await checkpoints.close()
      await log.close()
      turn.end()
      looking.db.close()
      writer.db.close()
      unlock()
    })
  } catch (error) {
    unlock()
    throw sqliteProblem(error)
  }
}

interface Opened {
  readonly writer: Connection
  readonly looking: Connection
  /** Called in each transaction that writes. */
  readonly keepTime: () => void
  readonly unlock: () => void
}

/** Two processes that share a new file must not both set it up. */
async function connectBoth(path: string, options: SqliteOptions): Promise<Opened> {
  const isShared = options.processes === 'shared'
  const setUp = isShared ? await lockPatiently(`${path}.opening`, options, lockFile) : () => undefined
  try {
    const unlock = await lockPatiently(path, options, isShared ? shareLock : lockFile)
    try {
      const { clock, uptime = uptimeOfMachine } = options
      // Processes that share a file must agree on the time, so they go by the wall clock.
      let time = (): number => Math.floor(clock.now())
      const writer = connect(path, () => time(), {})
      if (!isShared) time = steadyTime(clock, firstTime(writer.db, clock.now(), uptime()))
      const keepTime = isShared ? () => undefined : lastTimeWriter(writer.db, () => time(), uptime)
      return { writer, looking: connect(path, () => time(), { readOnly: true }), keepTime, unlock }
    } catch (error) {
      unlock()
      throw sqliteProblem(error)
    }
  } finally {
    setUp()
  }
}

/** A process that is being replaced may need a moment to leave. */
async function lockPatiently(
  path: string,
  { clock, connectMs = 0 }: SqliteOptions,
  take: (path: string) => () => void,
): Promise<() => void> {
  const until = clock.monotonic() + connectMs
  for (;;) {
    try {
      return take(path)
    } catch (error) {
      const isLocked = error instanceof ProblemError && error.problem.code === 'store.locked'
      if (!isLocked || clock.monotonic() >= until) throw error
      await clock.sleep(lockPauseMs)
    }
  }
}

function assemble(
  {
    writer,
    reader,
    group,
    keepTime,
  }: Pick<Opened, 'writer' | 'keepTime'> & { reader: Session; group: Group },
  close: () => Promise<void>,
): Database {
  const listeners: ((text: string) => void)[] = []
  const notices = new WeakMap<Session, string[]>()
  // What is written is written: a listener's fault is not the writer's.
  const tell = (text: string): void => {
    for (const listener of listeners) queueMicrotask(() => listener(text))
  }
  const write: Database['write'] = async (work, { how } = {}) => {
    let pending: readonly string[] = []
    let result: Awaited<ReturnType<typeof work>>
    try {
      result = await group.write(async () => {
        const { session, end } = sessionOfOne(writer)
        try {
          const value = await work(session)
          pending = notices.get(session) ?? []
          keepTime()
          return value
        } finally {
          end()
        }
      }, how)
    } catch (error) {
      throw sqliteProblem(error)
    }
    for (const text of pending) tell(text)
    return result
  }
  return {
    reader,
    write,
    settled: () => group.settled(),
    verify: () => group.between(() => refuseDamaged(writer.db)),
    probe: () => write(async (session) => session.send('UPDATE cluster SET epoch = epoch')),
    // There is no pool.
    busy: () => 0,
    notify(session, text, when) {
      if (when === 'boarding') tell(text)
      else notices.set(session, [...(notices.get(session) ?? []), text])
    },
    onNotice: (listener) => void listeners.push(listener),
    backup: async (file) => {
      const source = writer.db.location() ?? fail('usage.invalid', 'a store in memory has no copies')
      await copyTo(source, file, writer.now())
    },
    close: async () => {
      await group.idle()
      await close()
    },
  }
}

interface Connection {
  readonly db: DatabaseSync
  now(): number
  get(text: string, values: readonly Value[]): Row | undefined
  all(text: string, values: readonly Value[]): readonly Row[]
  run(text: string, values: readonly Value[]): number
}

function connect(path: string, now: () => number, options: { readonly readOnly?: boolean }): Connection {
  const db = new DatabaseSync(path, { ...options, timeout: 5000, enableForeignKeyConstraints: true })
  db.function('now_ms', () => BigInt(now()))
  // Before the first table, and never again, for it writes: the file gives space back when old things are forgotten.
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() ?? {}
  if (pages === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
  if (!options.readOnly) for (const setting of settings) db.exec(setting)
  const prepared = new Map<string, StatementSync>()
  const statement = (text: string): StatementSync => {
    const known = prepared.get(text)
    if (known) return known
    // A limit that is a parameter has the plan made anew whenever it is given a value; one that is a sum has not.
    const made = db.prepare(text.replaceAll('LIMIT ?', 'LIMIT ?+0'))
    prepared.set(text, made)
    return made
  }
  return {
    db,
    now,
    get: (text, values) => statement(text).get(...values) as Row | undefined,
    all: (text, values) => statement(text).all(...values) as readonly Row[],
    run: (text, values) => Number(statement(text).run(...values).changes),
  }
}

/** The same connection; what goes wrong in it is told. */
function telling(connection: Connection, failed: (error: unknown) => void): Connection {
  const told = <T>(ask: () => T): T => {
    try {
      return ask()
    } catch (error) {
      failed(error)
      throw error
    }
  }
  return {
    ...connection,
    get: (text, values) => told(() => connection.get(text, values)),
    all: (text, values) => told(() => connection.all(text, values)),
    run: (text, values) => told(() => connection.run(text, values)),
  }
}

const noTurn: Turn = { read: () => undefined, end: () => undefined }

/** What other processes commit ends no turn of this one: where they share the file, each read is on its own. */
function turnOf({ db }: Connection, { processes }: SqliteOptions): Turn {
  return processes === 'shared' ? noTurn : openTurn(db, setImmediate)
}

/** The same connection, whose reads share the transaction of their turn. */
function inTurns(connection: Connection, turn: Turn): Connection {
  const during = <T>(ask: () => T): T => {
    turn.read()
    return ask()
  }
  return {
    ...connection,
    get: (text, values) => during(() => connection.get(text, values)),
    all: (text, values) => during(() => connection.all(text, values)),
  }
}

/** The same commands: a read after a commit sees it, and before a transaction begins no read holds the log. */
function endingTurns(commands: Commands, turn: Turn): Commands {
  return {
    ...commands,
    exec: (command) => {
      if (command.startsWith('BEGIN')) turn.end()
      try {
        commands.exec(command)
      } finally {
        if (command === 'COMMIT') turn.end()
      }
    },
  }
}

/** A session for reads: what goes wrong is told as a problem. */
function sessionOf(connection: Connection): Session {
  const asked = <T>(ask: () => T): T => {
    try {
      return ask()
    } catch (error) {
      throw sqliteProblem(error)
    }
  }
  return {
    dialect,
    now: async () => connection.now(),
    steps: () => noSteps,
    get: async (text, ...values) => asked(() => connection.get(text, values)),
    all: async (text, ...values) => asked(() => connection.all(text, values)),
    run: async (text, ...values) => asked(() => connection.run(text, values)),
    send: async (text, ...values) => void asked(() => connection.run(text, values)),
  }
}

/** A session that is over with its work: a statement that comes late would land in another caller's transaction. */
function sessionOfOne(connection: Connection): { readonly session: Session; readonly end: () => void } {
  let isOver = false
  const inTime = (): Connection => {
    invariant(!isOver, 'a transaction is not used after its end')
    return connection
  }
  return {
    session: {
      dialect,
      now: async () => inTime().now(),
      steps: () => noSteps,
      get: async (text, ...values) => inTime().get(text, values),
      all: async (text, ...values) => inTime().all(text, values),
      run: async (text, ...values) => inTime().run(text, values),
      send: async (text, ...values) => void inTime().run(text, values),
    },
    end: () => {
      isOver = true
    },
  }
}

/** After a failed sync it is unknown what the file holds: it is not tried again on the same file. */
function commandsOf(
  db: DatabaseSync,
  { lost }: SqliteOptions,
  flush: () => Promise<void>,
): Commands & { failed(error: unknown): void } {
  let fault: unknown
  const fell = (error: unknown): void => {
    if (fault !== undefined) return
    fault = error
    lost?.(error)
  }
  return {
    exec: (command) => {
      if (fault !== undefined && command.startsWith('BEGIN')) throw fault
      try {
        db.exec(command)
      } catch (error) {
        if (isInputOutput(error)) fell(error)
        throw error
      }
    },
    isOpen: () => db.isOpen && db.isTransaction,
    // A write that comes after the end is refused like one on a lost disk.
    isOver: () => fault !== undefined || !db.isOpen,
    flush: () =>
      flush().catch((cause: Error) => {
        const problem = new ProblemError({ code: 'store.unavailable', detail: cause.message, cause })
        fell(problem)
        throw problem
      }),
    // Anything else than the disk, such as one that is full, leaves the log as it is for the next time. In a damaged file
    // nothing is written any more, so no work is claimed and no lease kept; what can be read is still answered.
    failed: (error) => {
      if (isInputOutput(error)) fell(error)
      if (isDamaged(error)) fault ??= error
    },
  }
}
