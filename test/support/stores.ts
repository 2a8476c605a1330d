/** Stores for tests: every kind behind one shape, with a clock that moves only when told to. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Clock, systemChance } from '../../src/kit/clock.ts'
import type { Row, Session } from '../../src/store/database.ts'
import { openStore, type StoreOptions } from '../../src/store/index.ts'
import type { Store } from '../../src/store/store.ts'
import { makeKeyRing } from './key-ring.ts'
import { findPostgres, sharedPostgres } from './postgres.ts'

export type StoreKind = 'memory' | 'sqlite' | 'postgres'

export interface TestStore extends AsyncDisposable {
  readonly store: Store
  readonly options: StoreOptions
  /** Moves the clock of the database. */
  advance(ms: number): Promise<void>
  /** Changes rows behind the store's back. */
  damage(statement: string): Promise<void>
  /** Answers once listeners hear what is said from now on. */
  listening(): Promise<void>
  /** Another process on the same database, where there can be one. */
  another(): Promise<Store>
}

const place = findPostgres()

/** What this machine lacks, if it lacks it: tests over PostgreSQL are skipped then, and say so. */
export const missingPostgres = 'missing' in place ? place.missing : undefined

export const storeKinds: readonly StoreKind[] =
  missingPostgres === undefined ? ['memory', 'sqlite', 'postgres'] : ['memory', 'sqlite']

const start = Date.UTC(2030, 0, 1)

/** An empty store of a kind. */
export async function openTestStore(kind: StoreKind, given: Partial<StoreOptions> = {}): Promise<TestStore> {
  const clock = makeClock()
  const keys = makeKeyRing(systemChance)
  const chance = systemChance
  if (kind === 'postgres') return openOnPostgres({ clock, keys, chance, ...given })
  const folder = mkdtempSync(join(tmpdir(), 'chandler-store-'))
  const url = kind === 'memory' ? 'sqlite::memory:' : `sqlite:${join(folder, 'chandler.db')}`
  const options = { url, clock, keys, chance, ...given }
  const store = await openStore(options)
  return {
    store,
    options,
    advance: async (ms) => clock.advance(ms),
    damage: (statement) => damage(store, statement),
    listening: async () => undefined,
    another: async () => store,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openOnPostgres(given: Omit<StoreOptions, 'url'>): Promise<TestStore> {
  const url = await (await sharedPostgres()).database()
  // Pauses between tries are real there, as the server is.
  const options = {
    ...given,
    url,
    timeTrustMs: 0,
    clock: { ...given.clock, sleep: realSleep, monotonic: () => performance.now() },
  }
  const stores = [await openStore(options)]
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`CREATE TABLE test_clock AS SELECT ${start}::bigint AS ms`)
  await admin.query(`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT ms FROM test_clock'`)
  return {
    store: stores[0] as Store,
    options,
    advance: async (ms) => void (await admin.query(`UPDATE test_clock SET ms = ms + ${ms}`)),
    damage: (statement) => damage(stores[0] as Store, statement),
    listening: async () => {
      const asks = `SELECT count(*)::int AS many FROM pg_stat_activity WHERE query = 'LISTEN chandler'
        AND state = 'idle' AND datname = current_database()`
      while ((await admin.query(asks)).rows[0].many === 0) await realSleep(10)
    },
    another: async () => {
      const other = await openStore(options)
      stores.push(other)
      return other
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) await store.close()
      await admin.end()
    },
  }
}

function damage(store: Store, statement: string): Promise<void> {
  return store.write(
    async (tx) => void (await (tx as unknown as { session: Session }).session.run(statement)),
  )
}

/** Rows as they lie in the database. */
export function rowsIn(store: Store, statement: string): Promise<readonly Row[]> {
  return (store.look as unknown as { session: Session }).session.all(statement)
}

/** A clock that stands still. */
export function makeClock(): Clock & { advance(ms: number): void } {
  let now = start
  return {
    now: () => now,
    monotonic: () => now - start,
    sleep: async (ms) => {
      now += ms
    },
    advance: (ms) => {
      now += ms
    },
  }
}

function realSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
