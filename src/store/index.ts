/** Opens the store: SQLite or PostgreSQL by its URL, migrated, and with the key ring that belongs to it. */
import { type Chance, type Clock, systemChance } from '../kit/clock.ts'
import { fail, type ProblemError } from '../model/problem.ts'
import { openCluster, resealCheck, takeRing } from './cluster.ts'
import type { Database } from './database.ts'
import type { KeyRing } from './keys.ts'
import { Looking } from './look.ts'
import { migrate } from './migrate.ts'
import { voidLeases } from './queue.ts'
import { proveUnused, resealBatch } from './sealing.ts'
import { openSqlite } from './sqlite/database.ts'
import type { Uptime } from './sqlite/last-time.ts'
import type { Hint, Store } from './store.ts'
import { nameOfInstance, type Surroundings, Writing } from './transaction.ts'

export interface StoreOptions {
  /** `sqlite:FILE`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string
  readonly keys: KeyRing
  readonly clock: Clock
  readonly chance?: Chance
  /** Connections that write, and how long one statement may take (PostgreSQL). */
  readonly poolSize?: number
  readonly statementMs?: number
  /** How long the time of a server is reckoned on from when it last told; 0 asks each time. */
  readonly timeTrustMs?: number
  /** How long to wait for a server that does not answer yet, or a process that still has the file. */
  readonly connectMs?: number
  /** How long the machine has been running (SQLite); as the system tells it, unless given. */
  readonly uptime?: () => Uptime
  /** Whether several processes use one file of SQLite at once. */
  readonly processes?: 'alone' | 'shared'
  /** Whether an older schema is brought forward, or left as it is and refused with store.older. */
  readonly schema?: 'forward' | 'as-is'
  /** Told when the database file can no longer be trusted: nothing more is written, the process should end. */
  readonly lost?: (error: unknown) => void
  /** Told when the clock of a server was set, and how far. Problem: store.clock-step. */
  readonly stepped?: (problem: ProblemError) => void
}

const queued: Hint = { kind: 'queued' }

const turnStepMs = 1000

/** Opens, migrates and checks. Problems: store.locked, store.newer, store.older, store.unavailable, key.wrong. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = await openDatabase(options)
  try {
    const hands = { ...options, chance: options.chance ?? systemChance }
    const keys = await database.write(async (session) => {
      const steps = await migrate(session)
      // Fails inside the transaction, so that nothing of it stays.
      if (steps > 0 && options.schema === 'as-is')
        fail('store.older', `${steps} steps of the schema are missing`)
      const own = await openCluster(session, hands)
      // The process that had the lock of the file before this one is gone; a reader changes nothing.
      const isAlone = session.dialect.name === 'sqlite' && options.processes !== 'shared'
      if (isAlone && options.schema !== 'as-is') await voidLeases(session)
      return own
    })
    return storeOf(database, options.keys, {
      ...keys,
      turn: makeTurns(options.clock),
      tell: (session, hint) =>
        database.notify(session, JSON.stringify(hint), hint.kind === 'queued' ? 'boarding' : 'committed'),
    })
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openDatabase(options: StoreOptions): Promise<Database> {
  const { url, clock, chance = systemChance } = options
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), options)
  if (/^postgres(ql)?:/.test(url)) {
    // Loaded only when needed: most brokers and every command of the CLI do without.
    const { openPostgres } = await import('./postgres/database.ts')
    const { poolSize = 10, statementMs = 10_000, connectMs = 5000, timeTrustMs = 1000 } = options
    const missed = JSON.stringify(queued)
    const waits = { statementMs, connectMs, timeTrustMs }
    const stepped = options.stepped ?? (() => undefined)
    return openPostgres({ url, clock, chance, poolSize, ...waits, missed, stepped })
  }
  return fail('settings.invalid', `store.url: ${url.split(':')[0]} is not a kind of store`)
}

function storeOf(database: Database, keys: KeyRing, around: Surroundings): Store {
  const broken = new Set<string>()
  return {
    look: new Looking(database.reader, around),
    write: (work, { about, ...manner } = {}) =>
      database.write(
        (session) => work(new Writing(session, around)),
        about ? { ...manner, about: nameOfInstance(about) } : manner,
      ),
    settled: () => database.settled(),
    probe: () => database.probe(),
    verify: () => database.verify(),
    busy: () => database.busy(),
    onHint: (listener) =>
      database.onNotice((text) => {
        const hint = JSON.parse(text) as Hint
        if (hint.kind === 'tenants') around.sealer.forgetTenants()
        listener(hint)
      }),
    backup: (file) => database.backup(file),
    takeKeys: () => database.write((session) => takeRing(session, keys)),
    async retireKey(key, remove) {
      // The transaction may be repeated, the removal not.
      let isRemoved = false
      await database.write(async (session) => {
        if (isRemoved) return
        await proveUnused(session, key)
        remove()
        isRemoved = true
      })
    },
    reseal: (batch) => {
      return database.write(async (session) => {
        await takeRing(session, keys)
        await resealCheck(session, around.sealer)
        return resealBatch(session, around.sealer, { batch, broken })
      })
    },
    close: () => database.close(),
  }
}

/** A platform's operations stand a second apart, so that one with many does not make the others wait. */
function makeTurns(clock: Clock): Surroundings['turn'] {
  const last = new Map<string, number>()
  return (platform) => {
    const turn = Math.max((last.get(platform) ?? 0) + turnStepMs, Math.floor(clock.now()))
    last.set(platform, turn)
    return turn
  }
}
