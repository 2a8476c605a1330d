/** Reads that share a transaction see what they would have seen alone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeClock } from '../../../test/support/stores.ts'
import type { Database } from '../database.ts'
import { openSqlite } from './database.ts'

test('a read right after a commit sees it, though one of the same turn came before', async () => {
  const database = await openNumbers('alone')

  const seen = await countAround(database, database)

  expect(seen).toEqual({ before: 0, after: 1 })
})

test('where processes share a file, a read sees what another one has just committed', async () => {
  const file = aFile()
  const [ours, theirs] = [await openNumbers('shared', file), await openNumbers('shared', file)]

  const seen = await countAround(theirs, ours)

  expect(seen).toEqual({ before: 0, after: 1 })
})

test('a read that fails spoils none of the same turn', async () => {
  const { reader } = await openNumbers('alone')

  const [first, failed, last] = await Promise.allSettled([
    reader.get('SELECT count(*) AS many FROM numbers'),
    reader.get('SELECT many FROM nowhere'),
    reader.get('SELECT count(*) AS many FROM numbers'),
  ])

  expect([first.status, failed.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

/** What a reader counts inside a transaction that writes, and at once when that is committed: all in one turn. */
async function countAround(writer: Database, { reader }: Database) {
  const count = async () => (await reader.get('SELECT count(*) AS many FROM numbers'))?.['many']
  const before = await writer.write(
    async (session) => {
      const counted = await count()
      await session.run('INSERT INTO numbers VALUES (1)')
      return counted
    },
    { how: 'loose' },
  )
  return { before, after: await count() }
}

async function openNumbers(processes: 'alone' | 'shared', file = aFile()): Promise<Database> {
  const database = await openSqlite(file, { clock: makeClock(), processes })
  onTestFinished(() => database.close())
  await database.write((session) => session.run('CREATE TABLE IF NOT EXISTS numbers (number INTEGER)'))
  return database
}

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-turn-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'a.db')
}
