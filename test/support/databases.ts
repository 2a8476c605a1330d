/** Empty databases below the store, and what is in them as text. */
import { systemChance } from '../../src/kit/clock.ts'
import type { Database, Session } from '../../src/store/database.ts'
import { openPostgres } from '../../src/store/postgres/database.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import { sharedPostgres } from './postgres.ts'
import { makeClock } from './stores.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** An empty database of a kind. */
export async function openTestDatabase(kind: DatabaseKind): Promise<Database> {
  if (kind === 'sqlite') return openSqlite(':memory:', { clock: makeClock() })
  return connectTestDatabase(await (await sharedPostgres()).database())
}

/** A connection to a PostgreSQL database. */
export function connectTestDatabase(url: string): Promise<Database> {
  const options = { clock: makeClock(), chance: systemChance, missed: '{}', stepped: () => undefined }
  return openPostgres({ url, poolSize: 4, statementMs: 10_000, connectMs: 5000, timeTrustMs: 0, ...options })
}

const postgresDump = `
  SELECT 'table ' || table_name || ' column ' || column_name || ' ' || data_type
    || coalesce(' collate ' || collation_name, '') || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
    || CASE is_identity WHEN 'YES' THEN ' identity ' || identity_generation ELSE '' END AS line
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'table ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  ORDER BY 1`

const sqliteDump =
  'SELECT sql AS line FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name'

/** The schema of a database as text. */
export async function dumpSchema(session: Session): Promise<string> {
  const rows = await session.all(session.dialect.name === 'sqlite' ? sqliteDump : postgresDump)
  return `${rows.map((row) => String(row['line'])).join('\n')}\n`
}

/** The statements that make the same rows again. */
export async function dumpRows(session: Session, tables: readonly string[]): Promise<readonly string[]> {
  const statements: string[] = []
  for (const table of tables)
    for (const row of await session.all(`SELECT * FROM ${table}`)) {
      const names = Object.keys(row)
      const values = Object.values(row).map((value) => literal(value, session))
      // Identity columns are given too: others refer to their order.
      const overriding = session.dialect.name === 'postgres' ? ' OVERRIDING SYSTEM VALUE' : ''
      statements.push(`INSERT INTO ${table} (${names.join(', ')})${overriding} VALUES (${values.join(', ')})`)
    }
  return statements
}

function literal(value: unknown, { dialect }: Session): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex')
    return dialect.name === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
  }
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
