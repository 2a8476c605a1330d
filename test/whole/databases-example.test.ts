/** The databases of the examples, in every contract: credentials that open a real PostgreSQL server, and no longer after unbind. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { databasePackages } from '../../scripts/example-packages.ts'
import { Platform } from '../cnab/platform.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { catalogOf, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { buildExamples } from '../support/built-examples.ts'
import { ensurePrograms } from '../support/debian.ts'
import { askForPasswords, findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'

const place = findPostgres()
const missing =
  'missing' in place ? place.missing : ensurePrograms('busybox', 'curl', 'slirp4netns', 'ip', 'nsenter')
if (missing !== undefined) console.log(`skipped: ${missing}`)
const noTerraform = hostEngine() === undefined ? 'there is no terraform and no tofu' : undefined

const contracts: readonly (readonly [contract: string, parameters: object, why: string | undefined])[] = [
  ['tweed', {}, undefined],
  ['apb', {}, undefined],
  ['brokerpak', {}, noTerraform],
  ['cnab', {}, undefined],
  ['toi', { name: 'shop' }, undefined],
]

describe.skipIf(missing !== undefined)('a database', { timeout: 600_000 }, () => {
  const folder = newFolder()
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
    await askForPasswords(server)
    await buildExamples(
      join(folder, 'built'),
      ['tweed', 'apb', 'cnab', 'toi'].map((name) => `databases/${name}`),
    )
  }, 600_000)
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test.for(contracts)('of %s is opened by credentials that end with their binding', async (row, { skip }) => {
    const [contract, parameters, why] = row
    skip(why !== undefined, why)
    const broker = await offering(contract)
    try {
      const platform = new Platform(broker)
      const binding = 'i-1/service_bindings/b-1'
      const bound = async () => (await platform.ask('GET', `/v2/service_instances/${binding}`)).body
      const made = await platform.end('i-1', await platform.provision('i-1', 'shared', { ...parameters }))
      const taken = await platform.end(binding, await platform.bind('i-1', 'b-1', 'shared'))
      const { uri } = (await bound())['credentials'] as { readonly uri: string }
      const used = await use(uri)
      const freed = await platform.end(binding, await platform.remove(binding, 'shared'))
      const later = await use(uri)
      const gone = await platform.end('i-1', await platform.remove('i-1', 'shared'))
      const left = await databases(server)

      const all = [made, taken, freed, gone]
      expect(all.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
      expect(used).toBe('wrote 1 row')
      expect(later).toMatch(/password authentication failed/)
      expect(left).toEqual([])
      expect(broker.logLines.join('\n')).not.toContain(new URL(uri).password)
    } finally {
      await broker.stop()
    }
  })

  /** The entry of the example's own settings, with the server of the test in the place of the one on the usual port. */
  function offering(contract: string): Promise<TestBroker> {
    const { port } = new URL(server.url)
    const text = readFileSync('examples/databases/chandler.yml', 'utf8')
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${port}`)
      .replaceAll("'5432'", `'${port}'`)
      .replaceAll('value_file: ../../.chandler/secrets/postgres', 'value: of-no-account')
      .replaceAll('../../.chandler/examples', join(folder, 'built'))
      .replaceAll('package: ./', `package: ${process.cwd()}/examples/databases/`)
    const { catalog } = parse(text) as { readonly catalog: readonly { readonly contract?: string }[] }
    const entry = catalog.filter((one) => one.contract === contract)
    return startTestBroker('', newFolder(), (settings) => `engine: embedded\n${catalogOf(entry)(settings)}`)
  }
})

/** Connects as an application does and writes something; answers what came of it. */
async function use(uri: string): Promise<string> {
  const client = new pg.Client({ connectionString: uri })
  try {
    await client.connect()
    await client.query('CREATE TABLE guests (name text)')
    const { rowCount } = await client.query("INSERT INTO guests VALUES ('Ada')")
    return `wrote ${rowCount} row`
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** What the packages made and is still there: databases and roles. */
async function databases({ url }: PostgresServer): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'db%' UNION SELECT rolname FROM pg_roles WHERE rolname ~ '^(db|u)_'",
  )
  await client.end()
  return rows.map(({ name }) => name)
}

test('the page that tells how they are built gives the commands of this test', () => {
  const page = readFileSync('docs/choosing.md', 'utf8').replaceAll('$PWD', process.cwd())
  const commands = databasePackages('.chandler/examples').flatMap((one) => one.commands)

  for (const command of commands) expect(page).toContain(`chandler ${command.join(' ')}`)
})
