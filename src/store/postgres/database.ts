/** PostgreSQL: a pool of writers that run again what lost a race, shared readers, and a listener. */
import pg from 'pg'
import type { Chance, Clock } from '../../kit/clock.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import type { Database, Work } from '../database.ts'
import { makeGroups } from './group.ts'
import { command, configOf, type LineOptions } from './line.ts'
import { channel, makeListener } from './listener.ts'
import { type Patience, patiently } from './patience.ts'
import { clockStep, isFuture } from './problem.ts'
import { makeReaders } from './readers.ts'
import { makeServerTime, type ServerTime } from './server-time.ts'
import { begin } from './transaction.ts'

export interface PostgresOptions extends LineOptions {
  readonly clock: Clock
  readonly chance: Chance
  /** What listeners are told when they may have missed something. */
  readonly missed: string
  /** How long to wait for the server at the opening. */
  readonly connectMs: number
  /** How long the server's time is reckoned on from when it last told. */
  readonly timeTrustMs: number
  /** Told when the server's clock was set, and how far. */
  stepped(problem: ProblemError): void
}

// A query without an answer fails after so long.
const patienceMs = 5000

// A write that shares a transaction must not keep the others waiting for a lock. And the plan of a change of many rows is made
// once, perhaps over an empty table, but must still be good when that is full: each row by its index.
const shared = [
  'SET LOCAL lock_timeout = 100',
  ...['seqscan', 'hashjoin', 'mergejoin'].map((way) => `SET LOCAL enable_${way} = off`),
].join(';')

const queueTimedOut = 'timeout exceeded when trying to connect'

// As long as a request may take, at most.
const queueWaitsMax = 5

// Only so many versions of a transaction's number are asked for while the server still thinks about it.
const fateAsksMax = 20

// Several may start at once: one after another.
const clockFunction = `BEGIN;
  SELECT pg_advisory_xact_lock(2026, 1);
  DO $do$ BEGIN
    IF to_regproc('now_ms') IS NULL THEN
      CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
        AS 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
    END IF;
  END $do$;
  COMMIT`

/** Opens the pool; nothing is asked of the server yet but its clock function. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  let damage: unknown
  const patience: Patience = {
    clock: options.clock,
    chance: options.chance,
    ms: patienceMs,
    damaged: (problem) => {
      damage ??= problem
    },
  }
  const pool = new pg.Pool({ ...configOf(options), max: options.poolSize })
  // A connection that breaks while idle is simply replaced.
  pool.on('error', ignore)
  // It may break when it was just given back, too, or while its fate is asked for: a listener must be there then, too.
  pool.on('connect', (client) => client.on('error', ignore))
  const time = makeServerTime(options.clock, options.timeTrustMs, (ms) => options.stepped(clockStep(ms)))
  const readers = makeReaders(options, patience, time)
  // Over damaged files nothing is written any more, so no work is claimed and no lease kept; what can be read is still answered.
  const mayWrite = (): void => {
    if (damage !== undefined) throw damage
  }
  const hands: Hands = { pool, patience, time, mayWrite }
  const listener = makeListener(options, options.clock, options.missed)
  const alone = <T>(work: Work<T>): Promise<T> => patiently(patience, () => attempt(hands, work))
  const groups = makeGroups((works) => attemptAll(hands, works, shared), alone)
  // Several nodes see what is committed here, so that all of it is firm: none may see a claim that a crash takes back.
  const write: Database['write'] = (work, { about } = {}) =>
    about === undefined ? alone(work) : groups.write(about, work)
  const database: Database = {
    reader: readers.session,
    write,
    // Every commit waits for the disk.
    settled: () => Promise.resolve(),
    verify: () => Promise.resolve(),
    probe: () => write(async (session) => void (await session.run('UPDATE cluster SET epoch = epoch'))),
    busy: () => pool.totalCount - pool.idleCount,
    notify: (session, text) => void session.send('SELECT pg_notify(?, ?)', channel, text),
    onNotice: (hear) => listener.onNotice(hear),
    backup: async () =>
      fail('usage.invalid', 'PostgreSQL is backed up with its own tools, for example pg_dump'),
    close: async () => {
      await listener.close()
      await readers.close()
      await pool.end()
    },
  }
  try {
    const opening = { ...patience, ms: options.connectMs }
    await patiently(opening, () => prepareServer(pool))
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

interface Hands {
  readonly pool: pg.Pool
  readonly patience: Patience
  readonly time: ServerTime
  /** Throws when nothing is to be written any more. */
  mayWrite(): void
}

async function prepareServer(pool: pg.Pool): Promise<void> {
  const client = await connect(pool)
  let isDone = false
  client.on('error', ignore)
  try {
    const { rows } = await command(client, `SELECT current_setting('synchronous_commit') AS value`)
    if (rows[0]?.['value'] === 'off')
      fail('settings.invalid', 'store.url: synchronous_commit of the server is off')
    await command(client, clockFunction)
    isDone = true
  } finally {
    client.off('error', ignore)
    client.release(!isDone)
  }
}

function ignore(): void {
  // The next caller of this connection hears of it.
}

async function attempt<T>(hands: Hands, work: Work<T>): Promise<T> {
  const [value] = await attemptAll(hands, [work])
  return value as T
}

/** Several works in one transaction: all are kept, or none. */
async function attemptAll<T>(
  { pool, patience, time, mayWrite }: Hands,
  works: readonly Work<T>[],
  settings?: string,
): Promise<readonly T[]> {
  mayWrite()
  const client = await connect(pool)
  let isBroken = false
  const breaks = (): void => {
    isBroken = true
  }
  client.on('error', breaks)
  const transaction = begin(client, time, settings)
  try {
    let values: readonly T[]
    try {
      values = await allOf(works.map((work) => work(transaction.member())))
    } catch (error) {
      if (!(await transaction.rollback())) isBroken = true
      throw transaction.firstError() ?? error
    }
    const end = await transaction.commit()
    if (end.kind === 'committed') return values
    isBroken ||= end.kind === 'unknown' || !(await transaction.rollback())
    if (end.kind === 'unknown' && (await fateOf(pool, patience, end.number)) === 'committed') return values
    throw end.error
  } finally {
    client.off('error', breaks)
    client.release(isBroken)
  }
}

/** All values, or the first failure once none is still at work. */
async function allOf<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  for (let waits = 1; ; waits++) {
    try {
      return await pool.connect()
    } catch (cause) {
      const { message } = cause as Error
      // All connections are at work: the server is there, and many wait their turn.
      if (message === queueTimedOut && waits < queueWaitsMax) continue
      throw new ProblemError({ code: 'store.unavailable', detail: message, cause })
    }
  }
}

/** What became of a transaction whose connection broke under its commit. */
async function fateOf(pool: pg.Pool, patience: Patience, number: string): Promise<'committed' | 'aborted'> {
  for (let asks = 0; asks < fateAsksMax; asks++) {
    const fate = await patiently(patience, async () => {
      const client = await connect(pool)
      try {
        const { rows } = await command(client, `SELECT pg_xact_status('${BigInt(number)}'::xid8) AS fate`)
        return rows[0]?.['fate']
      } catch (error) {
        // The server came back without it, from a copy that lagged behind.
        if (isFuture(error)) return 'aborted'
        throw error
      } finally {
        client.release()
      }
    })
    if (fate === 'committed' || fate === 'aborted') return fate
    await patience.clock.sleep(100)
  }
  return fail('store.unavailable', 'nobody knows whether the last change was kept')
}
