/** Races: identical orders, claims, quotas and leases by several at once, on one process and on two. */
import { describe, expect, test } from 'vitest'
import { anInstance, anOperation } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import type { Operation } from '../model/operation.ts'
import type { ClaimOrder } from './claims.ts'
import type { Store, Transaction } from './store.ts'

const order: ClaimOrder = { node: 'n', epoch: 1, leaseMs: 60_000, most: 3, perPlatform: 1000 }

describe.each(storeKinds)('%s', (kind) => {
  test('many identical orders at once make one instance and one operation, and all learn of the same', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    const key = { platform: 'cf', instance: 'i-1' }

    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => provision(stores[i % 2] as Store, key)),
    )

    expect(new Set(answers).size).toBe(1)
    expect((await opened.store.look.operations({ most: 100 })).items).toHaveLength(1)
    expect((await opened.store.look.instance(key))?.currentOperation).toBe(answers[0])
  })

  test('concurrent claims give each operation once', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    await addMany(opened.store, 40)

    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (stores[i % 2] as Store).write((tx) => tx.claim({ ...order, node: `n${i}` })),
      ),
    )

    const ids = claims.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(claims.flat().every(({ fence }) => fence === 1)).toBe(true)
    expect(ids).toHaveLength(40)
  })

  test('concurrent claims together do not pass the limit of a platform', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    await addMany(opened.store, 20)

    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (stores[i % 2] as Store).write((tx) => tx.claim({ ...order, perPlatform: 5 })),
      ),
    )

    expect(claims.flat()).toHaveLength(5)
  })

  test.each([
    ['plan', (tx: Transaction) => tx.countInstances('plan-1')],
    ['tenant', (tx: Transaction) => tx.countInstances(undefined, undefined, ['cf/*'])],
  ])('a limit of instances of a %s holds when many order at once', async (_, count) => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]

    const made = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (stores[i % 2] as Store).write(async (tx) => {
          if ((await count(tx)) >= 4) return false
          await tx.lockInstance({ platform: 'cf', instance: `i-${i}` })
          await tx.putInstance(anInstance({ instance: `i-${i}` }))
          return true
        }),
      ),
    )

    expect(made.filter(Boolean)).toHaveLength(4)
    expect(await opened.store.look.countInstances('plan-1')).toBe(4)
  })

  test('of many who end the same operation with the same fence, one does', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    await addMany(opened.store, 1)
    const [claimed] = await opened.store.write((tx) => tx.claim(order))
    const mine = claimed as Operation

    const ended = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (stores[i % 2] as Store).write((tx) =>
          tx.putOperation({ ...mine, state: i % 2 === 0 ? 'succeeded' : 'failed' }, { fence: 1, owner: 'n' }),
        ),
      ),
    )

    expect(ended.filter(Boolean)).toHaveLength(1)
  })

  test('changes of the same instance at once are all kept, one after another', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    const key = { platform: 'cf', instance: 'i-1' }
    await opened.store.write((tx) => tx.putInstance(anInstance({ generation: 0 })))

    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (stores[i % 2] as Store).write(async (tx) => {
          const instance = await tx.lockInstance(key)
          if (instance) await tx.putInstance({ ...instance, generation: instance.generation + 1 })
        }),
      ),
    )

    expect((await opened.store.look.instance(key))?.generation).toBe(20)
  })

  test('locks taken crosswise are resolved, and both changes are kept', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    const keys = ['a', 'b'].map((instance) => ({ platform: 'cf', instance }))
    await opened.store.write(async (tx) => {
      for (const { instance } of keys) await tx.putInstance(anInstance({ instance, generation: 0 }))
    })

    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (stores[i % 2] as Store).write(async (tx) => {
          for (const key of i % 2 === 0 ? keys : keys.toReversed()) {
            const instance = await tx.lockInstance(key)
            if (instance) await tx.putInstance({ ...instance, generation: instance.generation + 1 })
          }
        }),
      ),
    )

    const generations = await Promise.all(keys.map((key) => opened.store.look.instance(key)))
    expect(generations.map((instance) => instance?.generation)).toEqual([8, 8])
  })

  test('one of many holds a singleton', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]

    const holds = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (stores[i % 2] as Store).write((tx) => tx.holdSingleton('sweep', `n${i}`, 60_000)),
      ),
    )

    expect(holds.filter(Boolean)).toHaveLength(1)
  })

  test('history written by many at once is complete', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]

    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (stores[i % 2] as Store).write((tx) =>
          tx.addHistory('op', { state: 'queued', reason: `r${i}`, node: 'n', fence: 0 }),
        ),
      ),
    )

    const lines = await opened.store.look.history('op')
    expect(new Set(lines.map(({ reason }) => reason)).size).toBe(20)
  })

  test('a hint reaches the listeners of every process once its change is committed', async () => {
    await using opened = await openTestStore(kind)
    const other = await opened.another()
    const heard: string[] = []
    const both = new Promise<void>((resolve) => {
      other.onHint((hint) => {
        if (!('operation' in hint)) return
        heard.push(`${hint.kind} ${hint.operation}`)
        if (hint.operation === 'last') resolve()
      })
    })
    await opened.listening()

    const failing = opened.store.write(async (tx) => {
      tx.hint({ kind: 'ended', operation: 'never' })
      throw new RangeError('no')
    })
    await expect(failing).rejects.toThrow('no')
    await opened.store.write(async (tx) => tx.hint({ kind: 'ended', operation: 'first' }))
    await opened.store.write(async (tx) => tx.hint({ kind: 'cancel', operation: 'last' }))
    await both

    expect(heard).toEqual(['ended first', 'cancel last'])
  })
})

/** What the broker does: look, and decide on what was seen. */
function provision(store: Store, key: { platform: string; instance: string }): Promise<string> {
  return store.write(async (tx) => {
    const found = await tx.lockInstance(key)
    if (found?.currentOperation !== undefined) return found.currentOperation
    const operation = anOperation({ target: key })
    await tx.putInstance(anInstance({ ...key, state: 'provisioning', currentOperation: operation.id }))
    await tx.addOperation(operation)
    return operation.id
  })
}

async function addMany(store: Store, count: number): Promise<void> {
  await store.write(async (tx) => {
    for (let i = 0; i < count; i++)
      await tx.addOperation(anOperation({ target: { platform: 'cf', instance: `i-${i}` } }))
  })
}
