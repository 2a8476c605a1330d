/** What a broker needs: bytes of its store for what it keeps, memory at rest and for what runs, on SQLite and on PostgreSQL. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { ask } from '../../test/support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  pretendedOrder,
  slowOffer,
  startBrokerProcess,
} from '../../test/support/broker-process.ts'
import { startPostgres } from '../../test/support/postgres.ts'

const many = Number(process.env['CHANDLER_BENCH_INSTANCES'] ?? 500)
const atOnce = 20
/** Operations that run while memory is looked at. */
const running = 200
const settleMs = 3000

/** Prints the figures. */
export async function bench(): Promise<void> {
  await onStore('SQLite', 'sqlite', sqliteBytes)
  const server = await startPostgres({ durable: true })
  try {
    const url = await server.database()
    await onStore('PostgreSQL', url, () => postgresBytes(url))
  } finally {
    await server.stop()
  }
}

type StoreBytes = (dataDir: string) => number | Promise<number>

async function onStore(name: string, store: string, bytes: StoreBytes): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-sizing-'))
  const broker = await startBrokerProcess({
    ...{ dataDir, store },
    environment: {
      CHANDLER_HTTP_ADMIN_LISTEN: '127.0.0.1:0',
      CHANDLER_OPERATIONS_CONCURRENCY: '256',
      CHANDLER_OPERATIONS_PER_PLATFORM: '256',
    },
  })
  const tell = (what: string, value: number, unit: string): void =>
    console.log(`${name}: ${what}: ${value >= 100 ? value.toFixed(0) : value.toPrecision(2)} ${unit}`)
  try {
    await later(settleMs)
    tell('resident memory at rest', memoryOf(broker), 'MB')
    tell('store without anything in it', (await bytes(dataDir)) / 1024, 'KiB')
    const growth = async (each: (i: number) => Promise<void>): Promise<number> => {
      const before = await bytes(dataDir)
      await carriedOut(broker, each)
      return (await bytes(dataDir)) - before
    }
    const begun = performance.now()
    const instance = await growth((i) => order(broker, `kept-${i}`, { ms: 0 }))
    tell('store for an instance with its provision', instance / many / 1024, 'KiB')
    const seconds = (performance.now() - begun) / 1000
    tell(`provisions, from order to end, at load ${loadavg()[0]?.toFixed(0)}`, many / seconds, 'a second')
    const binding = await growth((i) => bind(broker, `kept-${i}`))
    tell('store for a binding with its operation', binding / many / 1024, 'KiB')
    const logged = await growth((i) => order(broker, `logs-${i}`, { ms: 1000, log_every_ms: 10 }))
    tell('store for a provision that prints 100 lines', logged / many / 1024, 'KiB')
    const before = memoryOf(broker)
    for (let i = 0; i < running; i++)
      await orderPretended(broker, `runs-${i}`, { ms: -1, log_every_ms: 1000 })
    await later(settleMs)
    tell(
      `memory more with ${running} operations that run and print, each`,
      ((memoryOf(broker) - before) * 1024) / running,
      'KiB',
    )
    tell('resident memory at the end', memoryOf(broker), 'MB')
  } finally {
    await broker.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Gives so many orders, some at once, and waits until all have ended. */
async function carriedOut(broker: BrokerProcess, each: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < many) await each(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  for (;;) {
    const answer = await ask(broker, '/api/v1/operations?state=active&limit=1', { as: accounts.operator })
    const { items } = (await answer.json()) as { readonly items: readonly unknown[] }
    if (items.length === 0) return
    await later(100)
  }
}

async function order(broker: BrokerProcess, instance: string, create: object): Promise<void> {
  const path = `/v2/service_instances/${instance}?accepts_incomplete=true`
  const answer = await ask(broker, path, {
    as: accounts.platform,
    method: 'PUT',
    body: pretendedOrder(create),
  })
  if (answer.status >= 300) throw new Error(`${instance}: ${answer.status} ${await answer.text()}`)
}

async function bind(broker: BrokerProcess, instance: string): Promise<void> {
  const path = `/v2/service_instances/${instance}/service_bindings/app?accepts_incomplete=true`
  const answer = await ask(broker, path, { as: accounts.platform, method: 'PUT', body: slowOffer })
  if (answer.status >= 300) throw new Error(`${instance}: ${answer.status} ${await answer.text()}`)
}

/** Pages that the file has, without what waits beside it to be written into it. */
function sqliteBytes(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'chandler.db'), { readOnly: true })
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  const bytes = pragma('page_count') * pragma('page_size')
  database.close()
  return bytes
}

async function postgresBytes(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  )
  await client.end()
  return Number(rows[0]?.bytes)
}

/** In megabytes. */
function memoryOf({ pid }: BrokerProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
