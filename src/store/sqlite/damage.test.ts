/** A database file with overwritten pages: told as damage, and nothing is written to it any more. */
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { makeKeyRing } from '../../../test/support/key-ring.ts'
import { codeOf } from '../../../test/support/problems.ts'
import { anInstance } from '../../../test/support/rows.ts'
import { makeClock } from '../../../test/support/stores.ts'
import { systemChance } from '../../kit/clock.ts'
import { openStore } from '../index.ts'

test('a damaged table is told as damage, and from then on nothing is written and the store is not ready', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-damage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'chandler.db')
  const options = { url: `sqlite:${file}`, keys: makeKeyRing(systemChance), clock: makeClock() }
  await (await openStore(options)).close()
  overwrite(file, 'instances')
  const store = await openStore(options)
  const before = await codeOf(store.probe())

  const order = await codeOf(store.write((tx) => tx.putInstance(anInstance())))
  const after = await codeOf(store.probe())
  const audit = await codeOf(store.look.auditHeight())
  await store.close()

  expect([before, order, after, audit]).toEqual([
    'nothing failed',
    'store.corrupt',
    'store.corrupt',
    'nothing failed',
  ])
})

test('damage that no question has met yet is found by who reads all, and a copy of it is refused and not left behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-damage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'chandler.db')
  const options = { url: `sqlite:${file}`, keys: makeKeyRing(systemChance), clock: makeClock() }
  await (await openStore(options)).close()
  overwrite(file, 'logs')
  const store = await openStore(options)

  const seen = await codeOf(store.verify())
  const refused = await codeOf(store.backup(join(folder, 'copy.db')))
  await store.close()

  expect([seen, refused]).toEqual(['store.corrupt', 'store.corrupt'])
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([])
})

/** Fills the first page of a table with what no database writes. */
function overwrite(path: string, table: string): void {
  const database = new DatabaseSync(path, { readOnly: true })
  const root = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  const size = database.prepare('PRAGMA page_size').get()
  database.close()
  const [page, bytes] = [Number(root?.['rootpage']), Number(size?.['page_size'])]
  const handle = openSync(path, 'r+')
  writeSync(handle, Buffer.alloc(bytes, 0xa5), 0, bytes, (page - 1) * bytes)
  closeSync(handle)
}
