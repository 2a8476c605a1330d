/** One statement for many rows: the same as each alone. */
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../test/support/problems.ts'
import { anInstance } from '../../../test/support/rows.ts'
import { missingPostgres, openTestStore } from '../../../test/support/stores.ts'
import type { Transaction } from '../store.ts'
import { changeMany, columnsOf } from './many.ts'

test.each([
  ['INSERT INTO t (a, b) VALUES (?, now_ms())', 'INSERT INTO t (a, b) SELECT given.p0, now_ms() FROM GIVEN'],
  [
    'INSERT INTO t (a) VALUES ((SELECT max(b) FROM u WHERE c = ?)) ON CONFLICT (a) DO NOTHING',
    'INSERT INTO t (a) SELECT (SELECT max(b) FROM u WHERE c = given.p0) FROM GIVEN ON CONFLICT (a) DO NOTHING',
  ],
  ['UPDATE t SET a = ? WHERE b = 0', 'UPDATE t SET a = given.p0 FROM GIVEN WHERE b = 0'],
  ['UPDATE t SET\n  a = ? WHERE b = 0', 'UPDATE t SET\n  a = given.p0 FROM GIVEN WHERE b = 0'],
  ['DELETE FROM t WHERE a = ?', 'DELETE FROM t USING GIVEN WHERE a = given.p0'],
])('%s for many rows', (text, expected) => {
  const given = 'unnest(?::text[]) AS given(p0)'

  expect(changeMany(text, ['text'])).toBe(expected.replace('GIVEN', given))
})

test.each([
  'INSERT INTO t (a) SELECT max(a) FROM t WHERE b = ?',
  'INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = ?',
  'UPDATE t SET a = ? WHERE b = 0 RETURNING a',
  'UPDATE t SET a = (SELECT b FROM u WHERE c = ?) WHERE d = 0',
])('%s stays a statement for one row', (text) => {
  expect(changeMany(text, ['text'])).toBeUndefined()
})

test('columns hold whatever the rows hold', () => {
  expect(columnsOf([[`a"\\,{}`, null, 1, new Uint8Array([0, 255])]])).toEqual([
    String.raw`{"a\"\\,{}"}`,
    '{NULL}',
    '{1}',
    String.raw`{"\\x00ff"}`,
  ])
})

describe.skipIf(missingPostgres !== undefined)('writes about different instances at once', () => {
  const names = ['', `'"\\`, '{a,b}', 'NULL', '🚢\n', '$1 ? --']

  test('share one transaction, and each does what it would have done alone', async () => {
    await using opened = await openTestStore('postgres')
    const { store } = opened

    // The first round teaches the server the statements, the later ones are done as one.
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        names.map((name, i) =>
          store.write(
            async (tx) => {
              const key = { platform: 'cf', instance: `i${i}` }
              const found = await tx.lockInstance(key)
              await tx.putInstance(anInstance({ ...key, name, generation: (found?.generation ?? 0) + 1 }))
              await tx.seal(`operation/${i}`, name, Buffer.from(name))
              await tx.addHistory(`op${i}`, { state: 'queued', reason: name, node: 'n', fence: round })
            },
            { about: { platform: 'cf', instance: `i${i}` } },
          ),
        ),
      )
    }

    for (const [i, name] of names.entries()) {
      const found = await store.look.instance({ platform: 'cf', instance: `i${i}` })
      expect([found?.name ?? '', found?.generation]).toEqual([name, 4])
      expect(await store.look.unseal(`operation/${i}`, name)).toEqual(new Uint8Array(Buffer.from(name)))
      expect((await store.look.history(`op${i}`)).map(({ fence }) => fence)).toEqual([0, 1, 2, 3])
    }
  })

  test('of several that share a transaction only the culprit fails', async () => {
    await using opened = await openTestStore('postgres')
    const { store } = opened
    await store.write((tx) => tx.putInstance(anInstance({ instance: 'taken' })))
    const put = (instance: string) =>
      store.write((tx) => tx.putInstance(anInstance({ instance })), { about: { platform: 'cf', instance } })

    const [first, taken, last] = [put('first'), codeOf(put('taken')), put('last')]

    await Promise.all([first, last])
    expect(await taken).toBe('instance.exists')
    expect((await store.look.instances({ most: 10 })).items).toHaveLength(3)
  })

  test('two about the same instance see what the other did', async () => {
    await using opened = await openTestStore('postgres')
    const { store } = opened
    const about = { platform: 'cf', instance: 'i-1' }
    await store.write(async (tx) => {
      await tx.putInstance(anInstance({ generation: 0 }))
    })
    const count = async (tx: Transaction): Promise<void> => {
      const found = await tx.lockInstance(about)
      await tx.putInstance(anInstance({ generation: (found?.generation ?? 0) + 1 }))
    }

    await Promise.all(Array.from({ length: 10 }, () => store.write(count, { about })))

    expect((await store.look.instance(about))?.generation).toBe(10)
  })
})
