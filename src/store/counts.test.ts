/** What stores count: instances of plans and tenants, bindings, states with the age of the oldest. */
import { describe, expect, test } from 'vitest'
import { aBinding, anInstance, anOperation } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'

describe.each(storeKinds)('%s', (kind) => {
  test('instances of a plan are counted without those that are gone', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      await tx.putInstance(anInstance({ instance: 'a' }))
      await tx.putInstance(anInstance({ instance: 'b', state: 'failed' }))
      await tx.putInstance(anInstance({ instance: 'c', state: 'gone' }))
      await tx.putInstance(anInstance({ instance: 'd', platform: 'k8s' }))
      await tx.putInstance(anInstance({ instance: 'e', planId: 'plan-2' }))
    })

    expect(await store.look.countInstances('plan-1')).toBe(3)
    expect(await store.look.countInstances('plan-1', 'cf')).toBe(2)
    expect(await store.look.countInstances(undefined, 'cf')).toBe(3)
    expect(await store.look.countInstances()).toBe(4)
    expect(await store.write((tx) => tx.countInstances('plan-1', 'k8s'))).toBe(1)
  })

  test('what a tenant has is counted, alone and below a name, in a list and inside a transaction', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      await tx.putInstance(anInstance({ instance: 'a', tenant: 'acme' }))
      await tx.putInstance(anInstance({ instance: 'b', tenant: 'team/a' }))
      await tx.putInstance(anInstance({ instance: 'c', tenant: 'team/b', state: 'gone' }))
      await tx.putInstance(anInstance({ instance: 'd', tenant: 'team/b' }))
      await tx.putBinding(aBinding({ instance: 'a', binding: '1' }))
      await tx.putBinding(aBinding({ instance: 'a', binding: '2', state: 'failed' }))
      await tx.putBinding(aBinding({ instance: 'b', binding: '1' }))
      await tx.putBinding(aBinding({ instance: 'd', binding: '1', state: 'binding' }))
      await tx.putBinding(aBinding({ instance: 'd', binding: '2', state: 'gone' }))
    })
    const counts = (tenant: string) =>
      store.write(async (tx) => [
        await tx.countInstances(undefined, undefined, [tenant]),
        await tx.countBindings([tenant]),
      ])

    expect(await counts('acme')).toEqual([1, 1])
    expect(await counts('team/*')).toEqual([2, 2])
    expect(await counts('*')).toEqual([3, 3])
    expect(await counts('web')).toEqual([0, 0])
    expect(await store.look.tenants({ most: 9 })).toEqual([
      { name: 'acme', instances: 1, bindings: 1 },
      { name: 'team/a', instances: 1, bindings: 1 },
      { name: 'team/b', instances: 1, bindings: 1 },
    ])
  })

  test('states are counted with the age of the oldest, ended operations left out', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const ended = anOperation({ state: 'succeeded' })
    await store.write(async (tx) => {
      await tx.putInstance(anInstance())
      await tx.putBinding(aBinding())
      await tx.addOperation(anOperation())
      await tx.addOperation(ended)
    })
    await opened.advance(5000)

    const counts = await store.look.countByState()

    expect(counts).toEqual([
      { of: 'instance', state: 'ready', count: 1, oldestMs: 5000 },
      { of: 'binding', state: 'bound', count: 1, oldestMs: 5000 },
      { of: 'operation', state: 'queued', action: 'provision', count: 1, oldestMs: 5000 },
    ])
  })
})
