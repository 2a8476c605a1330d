/** The schema: brought forward step by step, equal to a checked-in text, never older than what a newer release made. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  connectTestDatabase,
  type DatabaseKind,
  dumpRows,
  dumpSchema,
  openTestDatabase,
} from '../../test/support/databases.ts'
import { sharedPostgres } from '../../test/support/postgres.ts'
import { codeOf } from '../../test/support/problems.ts'
import { aBinding, anAuditRecord, anInstance, anOperation } from '../../test/support/rows.ts'
import { makeClock, missingPostgres } from '../../test/support/stores.ts'
import { verifyLatestAudit } from '../broker/audit.ts'
import { systemChance } from '../kit/clock.ts'
import { auditHash } from './audit.ts'
import { openCluster } from './cluster.ts'
import { openStore } from './index.ts'
import { openKeyRing } from './keys.ts'
import { inDialect, migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Migration } from './migrations/migration.ts'
import { Writing } from './transaction.ts'

const kinds: readonly DatabaseKind[] = missingPostgres === undefined ? ['sqlite', 'postgres'] : ['sqlite']
const folder = 'test/fixtures/store'
/** A working copy of git's, which is not private there. */
const keyFile = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
copyFileSync(`${folder}/keys.json`, keyFile)
chmodSync(keyFile, 0o600)
const mayUpdate = process.env['UPDATE_EXPECTED'] === '1' && process.env['CI'] === undefined

const second: Migration = {
  number: 1000,
  name: 'second',
  statements: [
    'CREATE TABLE extra (name text NOT NULL PRIMARY KEY)',
    'CREATE INDEX extra_name ON extra (name)',
  ],
}

describe.each(kinds)('%s', (kind) => {
  test('the schema is the one that is checked in', async () => {
    const database = await openTestDatabase(kind)
    const dump = await database.write(async (session) => {
      await migrate(session)
      return dumpSchema(session)
    })
    await database.close()
    const file = `${folder}/schema-${kind}.txt`
    if (mayUpdate) writeFileSync(file, dump)

    expect(dump).toBe(readFileSync(file, 'utf8'))
  })

  test('steps are applied once, in order, and only those that are missing', async () => {
    const database = await openTestDatabase(kind)
    const run = (steps: readonly Migration[]): Promise<number> => database.write((s) => migrate(s, steps))

    expect(await run(migrations)).toBe(migrations.length)
    expect(await run(migrations)).toBe(0)
    expect(await run([...migrations, second])).toBe(1)
    expect(await run([...migrations, second])).toBe(0)

    await database.close()
  })

  test('a schema that a newer release made is refused and stays as it is', async () => {
    const database = await openTestDatabase(kind)
    await database.write((session) => migrate(session, [...migrations, second]))
    const before = await database.write(dumpSchema)

    await expect(codeOf(database.write((session) => migrate(session)))).resolves.toBe('store.newer')

    expect(await database.write(dumpSchema)).toBe(before)
    await database.close()
  })

  test('a step that another release wrote otherwise is refused', async () => {
    const database = await openTestDatabase(kind)
    await database.write((session) => migrate(session, [...migrations, second]))
    const other = { ...second, statements: second.statements.slice(0, 1) }

    await expect(codeOf(database.write((session) => migrate(session, [...migrations, other])))).resolves.toBe(
      'store.newer',
    )

    await database.close()
  })

  test('a step that is interrupted leaves nothing and is applied whole the next time', async () => {
    const database = await openTestDatabase(kind)
    await database.write((session) => migrate(session))
    const before = await database.write(dumpSchema)
    const statements = [...second.statements, 'CREATE TABLE nonsense (']

    await expect(
      database.write((session) => migrate(session, [...migrations, { ...second, statements }])),
    ).rejects.toThrow()
    expect(await database.write(dumpSchema)).toBe(before)

    expect(await database.write((session) => migrate(session, [...migrations, second]))).toBe(1)
    await database.close()
  })

  test('a database of every released schema is opened, brought forward and used', async () => {
    for (const { number } of migrations) {
      const file = `${folder}/${String(number).padStart(4, '0')}-${kind}.sql`
      if (mayUpdate && number === migrations.at(-1)?.number && !existsSync(file))
        await writeFixture(kind, file)
      const database = await openTestDatabase(kind)
      await database.write(async (session) => {
        for (const statement of readFileSync(file, 'utf8').split(';\n\n')) await session.run(statement)
      })

      await database.write(async (session) => {
        expect(await migrate(session)).toBe(migrations.length - number)
        const keys = openKeyRing(keyFile, systemChance)
        const own = await openCluster(session, { keys, chance: systemChance, clock: makeClock() })
        const tx = new Writing(session, { ...own, turn: () => 0, tell: () => undefined })
        const key = { platform: 'cf', instance: 'i-1' }
        expect(await tx.lockInstance(key)).toStrictEqual(anInstance({ name: "it's" }))
        expect(await tx.bindings(key)).toStrictEqual([aBinding()])
        expect(await tx.unseal('instance/cf/i-1', 'parameters')).toEqual(new Uint8Array([1, 2, 3]))
        const { items } = await tx.operations({ most: 10 })
        expect(items).toMatchObject([{ state: 'queued', target: key }])
        expect(await tx.log(items[0]?.id ?? '', 0, 10)).toMatchObject([{ bytes: new Uint8Array([4]) }])
        const [record] = await tx.audit(0, 10)
        expect(record?.hash).toBe(record && auditHash(record))
        await tx.addAudit(anAuditRecord())
        // Of a chain without keys there is a record of where it got them.
        expect(await tx.chainAudit(10)).toBe(number < 4 ? 2 : 1)
        expect(await verifyLatestAudit(tx, 10)).toEqual({ intact: true, records: number < 4 ? 3 : 2 })
        const order = { node: 'n', epoch: 1, leaseMs: 1, most: 1, perPlatform: 1 }
        expect(await tx.claim(order)).toHaveLength(1)
      })
      await database.close()
    }
  })
})

test.skipIf(missingPostgres !== undefined)('who only looks at a new database leaves it empty', async () => {
  const url = await (await sharedPostgres()).database()
  const keys = openKeyRing(keyFile, systemChance)

  await expect(codeOf(openStore({ url, keys, clock: makeClock(), schema: 'as-is' }))).resolves.toBe(
    'store.older',
  )

  const database = await connectTestDatabase(url)
  expect((await database.write(dumpSchema)).trim()).toBe('')
  await database.close()
})

test.skipIf(missingPostgres !== undefined)(
  'several processes that start at once bring it forward once',
  async () => {
    const url = await (await sharedPostgres()).database()
    const databases = await Promise.all([1, 2, 3, 4].map(() => connectTestDatabase(url)))

    const counts = await Promise.all(
      databases.map((database) => database.write((session) => migrate(session))),
    )

    expect(counts.toSorted()).toEqual([0, 0, 0, migrations.length])
    for (const database of databases) await database.close()
  },
)

/** What a fresh release leaves behind; written once, when the release is made. */
async function writeFixture(kind: DatabaseKind, file: string): Promise<void> {
  const database = await openTestDatabase(kind)
  const statements = await database.write(async (session) => {
    await migrate(session)
    const keys = openKeyRing(keyFile, systemChance)
    const own = await openCluster(session, { keys, chance: systemChance, clock: makeClock() })
    const tx = new Writing(session, { ...own, turn: () => 0, tell: () => undefined })
    const operation = anOperation({ runAfter: 0 })
    await tx.putInstance(anInstance({ name: "it's" }))
    await tx.putBinding(aBinding())
    await tx.addOperation(operation)
    await tx.seal('instance/cf/i-1', 'parameters', new Uint8Array([1, 2, 3]))
    const piece = { stream: 'stdout' as const, step: 's', position: 0, span: 1, bytes: new Uint8Array([4]) }
    await tx.addLog([{ operation: operation.id, run: 'run-1', ...piece }])
    await tx.addAudit(anAuditRecord())
    await tx.chainAudit(1)
    const tables = [
      'migrations',
      'cluster',
      'instances',
      'bindings',
      'operations',
      'sealed',
      'logs',
      'tenant_keys',
      'audit',
      'audit_head',
    ]
    return [
      inDialect(
        'CREATE TABLE migrations (number bigint NOT NULL PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)',
        session.dialect,
      ),
      ...migrations.flatMap((step) =>
        step.statements.map((statement) => inDialect(statement, session.dialect)),
      ),
      ...(await dumpRows(session, tables)),
      // Numbers given out by hand do not move the counter that gives out the next.
      ...(kind === 'postgres' ? ['logs', 'audit'] : []).map(
        (table) => `SELECT setval(pg_get_serial_sequence('${table}', 'number'), 1)`,
      ),
    ]
  })
  writeFileSync(file, statements.join(';\n\n'))
  await database.close()
}
