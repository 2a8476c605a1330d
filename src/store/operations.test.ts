/** Operations: at most one active per target, fences, polls, lists, runs and history. */
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { anOperation } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import type { Operation } from '../model/operation.ts'
import type { ClaimOrder } from './claims.ts'
import type { Store } from './store.ts'

const target = { platform: 'cf', instance: 'i-1' }
const order: ClaimOrder = { node: 'n', epoch: 1, leaseMs: 1000, most: 10, perPlatform: 10 }

describe.each(storeKinds)('%s', (kind) => {
  test('an operation comes back as it was written, absent things absent', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const slim = anOperation()
    const full = anOperation({
      target: { ...target, binding: 'b' },
      action: { kind: 'invoke', name: 'backup' },
      state: 'failed',
      description: 'd',
      problem: 'operation.failed',
      usable: true,
      repeatable: false,
      requester: { platform: 'cloudfoundry', identity: { user_id: 'u' } },
      blockedBy: 'other',
      startedAt: 1,
      finishedAt: 2,
      cancelRequestedAt: 3,
      forceAt: 9,
      lease: { owner: 'n', until: 4 },
      fence: 5,
      strikes: 1,
      stage: 2,
      attempt: 3,
    })
    await add(store, slim, full)

    expect(await store.look.operation(slim.id)).toStrictEqual(slim)
    expect(await store.look.operation(full.id)).toStrictEqual(full)
    expect(await store.look.operation('nothing')).toBeUndefined()
  })

  test('a second active operation for the same target is refused, and its transaction with it', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, anOperation())

    const second = store.write(async (tx) => {
      await tx.addHistory('x', { state: 'queued', reason: 'r', node: 'n', fence: 0 })
      await tx.addOperation(anOperation({ action: { kind: 'update' } }))
    })

    await expect(codeOf(second)).resolves.toBe('instance.busy')
    expect(await store.look.history('x')).toEqual([])
  })

  test('other targets, and a target whose operation has ended, take a new one', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened

    await add(
      store,
      anOperation(),
      anOperation({ target: { ...target, binding: 'b' } }),
      anOperation({ target: { ...target, platform: 'k8s' } }),
      anOperation({ target: { ...target, instance: 'i-2' }, state: 'succeeded' }),
      anOperation({ target: { ...target, instance: 'i-2' } }),
    )

    expect((await store.look.operations({ most: 10 })).items).toHaveLength(5)
  })

  test('one operation may wait for the active one and takes its place when it ends', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const create = anOperation()
    const remove = anOperation({ action: { kind: 'deprovision' }, blockedBy: create.id, priority: 0 })
    await add(store, create, remove)
    const another = anOperation({ action: { kind: 'deprovision' }, blockedBy: create.id })
    await expect(codeOf(add(store, another))).resolves.toBe('instance.busy')

    expect(await claimed(store)).toEqual([create.id])
    await store.write((tx) => tx.putOperation({ ...create, state: 'cancelled', fence: 1 }, { fence: 1 }))

    expect(await claimed(store)).toEqual([remove.id])
    await expect(codeOf(add(store, anOperation()))).resolves.toBe('instance.busy')
  })

  test('an operation that was to wait for one that has ended already does not wait', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const ended = anOperation({ state: 'failed' })
    const next = anOperation({ blockedBy: ended.id })
    await add(store, ended, next)

    expect(await claimed(store)).toEqual([next.id])
  })

  test.each([
    ['the fence has moved on', { fence: 0, owner: 'n' }, false],
    ['another owns the lease', { fence: 1, owner: 'm' }, false],
    ['nobody needs to own it', { fence: 1 }, true],
    ['the owner writes', { fence: 1, owner: 'n' }, true],
  ])('when %s, a write is kept: %j → %s', async (_, held, kept) => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = anOperation()
    await add(store, operation)
    const [mine] = await store.write((tx) => tx.claim(order))

    const answer = await store.write((tx) =>
      tx.putOperation({ ...(mine as Operation), reason: 'changed' }, held),
    )

    expect(answer).toBe(kept)
    expect((await store.look.operation(operation.id))?.reason).toBe(kept ? 'changed' : 'accepted')
  })

  test('an operation that has ended is never changed again', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = anOperation({ state: 'succeeded' })
    await add(store, operation)

    const answer = await store.write((tx) =>
      tx.putOperation({ ...operation, state: 'failed' }, { fence: operation.fence }),
    )

    expect(answer).toBe(false)
    expect(await store.look.operation(operation.id)).toStrictEqual(operation)
  })

  test('a writer who read the row earlier undoes neither a cancel nor its deadline, nor shortens its own lease', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, anOperation())
    const [mine] = await store.write((tx) => tx.claim(order))
    const held = mine as Operation
    await store.write((tx) => tx.cancelOperation(held.id, { at: 7, forceAt: 8, reason: 'cancelled' }))
    await opened.advance(500)
    await store.write((tx) => tx.renew('n', [held.id], 1000))

    const stale = { ...held, state: 'running', deadlineAt: 1 } as const
    await store.write((tx) => tx.putOperation(stale, { fence: 1, owner: 'n' }))

    const now = await store.look.now()
    expect(await store.look.operation(held.id)).toStrictEqual({
      ...held,
      state: 'running',
      cancelRequestedAt: 7,
      forceAt: 8,
      runAfter: held.runAfter,
      lease: { owner: 'n', until: now + 1000 },
    })
  })

  test('within one transaction a cancel and what is written after it are both kept', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = anOperation({ state: 'quarantined' })
    await add(store, operation)

    await store.write(async (tx) => {
      const before = (await tx.lockOperation(operation.id)) as Operation
      const asked = await tx.cancelOperation(operation.id, { at: 7, reason: 'cancelled' })
      expect(asked).toMatchObject({ state: 'queued', cancelRequestedAt: 7, reason: 'cancelled' })
      await tx.cancelOperation(operation.id, { at: 9, forceAt: 11, reason: 'forced' })
      await tx.putOperation({ ...before, reason: 'written later', stage: 1 }, { fence: 0 })
    })

    expect(await store.look.operation(operation.id)).toMatchObject({
      cancelRequestedAt: 7,
      forceAt: 11,
      reason: 'written later',
      stage: 1,
    })
  })

  test('what has ended cannot be cancelled any more', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = anOperation({ state: 'failed' })
    await add(store, operation)

    const wish = { at: 7, forceAt: 7, reason: 'cancelled' }
    expect(await store.write((tx) => tx.cancelOperation(operation.id, wish))).toBeUndefined()
    expect(await store.look.operation(operation.id)).toStrictEqual(operation)
  })

  test('an operation given back has no lease', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(store, anOperation())
    const [mine] = await store.write((tx) => tx.claim(order))
    const { lease: _, ...free } = mine as Operation

    await store.write((tx) => tx.putOperation(free, { fence: 1, owner: 'n' }))

    expect((await store.look.operation(free.id))?.lease).toBeUndefined()
    expect(await claimed(store)).toEqual([free.id])
  })

  test('a poll answers the named operation of the target, else its latest', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const old = anOperation({ state: 'failed', description: 'broke', usable: false, finishedAt: 5 })
    const latest = anOperation({ action: { kind: 'update' } })
    const ofBinding = anOperation({ target: { ...target, binding: 'b' }, action: { kind: 'bind' } })
    await add(store, old, latest, ofBinding)
    const now = await store.look.now()

    expect(await store.look.poll(target, old.id)).toStrictEqual({
      id: old.id,
      action: 'provision',
      state: 'failed',
      description: 'broke',
      usable: false,
      repeatable: undefined,
      createdAt: old.createdAt,
      now,
    })
    expect((await store.look.poll(target, undefined))?.id).toBe(latest.id)
    expect((await store.look.poll({ ...target, binding: 'b' }, undefined))?.action).toBe('bind')
    expect(await store.look.poll(target, ofBinding.id)).toBeUndefined()
    expect(await store.look.poll({ ...target, platform: 'k8s' }, latest.id)).toBeUndefined()
    expect(await store.look.poll({ ...target, instance: 'i-2' }, undefined)).toBeUndefined()
  })

  test('operations are listed latest first in pages that join up', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const all = Array.from({ length: 5 }, () => anOperation({ state: 'succeeded' }))
    await add(store, ...all)

    const first = await store.look.operations({ most: 3 })
    const second = await store.look.operations({ most: 3, after: first.next ?? '' })

    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(
      all.map(({ id }) => id).toReversed(),
    )
    expect(second.next).toBeUndefined()
  })

  test.each([
    [{ platform: 'k8s' }, ['other platform']],
    [{ instance: 'i-2' }, ['other instance']],
    [{ binding: 'b' }, ['binding']],
    [{ states: ['queued' as const] }, ['other instance', 'active']],
    [{ states: ['queued' as const, 'failed' as const] }, ['other instance', 'other platform', 'active']],
    [{ states: [] }, []],
  ])('operations are found by %j', async (filter, expected) => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await add(
      store,
      anOperation({ reason: 'active' }),
      anOperation({ reason: 'binding', target: { ...target, binding: 'b' }, state: 'running' }),
      anOperation({ reason: 'other platform', target: { ...target, platform: 'k8s' }, state: 'failed' }),
      anOperation({ reason: 'other instance', target: { ...target, instance: 'i-2' } }),
    )

    const { items } = await store.look.operations({ most: 10, ...filter })

    expect(items.map(({ reason }) => reason)).toEqual(expected)
  })

  test('runs are written, changed, and listed by stage and attempt', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const run = {
      operation: 'op',
      stage: 0,
      attempt: 1,
      name: 'r-0',
      engine: 'sim',
      state: 'intended' as const,
    }
    await store.write(async (tx) => {
      await tx.putRun({ ...run, stage: 1, name: 'r-1' })
      await tx.putRun(run)
      await tx.putRun({ ...run, state: 'started', ticket: 't' })
    })

    expect(await store.look.runs('op')).toStrictEqual([
      { ...run, state: 'started', ticket: 't' },
      { ...run, stage: 1, name: 'r-1' },
    ])
  })

  test('history keeps every line in the order written, with the time of the database', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const line = (reason: string) => ({ state: 'queued' as const, reason, node: 'n', fence: 1 })
    const start = await store.look.now()
    await store.write(async (tx) => {
      await tx.addHistory('op', line('one'))
      await tx.addHistory('op', line('two'))
    })
    await opened.advance(10)
    await store.write((tx) => tx.addHistory('op', line('three')))

    expect(await store.look.history('op')).toEqual([
      { at: start, ...line('one') },
      { at: start, ...line('two') },
      { at: start + 10, ...line('three') },
    ])
  })
})

async function add(store: Store, ...operations: readonly Operation[]): Promise<void> {
  await store.write(async (tx) => {
    for (const operation of operations) await tx.addOperation(operation)
  })
}

async function claimed(store: Store): Promise<readonly string[]> {
  return (await store.write((tx) => tx.claim(order))).map(({ id }) => id)
}
