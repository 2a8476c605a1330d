/** Values as text: whatever they hold, they stay values. */
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../test/support/problems.ts'
import { anInstance } from '../../../test/support/rows.ts'
import { missingPostgres, openTestStore } from '../../../test/support/stores.ts'
import { executeText } from './batch.ts'

test.each([
  [[], 'EXECUTE c1'],
  [[null, 5, -1], `EXECUTE c1(NULL, '5', '-1')`],
  [["it's"], `EXECUTE c1('it''s')`],
  [['a\\b'], `EXECUTE c1( E'a\\\\b')`],
  [[new Uint8Array([0, 255])], `EXECUTE c1('\\x00ff')`],
])('%j is written as %s', (values, text) => {
  expect(executeText('c1', values)).toBe(text)
})

test.each([[['a\0b']], [[new Uint8Array(10_000)]]])('%# is not written as text', (values) => {
  expect(executeText('c1', values)).toBeUndefined()
})

describe.skipIf(missingPostgres !== undefined)('on a server', () => {
  test.each(["'; DROP TABLE instances; --", "\\'; x", '$1', '?', '🚢\u2028"\n', '', "''", '\\'])(
    'the text %j comes back as it was, first and again',
    async (name) => {
      await using opened = await openTestStore('postgres')
      const { store } = opened
      const ids = ['a', 'b', 'c']

      // The first of a connection is sent as values, the next as text.
      await store.write(async (tx) => {
        for (const instance of ids) {
          await tx.putInstance(anInstance({ instance, name }))
          await tx.seal(`operation/${instance}`, name, Buffer.from(name))
        }
      })
      await store.write((tx) => tx.putInstance(anInstance({ instance: 'd', name })))

      for (const instance of [...ids, 'd'])
        expect((await store.look.instance({ platform: 'cf', instance }))?.name).toBe(name)
      expect(await store.look.unseal('operation/c', name)).toEqual(new Uint8Array(Buffer.from(name)))
    },
  )

  test('a text the server cannot hold fails its own transaction only', async () => {
    await using opened = await openTestStore('postgres')
    const { store } = opened
    await store.write((tx) => tx.putInstance(anInstance()))

    const bad = store.write((tx) => tx.putInstance(anInstance({ instance: 'bad', name: 'a\0b' })))

    await expect(bad).rejects.toThrow()
    await store.write((tx) => tx.putInstance(anInstance({ instance: 'good' })))
    expect(await store.look.instance({ platform: 'cf', instance: 'good' })).toBeDefined()
  })

  test('large bytes go their own way, in order with the rest', async () => {
    await using opened = await openTestStore('postgres')
    const { store } = opened
    const large = Buffer.alloc(100_000, 7)
    for (let i = 0; i < 2; i++) {
      await store.write(async (tx) => {
        await tx.seal('operation/x', 'state', Buffer.from('small'))
        await tx.seal('operation/x', 'state', large)
        await tx.seal('operation/x', 'other', Buffer.from('small'))
      })
    }

    expect(await store.look.unseal('operation/x', 'state')).toEqual(new Uint8Array(large))
  })

  test('what was sent is seen by the next question of the same transaction', async () => {
    await using opened = await openTestStore('postgres')
    const { store } = opened
    const key = { platform: 'cf', instance: 'i-1' }
    await store.write((tx) => tx.putInstance(anInstance()))

    const seen = await store.write(async (tx) => {
      await tx.lockInstance(key)
      await tx.putInstance(anInstance({ generation: 5 }))
      return (await tx.instance(key))?.generation
    })

    expect(seen).toBe(5)
  })

  test('a rule broken by what was sent fails the transaction, and the connection goes on', async () => {
    await using opened = await openTestStore('postgres', { poolSize: 1 })
    const { store } = opened
    await store.write((tx) => tx.putInstance(anInstance()))

    const broken = store.write(async (tx) => {
      await tx.putInstance(anInstance({ instance: 'new' }))
      await tx.putInstance(anInstance())
    })

    await expect(codeOf(broken)).resolves.toBe('instance.exists')
    expect(await store.look.instance({ platform: 'cf', instance: 'new' })).toBeUndefined()
    await store.write((tx) => tx.putInstance(anInstance({ instance: 'new' })))
  })
})
