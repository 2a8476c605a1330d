/** The queue: what is claimed, in which order, by how many, and for how long. */
import { describe, expect, test } from 'vitest'
import { anOperation } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import type { Operation } from '../model/operation.ts'
import type { ClaimOrder } from './claims.ts'
import type { Store } from './store.ts'

const order: ClaimOrder = { node: 'n', epoch: 1, leaseMs: 1000, most: 10, perPlatform: 10 }

describe.each(storeKinds)('%s', (kind) => {
  test('a claim gives the operation a new fence, an owner, a lease and a strike', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = queued('a')
    await add(store, operation)
    const now = await store.look.now()

    const claims = await claim(store)

    const expected = { ...operation, fence: 1, strikes: 1, lease: { owner: 'n', until: now + 1000 } }
    expect(claims).toStrictEqual([expected])
    expect(await store.look.operation(operation.id)).toStrictEqual(expected)
  })

  test('what is leased is claimed again only when the lease is over', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, queued('a'))
    await claim(store)

    expect(await claim(store)).toEqual([])
    await opened.advance(1000)
    expect(await claim(store)).toEqual([])
    await opened.advance(1)

    expect(await claim(store, { node: 'm' })).toMatchObject([{ fence: 2, strikes: 2, lease: { owner: 'm' } }])
  })

  test.each([
    ['its time has not come', { runAfter: Date.UTC(2030, 0, 1) + 1 }],
    ['it is quarantined', { state: 'quarantined' as const }],
    ['it has ended', { state: 'failed' as const }],
  ])('an operation is not claimed when %s', async (_, given) => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, queued('a', given))

    expect(await claim(store)).toEqual([])
  })

  test.each(['preparing', 'running', 'collecting', 'stopping'] as const)(
    'an operation that is %s without a lease is claimed: that is the recovery',
    async (state) => {
      await using opened = await openTestStore(kind)
      const { store } = opened
      await add(store, queued('a', { state }))

      expect(await claim(store)).toHaveLength(1)
    },
  )

  test('the strike of a claim is taken back, but not of one that wrote something down', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const [a, b] = [queued('a', { strikes: 2, fence: 6 }), queued('b', { strikes: 2, fence: 6 })]
    await add(store, a, b)
    await claim(store)
    const line = { state: 'queued', reason: 'waits', node: 'n' } as const
    await store.write(async (tx) => {
      await tx.addHistory(a.id, { ...line, fence: 6 })
      await tx.addHistory(b.id, { ...line, fence: 7 })
    })

    const marks = [a, b].map(({ id }) => ({ operation: id, fence: 7 }))
    // A client that did not get the answer asks again.
    for (let i = 0; i < 2; i++) await store.write((tx) => tx.forgive('n', marks))

    expect((await store.look.operation(a.id))?.strikes).toBe(2)
    expect((await store.look.operation(b.id))?.strikes).toBe(3)
  })

  test('each claim has its strike taken back for itself, whatever a line of another claim says', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = queued('a', { strikes: 2, fence: 6 })
    const { id } = operation
    await add(store, operation)
    for (let i = 0; i < 3; i++) {
      await claim(store)
      await opened.advance(1001)
    }
    const wrote = { state: 'queued', reason: 'claim is what it was', node: 'n', fence: 9 } as const
    await store.write((tx) => tx.addHistory(id, wrote))

    const marks = [7, 8, 9].map((fence) => ({ operation: id, fence }))
    for (let i = 0; i < 2; i++) await store.write((tx) => tx.forgive('m', marks))

    expect((await store.look.operation(id))?.strikes).toBe(3)
    const taken = { state: 'queued', node: 'm', fence: 9 }
    expect((await store.look.history(id)).slice(1)).toMatchObject([
      { ...taken, reason: 'claim 7 is no strike' },
      { ...taken, reason: 'claim 8 is no strike' },
    ])
  })

  test('who started before the epoch was raised claims nothing and writes nothing', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, queued('a'), queued('b'))
    const [mine] = await claim(store, { most: 1 })

    await store.write((tx) => tx.holdSingleton('sweep', 'lost', 60_000))
    expect(await store.write((tx) => tx.raiseEpoch())).toBe(2)

    expect(await store.write((tx) => tx.holdSingleton('sweep', 'next', 60_000))).toBe(true)
    expect(await claim(store)).toEqual([])
    const held = { fence: 1, owner: 'n' }
    expect(await store.write((tx) => tx.putOperation(mine as Operation, held))).toBe(false)
    expect(await store.write((tx) => tx.renew('n', [(mine as Operation).id], 1000))).toEqual([])
    expect(await claim(store, { epoch: 2 })).toHaveLength(2)
  })

  test('the most urgent class comes first, then the turn of the platform, then age', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(
      store,
      queued('a', { priority: 1 }),
      queued('b', { priority: 1 }),
      queued('c', { priority: 3 }),
      queued('d', { priority: 0 }),
      queued('e', { priority: 2 }),
    )

    expect(await oneByOne(store, 2)).toEqual(['d', 'a'])
    expect(await names(store)).toEqual(['b', 'e', 'c'])
  })

  test('platforms take turns, however much one has ordered', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, ...['a1', 'a2', 'a3', 'a4'].map((name) => queued(name)))
    await opened.advance(1)
    await add(store, ...['b1', 'b2'].map((name) => queued(name, {}, 'k8s')))

    expect(await oneByOne(store, 3)).toEqual(['a1', 'b1', 'a2'])
    expect(await names(store)).toEqual(['b2', 'a3', 'a4'])
  })

  test('who has waited more than ten minutes rises one class', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, queued('old campaign', { priority: 3 }), queued('old action', { priority: 2 }))
    await add(store, queued('old action 2', { priority: 2 }), queued('old delete', { priority: 0 }))
    await opened.advance(600_001)
    const createdAt = await store.look.now()
    await add(store, queued('action', { priority: 2, createdAt }), queued('bind', { priority: 1, createdAt }))

    expect(await oneByOne(store, 2)).toEqual(['old delete', 'old action'])
    expect(await names(store)).toEqual(['old action 2', 'bind', 'old campaign', 'action'])
  })

  test('no platform has more running than its limit, and the others pass by', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, ...['a1', 'a2', 'a3'].map((name) => queued(name)))
    await add(store, ...['b1', 'b2'].map((name) => queued(name, {}, 'k8s')))

    expect(await names(store, { perPlatform: 1 })).toEqual(['a1', 'b1'])
    expect(await names(store, { perPlatform: 1 })).toEqual([])
    expect(await names(store, { perPlatform: 2 })).toEqual(['a2', 'b2'])
    await opened.advance(1001)

    expect(await names(store, { perPlatform: 3 })).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  })

  test('a claim takes no more than was asked for', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, ...['a', 'b', 'c'].map((name) => queued(name)))

    expect(await names(store, { most: 2 })).toEqual(['a', 'b'])
    expect(await names(store, { most: 2 })).toEqual(['c'])
  })

  test('leases are renewed for their owner only, and what was lost is not among the answers', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, queued('a'), queued('b'), queued('c'))
    const [a, b, c] = await claim(store)
    const ids = [a, b, c].map((operation) => (operation as Operation).id)
    await opened.advance(1001)
    await claim(store, { node: 'm', most: 1 })
    await store.write((tx) => tx.putOperation({ ...(b as Operation), state: 'failed' }, { fence: 1 }))

    const kept = await store.write((tx) => tx.renew('n', ids, 5000))

    expect(kept).toEqual([ids[2]])
    const now = await store.look.now()
    expect((await store.look.operation(ids[2] ?? ''))?.lease).toEqual({ owner: 'n', until: now + 5000 })
  })

  test('overdue is what is active past its deadline and the grace, leased or not', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const deadlineAt = (await store.look.now()) + 100
    await add(
      store,
      queued('leased', { deadlineAt }),
      queued('quarantined', { deadlineAt, state: 'quarantined' }),
      queued('ended', { deadlineAt, state: 'failed' }),
      queued('later', { deadlineAt: deadlineAt + 100 }),
    )
    await claim(store)
    await opened.advance(151)

    const overdue = async (graceMs: number): Promise<readonly string[]> =>
      (await store.write((tx) => tx.overdue(graceMs, 10))).map(({ reason }) => reason).toSorted()
    expect(await overdue(0)).toEqual(['leased', 'quarantined'])
    expect(await overdue(60)).toEqual([])
  })

  test('forced is what is active and past the time that an operator has set, whether leased, waiting or held back', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const forceAt = (await store.look.now()) + 100
    await add(
      store,
      queued('leased', { forceAt }),
      queued('quarantined', { forceAt, state: 'quarantined' }),
      queued('ended', { forceAt, state: 'failed' }),
      queued('later', { forceAt: forceAt + 100 }),
      queued('never'),
    )
    await claim(store)
    await opened.advance(100)

    const forced = await store.write((tx) => tx.forced(10))
    expect(forced.map(({ reason }) => reason).toSorted()).toEqual(['leased', 'quarantined'])
  })
})

function queued(reason: string, given: Partial<Operation> = {}, platform = 'cf'): Operation {
  return anOperation({ reason, target: { platform, instance: reason }, ...given })
}

async function add(store: Store, ...operations: readonly Operation[]): Promise<void> {
  for (const operation of operations) await store.write((tx) => tx.addOperation(operation))
}

function claim(store: Store, given: Partial<ClaimOrder> = {}): Promise<readonly Operation[]> {
  return store.write((tx) => tx.claim({ ...order, ...given }))
}

async function names(store: Store, given: Partial<ClaimOrder> = {}): Promise<readonly string[]> {
  return (await claim(store, given)).map(({ reason }) => reason)
}

async function oneByOne(store: Store, count: number): Promise<readonly string[]> {
  const claimed: string[] = []
  for (let i = 0; i < count; i++) claimed.push(...(await names(store, { most: 1 })))
  return claimed
}
