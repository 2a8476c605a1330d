/** A bundle of real playbooks: Debian's ansible-core with modules that call the Kubernetes API, and accounts of a real database server. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { freshFolder } from '../support/image.ts'
import { askForPasswords, findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { ansibleImage, ansibleMissing } from './ansible-image.ts'

const place = findPostgres()
const notRoot =
  process.getuid?.() === 0 ? undefined : 'a broker that is not root runs no program as the user of its image'
const missing = notRoot ?? ('missing' in place ? place.missing : ansibleMissing())
if (missing !== undefined) console.log(`skipped: ${missing}`)

const succeeded = { state: 'succeeded' }

/** What the server says to a user of that name. */
async function login(
  server: PostgresServer,
  { DB_NAME, DB_USER, DB_PASSWORD }: Readonly<Record<string, string>>,
) {
  const { hostname, port } = new URL(server.url)
  const client = new pg.Client({
    host: hostname,
    port: Number(port),
    database: DB_NAME ?? '',
    user: DB_USER ?? '',
    password: DB_PASSWORD ?? '',
  })
  try {
    await client.connect()
    return (await client.query('SELECT current_user AS name')).rows[0]?.name as string
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end().catch(() => undefined)
  }
}

describe.skipIf(missing !== undefined)('a bundle of playbooks', { timeout: 1_800_000 }, () => {
  let folder: string
  let server: PostgresServer
  let broker: TestBroker
  let platform: Platform

  beforeAll(async () => {
    folder = freshFolder('ansible')
    server = await startPostgres()
    await askForPasswords(server)
    const bundle = 'test/apb/database'
    const reference = await ansibleImage(folder, bundle, readFileSync(join(bundle, 'apb.yml'), 'utf8'))
    const { host } = new URL(server.url)
    const uri = server.url.replace('127.0.0.1', 'database.test')
    const entry = {
      package: reference,
      options: { namespace: 'databases' },
      infrastructure: [{ name: 'db-admin/admin_uri', value: uri }],
      lend: [`database.test=${host}`],
    }
    broker = await offering([entry])
    platform = new Platform(broker)
  }, 1_800_000)

  afterAll(async () => {
    await broker?.stop()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('makes a database, gives accounts that work until they are taken back, and goes', async () => {
    const at = (path: string) => `/v2/service_instances/${path}`
    const made = await platform.end('i-1', await platform.provision('i-1', 'small', { owner: 'me' }))
    const instance = (await platform.ask('GET', at('i-1'))).body
    const bound = await platform.end('i-1/service_bindings/b-1', await platform.bind('i-1', 'b-1', 'small'))
    const { credentials } = (await platform.ask('GET', at('i-1/service_bindings/b-1'))).body as {
      readonly credentials: Readonly<Record<string, string>>
    }
    const seen = await login(server, credentials)
    const guessed = await login(server, { ...credentials, DB_PASSWORD: 'guessed' })
    const unbound = await platform.end(
      'i-1/service_bindings/b-1',
      await platform.remove('i-1/service_bindings/b-1', 'small'),
    )
    const seenLater = await login(server, credentials)
    const gone = await platform.end('i-1', await platform.remove('i-1', 'small'))
    const database = await login(server, { DB_NAME: credentials['DB_NAME'] ?? '', DB_USER: 'chandler' })

    expect([made, bound, unbound, gone]).toMatchObject([succeeded, succeeded, succeeded, succeeded])
    expect(instance).toMatchObject({ dashboard_url: 'https://dashboard.example/db_i_1' })
    expect(credentials).toEqual({
      DB_NAME: 'db_i_1',
      DB_USER: 'u_b_1',
      DB_PASSWORD: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
    })
    expect(seen).toBe('u_b_1')
    expect([guessed, seenLater]).toEqual(Array(2).fill('password authentication failed for user "u_b_1"'))
    expect(database).toBe('database "db_i_1" does not exist')
    expect(broker.logLines.join('\n')).not.toContain(credentials['DB_PASSWORD'])
  })

  test('a playbook that fails fails the order, and its task is in the log', async () => {
    await platform.end('i-2', await platform.provision('i-2', 'small', {}))
    await platform.end('i-2', await platform.remove('i-2', 'small'))
    await server.crash()
    const failed = await platform.end('i-3', await platform.provision('i-3', 'small', {}))
    await server.start()

    expect(failed).toMatchObject({
      state: 'failed',
      description: expect.stringContaining('Error occurred during provision'),
    })
  })

  test("runs the bundle's own test, and its words are the result", async () => {
    await platform.end('i-4', await platform.provision('i-4', 'small', {}))

    expect(await platform.invoke('i-4', 'test')).toMatchObject({ 'test-result': '0\nthe server answers 42' })
  })
})
