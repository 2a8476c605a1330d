/** Brings the schema forward to what this release knows, and refuses one that a newer release made. */
import { sha256 } from '../kit/hash.ts'
import { fail } from '../model/problem.ts'
import type { Dialect, Session } from './database.ts'
import { migrations } from './migrations/index.ts'
import type { Migration } from './migrations/migration.ts'
import { lockName } from './nodes.ts'
import { number, text } from './row.ts'

const table = `CREATE TABLE IF NOT EXISTS migrations (
  number bigint NOT NULL PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at bigint NOT NULL
)`

/** Applies the steps that are missing, inside the caller's transaction; answers how many. */
export async function migrate(session: Session, steps: readonly Migration[] = migrations): Promise<number> {
  // Several may start at once: one after another.
  await lockName(session, 'schema')
  await session.run(inDialect(table, session.dialect))
  const applied = await session.all('SELECT number, name, checksum FROM migrations ORDER BY number')
  const newest = steps.at(-1)?.number ?? 0
  const foreign = applied.find((row) => number(row, 'number') > newest)
  if (foreign)
    fail('store.newer', `schema ${number(foreign, 'number')} (${text(foreign, 'name')}), known: ${newest}`)
  let count = 0
  for (const step of steps) {
    const statements = step.statements.map((statement) => inDialect(statement, session.dialect))
    const checksum = sha256(statements.join(';\n'))
    const row = applied.find((candidate) => number(candidate, 'number') === step.number)
    if (row === undefined) {
      for (const statement of statements) await session.send(statement)
      await session.run(
        'INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, now_ms())',
        step.number,
        step.name,
        checksum,
      )
      count++
    } else if (text(row, 'checksum') !== checksum) {
      fail('store.newer', `step ${step.number} (${step.name}) was made by another release`)
    }
  }
  return count
}

/** Puts the words of one database for those of the steps. */
export function inDialect(statement: string, dialect: Dialect): string {
  const isTable = statement.startsWith('CREATE TABLE')
  const clustered = / clustered$/.test(statement)
  const plain = statement.replace(/ clustered$/, '')
  if (dialect.name === 'postgres') {
    return plain
      .replace(/\bbytes\b/g, 'bytea')
      .replace(/\bidentity\b/g, 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
      .replace(/\btext\b/g, 'text COLLATE "C"')
  }
  const words = plain
    .replace(/\bbigint\b/g, 'INTEGER')
    .replace(/\bbytes\b/g, 'BLOB')
    .replace(/\bidentity\b/g, 'INTEGER PRIMARY KEY AUTOINCREMENT')
    .replace(/\btext\b/g, 'TEXT')
  if (!isTable) return words
  return `${words} STRICT${clustered ? ', WITHOUT ROWID' : ''}`
}
