/** Retention: what has ended long ago goes, with everything that hangs on it; what is active or young stays. */
import { describe, expect, test } from 'vitest'
import { aBinding, anAuditRecord, anInstance, anOperation } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import type { NewLogRow, Retention, Store } from './store.ts'

const day = 86_400_000
const retention: Retention = { operationDays: 90, logDays: 30, goneDays: 30, auditDays: 400 }

describe.each(storeKinds)('%s', (kind) => {
  test('an operation that ended long ago goes with its runs, history, log and sealed things', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const birth = await store.look.now()
    const old = anOperation({ state: 'failed', finishedAt: birth })
    const active = anOperation()
    await store.write(async (tx) => {
      for (const { id } of [old, active]) {
        await tx.addHistory(id, { state: 'queued', reason: 'r', node: 'n', fence: 0 })
        const run = { operation: id, stage: 0, attempt: 1, name: `run-${id}`, engine: 'sim' }
        await tx.putRun({ ...run, state: 'reported' })
        await tx.seal(`operation/${id}`, 'request', Buffer.from('x'))
        await tx.seal(`run/run-${id}`, 'job', Buffer.from('x'))
        await tx.addLog([piece(id)])
      }
      await tx.addOperation(old)
      await tx.addOperation(active)
    })
    await opened.advance(91 * day)
    const logsToo = { ...retention, logDays: 100 }

    expect(await forget(store, logsToo)).toBe(1)

    for (const [id, there] of [
      [old.id, false],
      [active.id, true],
    ] as const) {
      expect((await store.look.operation(id)) !== undefined).toBe(there)
      expect((await store.look.history(id)).length > 0).toBe(there)
      expect((await store.look.runs(id)).length > 0).toBe(there)
      expect((await store.look.log(id, 0, 10)).length > 0).toBe(there)
      expect((await store.look.unseal(`operation/${id}`, 'request')) !== undefined).toBe(there)
      expect((await store.look.unseal(`run/run-${id}`, 'job')) !== undefined).toBe(there)
    }
    expect(await forget(store, logsToo)).toBe(0)
  })

  test('an operation that began long ago but ended lately stays', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const operation = anOperation({ state: 'failed', finishedAt: (await store.look.now()) + 50 * day })
    await store.write((tx) => tx.addOperation(operation))
    await opened.advance(91 * day)

    expect(await forget(store)).toBe(0)
    expect(await store.look.operation(operation.id)).toBeDefined()
  })

  test('log pieces go after their own time, the youngest stay', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const hidden = [{ at: 0, mark: 1, bytes: new Uint8Array([1]) }]
    const sealed = async () => (await store.look.sealedByKey()).reduce((sum, { records }) => sum + records, 0)
    const before = await sealed()
    await store.write((tx) => tx.addLog([{ ...piece('a', 0), hidden }, piece('a', 1)]))
    await opened.advance(20 * day)
    await store.write((tx) => tx.addLog([{ ...piece('a', 2), hidden }]))
    await opened.advance(11 * day)

    expect(await forget(store)).toBe(2)

    expect((await store.look.log('a', 0, 10)).map(({ position }) => position)).toEqual([2])
    // The piece and what is hidden in it.
    expect(await sealed()).toBe(before + 2)
    expect(await store.look.logEnds('run-a')).toEqual([{ step: 's', stream: 'stdout', end: 3 }])
  })

  test('instances and bindings that are gone are forgotten, others never', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      await tx.putInstance(anInstance({ state: 'gone' }))
      await tx.putInstance(anInstance({ instance: 'i-2' }))
      await tx.putBinding(aBinding({ state: 'gone' }))
      await tx.putBinding(aBinding({ binding: 'b-2' }))
    })
    await opened.advance(29 * day)
    expect(await forget(store)).toBe(0)
    await opened.advance(2 * day)

    expect(await forget(store)).toBe(2)

    const left = await store.look.instances({ most: 10 })
    expect(left.items.map(({ instance }) => instance)).toEqual(['i-2'])
    expect(await store.look.bindings({ platform: 'cf', instance: 'i-1' })).toHaveLength(1)
  })

  test('audit records go as a prefix, and numbers go on after it', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const record = async (): Promise<void> => {
      await store.write((tx) => tx.addAudit(anAuditRecord()))
      await store.write((tx) => tx.chainAudit(1))
    }
    await record()
    await record()
    await opened.advance(401 * day)
    await record()

    expect(await forget(store)).toBe(2)
    await record()

    const records = await store.look.audit(0, 10)
    expect(records.map(({ seq }) => seq)).toEqual([3, 4])
    expect(records[1]?.prev).toBe(records[0]?.hash)
  })

  test('answers to idempotency keys go after a day with their sealed bodies, tombstones when over', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const now = await store.look.now()
    await store.write(async (tx) => {
      await tx.putIdempotent({ scope: 's', key: 'k', fingerprint: 'f', status: 200, body: {} })
      await tx.addTombstone('over', 'r', 1)
      await tx.putNode({
        name: 'n',
        boot: 'b',
        version: '1',
        draining: false,
        startedAt: 0,
        heartbeatAt: now,
      })
    })
    await opened.advance(day + 2)

    expect(await forget(store)).toBe(3)

    expect(await store.look.idempotent('s', 'k')).toBeUndefined()
    expect(await store.look.sealedByKey()).toMatchObject([{ records: 1 }])
    expect(await store.look.nodes()).toEqual([])
  })

  test('a call removes no more than it was asked to', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const finishedAt = await store.look.now()
    await store.write(async (tx) => {
      for (let i = 0; i < 5; i++) await tx.addOperation(anOperation({ state: 'failed', finishedAt }))
    })
    await opened.advance(91 * day)

    expect([await forget(store, retention, 2), await forget(store, retention, 2)]).toEqual([2, 2])
    expect((await store.look.operations({ most: 10 })).items).toHaveLength(1)
  })
})

function forget(store: Store, kept = retention, most = 100): Promise<number> {
  return store.write((tx) => tx.forget(kept, most))
}

function piece(operation: string, position = 0): NewLogRow {
  const bytes = Buffer.from('x')
  return { operation, run: `run-${operation}`, stream: 'stdout', step: 's', position, span: 1, bytes }
}
