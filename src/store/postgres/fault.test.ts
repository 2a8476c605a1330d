/** PostgreSQL that goes away: what was acknowledged is kept, what is unknown is asked for, what can wait waits. */
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKeyRing } from '../../../test/support/key-ring.ts'
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts'
import { codeOf } from '../../../test/support/problems.ts'
import { anInstance, anOperation } from '../../../test/support/rows.ts'
import { missingPostgres } from '../../../test/support/stores.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import type { ProblemError } from '../../model/problem.ts'
import { openStore } from '../index.ts'
import type { Store } from '../store.ts'

const keys = makeKeyRing(systemChance)

describe.skipIf(missingPostgres !== undefined)('with a server of its own', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('a server that crashes and comes back is waited for, and nothing acknowledged is lost', async () => {
    const store = await open(await server.database())
    await put(store, 'before')

    await server.crash()
    const writing = put(store, 'during')
    const reading = store.look.instance({ platform: 'cf', instance: 'before' })
    await server.start()

    await writing
    expect((await reading)?.instance).toBe('before')
    expect((await store.look.instances({ most: 10 })).items.map(({ instance }) => instance)).toEqual([
      'before',
      'during',
    ])
    await store.close()
  })

  test('a server that stays away is a store that is unavailable', async () => {
    const url = await server.database()
    const store = await open(url)
    await server.crash()

    await expect(codeOf(put(store, 'a'))).resolves.toBe('store.unavailable')
    await expect(codeOf(open(url, 100))).resolves.toBe('store.unavailable')

    await server.start()
    await store.probe()
    await store.close()
  })

  test('a server that comes up after us is waited for', async () => {
    const url = await server.database()
    await server.crash()

    const opening = open(url)
    await server.start()

    await (await opening).close()
  })

  test('hints are heard again after the server came back, and a break is told as something to look for', async () => {
    const store = await open(await server.database())
    const heard: string[] = []
    let told = (): void => undefined
    store.onHint((hint) => {
      heard.push(hint.kind)
      told()
    })
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        told = resolve
      })
    await next()

    const again = next()
    await server.crash()
    await server.start()
    await again
    const ended = next()
    await store.write(async (tx) => tx.hint({ kind: 'ended', operation: 'op' }))
    await ended

    expect(heard).toEqual(['queued', 'queued', 'ended'])
    await store.close()
  })

  test.each([
    ['arrived', true],
    ['was lost on the way', false],
  ])('a commit whose connection broke is known by its number: it %s', async (_, arrives) => {
    const url = await server.database()
    const proxy = await startProxy(Number(new URL(url).port))
    const store = await open(`${url.replace(/:\d+\//, `:${proxy.port}/`)}`)
    let runs = 0

    proxy.cutAtCommit(arrives)
    await store.write(async (tx) => {
      runs++
      await tx.lockInstance({ platform: 'cf', instance: 'a' })
      await tx.putInstance(anInstance({ instance: 'a', generation: runs }))
    })

    expect(runs).toBe(arrives ? 1 : 2)
    const found = await store.look.instance({ platform: 'cf', instance: 'a' })
    expect(found?.generation).toBe(runs)
    await store.close()
    await proxy.close()
  })

  test('connections that are cut in the middle of their work are replaced, and the work is done again', async () => {
    const url = await server.database()
    const store = await open(url)
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    let runs = 0

    await store.write(async (tx) => {
      runs++
      await tx.lockInstance({ platform: 'cf', instance: 'a' })
      if (runs === 1)
        await admin.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
      await tx.putInstance(anInstance({ instance: 'a' }))
    })

    expect(runs).toBe(2)
    expect((await store.look.instances({ most: 10 })).items).toHaveLength(1)
    await admin.end()
    await store.close()
  })

  test('damaged files are told as damage, and from then on nothing is written', async () => {
    const url = await server.database()
    const store = await open(url)
    await put(store, 'before')
    const file = await fileOf(url, 'instances')
    await server.crash()
    writeFileSync(file, Buffer.alloc(8192, 0xa5))
    await server.start()
    await store.probe()

    const read = await codeOf(store.look.instance({ platform: 'cf', instance: 'before' }))
    const written = await codeOf(store.write((tx) => tx.addTombstone('run', 'gone', 1000)))
    const ready = await codeOf(store.probe())
    const elsewhere = await codeOf(store.look.auditHeight())
    await store.close()

    expect([read, written, ready, elsewhere]).toEqual([
      'store.corrupt',
      'store.corrupt',
      'store.corrupt',
      'nothing failed',
    ])
  })

  test('a clock of the server that is set is told, once', async () => {
    const url = await server.database()
    const steps: string[] = []
    const stepped = ({ problem }: ProblemError) => steps.push(problem.code)
    const store = await openStore({ url, keys, clock: systemClock, stepped })
    await store.probe()

    await setClock(url, '3 hours')
    await store.probe()
    await store.probe()
    await store.close()

    expect(steps).toEqual(['store.clock-step'])
  })

  test('where the clock of the server is set forward, no operation that had begun is overdue', async () => {
    const url = await server.database()
    const store = await openStore({ url, keys, clock: systemClock, timeTrustMs: 0 })
    const begun = await store.look.now()
    const before = anOperation({ createdAt: begun, deadlineAt: begun + 3_600_000 })
    await store.write((tx) => tx.addOperation(before))

    await setClock(url, '3 hours')
    const overdue = await store.write((tx) => tx.overdue(0, 10))
    const now = await store.look.now()
    const late = anOperation({
      target: { platform: 'cf', instance: 'i-2' },
      ...{ createdAt: now - 60_000, deadlineAt: now - 1000 },
    })
    await store.write((tx) => tx.addOperation(late))
    const later = await store.write((tx) => tx.overdue(0, 10))

    expect(overdue).toEqual([])
    expect(later.map(({ id }) => id)).toEqual([late.id])
    expect((await store.look.nowFor(begun)) - begun).toBeLessThan(3_600_000)
    expect((await store.look.nowFor(now)) - begun).toBeGreaterThan(3_600_000)
    await store.close()
  })

  test('a server that may forget what it acknowledged is refused', async () => {
    const url = await server.database()
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
    await admin.end()

    await expect(codeOf(open(url))).resolves.toBe('settings.invalid')
  })

  test('another ring is refused, and nothing is written', async () => {
    const url = await server.database()
    await (await open(url)).close()

    const wrong = openStore({ url, keys: makeKeyRing(systemChance), clock: systemClock })

    await expect(codeOf(wrong)).resolves.toBe('key.wrong')
    const store = await open(url)
    expect(await store.look.sealedByKey()).toEqual([{ key: keys.active(), records: 1 }])
    await store.close()
  })

  test('a copy is left to the tools of the database', async () => {
    const store = await open(await server.database())

    await expect(codeOf(store.backup('/nowhere'))).resolves.toBe('usage.invalid')
    await store.close()
  })
})

function open(url: string, connectMs = 20_000): Promise<Store> {
  return openStore({ url, keys, clock: systemClock, connectMs })
}

/** Where the server keeps a table. */
async function fileOf(url: string, table: string): Promise<string> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  // What was written is in the file, and not only in the log from which a crash would bring it back.
  await admin.query('CHECKPOINT')
  const { rows } = await admin.query<{ file: string }>(
    `SELECT current_setting('data_directory') || '/' || pg_relation_filepath($1) AS file`,
    [table],
  )
  await admin.end()
  return rows[0]?.file ?? ''
}

/** Sets the clock that the store goes by. */
async function setClock(url: string, forward: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
    AS 'SELECT floor(extract(epoch FROM clock_timestamp() + interval ''${forward}'') * 1000)::bigint'`)
  await admin.end()
}

function put(store: Store, instance: string): Promise<void> {
  return store.write(async (tx) => {
    await tx.lockInstance({ platform: 'cf', instance })
    await tx.putInstance(anInstance({ instance }))
  })
}

interface Proxy {
  readonly port: number
  /** Breaks the connection of the next commit, after the server has it or before. */
  cutAtCommit(arrives: boolean): void
  close(): Promise<void>
}

/** Stands between client and server, and knows when a commit goes by. */
async function startProxy(target: number): Promise<Proxy> {
  let cut: { readonly arrives: boolean } | undefined
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let isCut = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (chunk) => {
      if (cut !== undefined && chunk.includes('COMMIT')) {
        const { arrives } = cut
        cut = undefined
        isCut = true
        if (!arrives) upstream.destroy()
        else upstream.write(chunk)
        if (!arrives) client.destroy()
        return
      }
      upstream.write(chunk)
    })
    // The answer to the commit is what gets lost.
    upstream.on('data', (chunk) => (isCut ? client.destroy() : client.write(chunk)))
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cutAtCommit: (arrives) => {
      cut = { arrives }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
