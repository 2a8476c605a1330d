/** The audit trail: written with the change, numbered without gaps, chained so that a change shows. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { anAuditRecord } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import { auditHash } from './audit.ts'
import type { AuditRecord, Store } from './store.ts'

describe.each(storeKinds)('%s', (kind) => {
  test('a record is there with its change, or neither is', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const failing = store.write(async (tx) => {
      await tx.addAudit(anAuditRecord())
      throw new RangeError('no')
    })
    await expect(failing).rejects.toThrow('no')

    expect(await store.write((tx) => tx.chainAudit(10))).toBe(0)
    expect(await store.look.audit(0, 10)).toEqual([])
  })

  test('records are read once they are chained, complete and in order', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const full = anAuditRecord({
      actor: { kind: 'user', id: 'u', identity: { a: [1] } },
      code: 'instance.busy',
      source: '127.0.0.1',
      result: 'failed',
    })
    await store.write(async (tx) => {
      await tx.addAudit(anAuditRecord())
      await tx.addAudit(full)
    })
    expect(await store.look.audit(0, 10)).toEqual([])

    expect(await store.write((tx) => tx.chainAudit(10))).toBe(2)

    const records = await store.look.audit(0, 10)
    const at = await store.look.now()
    expect(records).toStrictEqual([
      { ...anAuditRecord(), at, seq: 1, prev: '', hash: records[0]?.hash },
      { ...full, at, seq: 2, prev: records[0]?.hash, hash: records[1]?.hash },
    ])
    expect(await store.look.audit(1, 1)).toStrictEqual([records[1]])
  })

  test('numbers go on without a gap over batches', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    for (let i = 0; i < 7; i++) await store.write((tx) => tx.addAudit(anAuditRecord()))

    const chained = [3, 3, 3, 3].map(() => store.write((tx) => tx.chainAudit(3)))
    const counts = await Promise.all(chained)

    expect(counts.toSorted()).toEqual([0, 1, 3, 3])
    const records = await store.look.audit(0, 10)
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(breaks(records)).toEqual([])
  })

  test.each([
    ['changed', `UPDATE audit SET request_id = 'other' WHERE seq = 3`],
    ['removed', 'DELETE FROM audit WHERE seq = 3'],
    ['given another time', 'UPDATE audit SET at = at + 1 WHERE seq = 3'],
  ])('a record that was %s breaks the chain', async (_, statement) => {
    await using opened = await openTestStore(kind)
    await fill(opened.store, 5)
    expect(breaks(await opened.store.look.audit(0, 10))).toEqual([])

    await opened.damage(statement)

    expect(breaks(await opened.store.look.audit(0, 10))).not.toEqual([])
  })
})

test('the hash is SHA-256 over the hash before and the record as canonical JSON without its hash', () => {
  const record = {
    ...anAuditRecord({ actor: { kind: 'system', id: 'é' } }),
    seq: 2,
    at: 5,
    prev: 'abc',
  }

  const text =
    'abc{"action":"instance.provision","actor":{"id":"é","kind":"system"},"at":5,"decision":"allowed",' +
    '"node":"node-1","object":{"id":"i-1","kind":"instance"},"prev":"abc","requestId":"request-1",' +
    '"result":"started","seq":2}'
  expect(auditHash(record)).toBe(createHash('sha256').update(text).digest('hex'))
})

async function fill(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await store.write((tx) => tx.addAudit(anAuditRecord()))
  await store.write((tx) => tx.chainAudit(count))
}

/** The numbers of the records that do not fit. */
function breaks(records: readonly AuditRecord[]): readonly number[] {
  return records
    .filter((record, i) => record.prev !== (records[i - 1]?.hash ?? '') || auditHash(record) !== record.hash)
    .map(({ seq }) => seq)
}
