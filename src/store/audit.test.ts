/** The audit trail: written with the change, numbered without gaps, chained so that a change shows. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { anAuditRecord } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import { verifyAudit } from '../broker/audit.ts'
import { isSigned } from '../kit/hash.ts'
import { anchorText, auditObjectOf } from '../model/audit.ts'
import type { Target } from '../model/instance.ts'
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
      object: { kind: 'binding', id: 'b', platform: 'cf', instance: 'i-1' },
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
      { ...anAuditRecord(), at, seq: 1, prev: '', hash: records[0]?.hash, isGenuine: true },
      { ...full, at, seq: 2, prev: records[0]?.hash, hash: records[1]?.hash, isGenuine: true },
    ])
    expect(await store.look.audit(1, 1)).toStrictEqual([records[1]])
  })

  test('records are found by the tenant of their object, in both directions', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      for (const tenant of ['acme', 'web', 'acme/x', undefined, 'acmeweb', 'acme'])
        await tx.addAudit(anAuditRecord(tenant === undefined ? {} : { tenant }))
      await tx.chainAudit(10)
    })
    const numbers = (records: readonly AuditRecord[]) => records.map(({ seq }) => seq)
    const { look } = store

    expect(numbers(await look.audit(0, 10, ['acme']))).toEqual([1, 6])
    expect(numbers(await look.audit(1, 10, ['acme', 'acme/*']))).toEqual([3, 6])
    expect(numbers(await look.audit(0, 10, ['*']))).toEqual([1, 2, 3, 4, 5, 6])
    expect(numbers(await look.audit(0, 10, []))).toEqual([])
    expect(numbers(await look.auditOf({ tenants: ['acme', 'web'], before: 6, most: 10 }))).toEqual([2, 1])
    expect(await verifyAudit(store)).toEqual({ intact: true, records: 6 })
  })

  test('records about an instance are found with those about its bindings', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const targets: readonly Target[] = [
      { platform: 'cf', instance: 'a' },
      { platform: 'cf', instance: 'a', binding: 'b' },
      { platform: 'cf', instance: 'b' },
      { platform: 'k8s', instance: 'c', binding: 'a' },
    ]
    await store.write(async (tx) => {
      for (const target of targets) await tx.addAudit(anAuditRecord({ object: auditObjectOf(target) }))
      await tx.chainAudit(10)
    })
    const about = async (object: string): Promise<readonly number[]> =>
      (await store.look.auditOf({ object, most: 10 })).map(({ seq }) => seq)

    expect([await about('a'), await about('b'), await about('c')]).toEqual([[4, 2, 1], [3, 2], [4]])
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

  test.each<[string, readonly string[], number, string]>([
    ['one was changed', [`UPDATE audit SET request_id = 'other' WHERE seq = 3`], 3, 'was changed'],
    ['one was given to another tenant', [`UPDATE audit SET tenant = 'web' WHERE seq = 3`], 3, 'was changed'],
    [
      'one was given to another platform',
      [`UPDATE audit SET object_platform = 'other' WHERE seq = 3`],
      3,
      'was changed',
    ],
    [
      'one was given another instance',
      [`UPDATE audit SET object_instance = 'other' WHERE seq = 3`],
      3,
      'was changed',
    ],
    ['one was given another time', ['UPDATE audit SET at = at + 1 WHERE seq = 3'], 3, 'was changed'],
    ['one was removed', ['DELETE FROM audit WHERE seq = 3'], 3, 'are missing'],
    ['the first were removed', ['DELETE FROM audit WHERE seq < 3'], 1, 'records 1 to 2 are missing'],
    ['the last were removed', ['DELETE FROM audit WHERE seq > 3'], 4, 'records 4 to 5 are missing'],
    ['all were removed', ['DELETE FROM audit'], 1, 'records 1 to 5 are missing'],
    [
      'the end was cut off, and its number set back',
      ['DELETE FROM audit WHERE seq > 3', 'UPDATE audit_head SET seq = 3', setHash],
      4,
      'behind an end that was changed',
    ],
    [
      'all were removed, and the number set back',
      ['DELETE FROM audit', `UPDATE audit_head SET seq = 0, hash = ''`],
      1,
      'behind an end that was changed',
    ],
    ['the codes were removed', ['UPDATE audit SET mac = NULL'], 1, 'not written by a holder of the key'],
    [
      'removed ones were passed off as removed for their age',
      ['DELETE FROM audit WHERE seq < 3', `UPDATE audit_anchors SET kind = 'retention', seq = 2`],
      1,
      'records 1 to 2 are missing',
    ],
  ])('a chain of which %s is broken there', async (_, statements, seq, reason) => {
    await using opened = await openTestStore(kind)
    await fill(opened.store, 5)
    expect(await verifyAudit(opened.store)).toEqual({ intact: true, records: 5 })

    for (const statement of statements) await opened.damage(statement)

    const { firstBreak } = await verifyAudit(opened.store)
    expect(firstBreak).toEqual({ seq, reason: expect.stringContaining(reason) })
  })

  test('a chain that was made anew from its middle shows that nobody had the key', async () => {
    await using opened = await openTestStore(kind)
    await fill(opened.store, 5)
    const records = [...(await opened.store.look.audit(0, 10))]
    let prev = records[1]?.hash ?? ''
    for (const record of records.slice(2)) {
      const forged = { ...record, action: 'instance.nothing', prev }
      const hash = auditHash(forged)
      await opened.damage(
        `UPDATE audit SET action = 'instance.nothing', prev = '${prev}', hash = '${hash}' WHERE seq = ${record.seq}`,
      )
      prev = hash
    }
    await opened.damage(`UPDATE audit_head SET hash = '${prev}'`)

    expect(await verifyAudit(opened.store)).toMatchObject({
      intact: false,
      firstBreak: { seq: 3, reason: 'the record was not written by a holder of the key' },
    })
  })

  test('what is written behind an end that was changed does not make it right', async () => {
    await using opened = await openTestStore(kind)
    await fill(opened.store, 5)
    await opened.damage('DELETE FROM audit WHERE seq > 3')
    await opened.damage('UPDATE audit_head SET seq = 3')
    await opened.damage(setHash)

    await fill(opened.store, 2)
    await fill(opened.store, 2)

    const verdict = await verifyAudit(opened.store)
    expect(verdict.firstBreak).toMatchObject({ reason: expect.stringContaining('an end that was changed') })
    expect((await opened.store.look.audit(0, 100)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('records that went for their age leave an anchor, and the rest is unbroken', async () => {
    await using opened = await openTestStore(kind)
    await fill(opened.store, 3)
    await opened.advance(401 * 86_400_000)
    await fill(opened.store, 2)

    const gone = await opened.store.write((tx) => tx.forget(keptLong, 100))

    const anchors = await opened.store.look.auditAnchors(0, 10)
    expect(gone).toBe(3)
    expect(anchors.at(-1)).toMatchObject({ anchor: { kind: 'retention', seq: 3 }, isGenuine: true })
    expect(await verifyAudit(opened.store)).toEqual({ intact: true, records: 2 })
  })

  test('records that were made old or do not follow stay, for their age is not to be believed', async () => {
    await using opened = await openTestStore(kind)
    await fill(opened.store, 3)
    await opened.damage('UPDATE audit SET at = 0 WHERE seq <= 2')

    expect(await opened.store.write((tx) => tx.forget(keptLong, 100))).toBe(0)
  })

  test('anchors are set after a thousand records or an hour, and are signed', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await fill(store, 1)
    await fill(store, 1)
    const soon = (await store.look.auditAnchors(0, 10)).length
    await opened.advance(3_600_000)
    await fill(store, 1)
    await fill(store, 1000)

    const anchors = await store.look.auditAnchors(0, 10)
    expect(soon).toBe(1)
    expect(anchors.map(({ anchor }) => anchor.seq)).toEqual([1, 3, 1003])
    for (const { anchor } of anchors)
      expect(isSigned(anchorText(anchor), anchor.signature, anchor.publicKey)).toBe(true)
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
  await store.write(async (tx) => {
    for (let i = 0; i < count; i++) await tx.addAudit(anAuditRecord())
  })
  await store.write((tx) => tx.chainAudit(count * 2))
}

const setHash = 'UPDATE audit_head SET hash = (SELECT hash FROM audit WHERE seq = 3)'

const keptLong = { operationDays: 90, logDays: 30, goneDays: 30, auditDays: 400 }

/** The numbers of the records that do not fit. */
function breaks(records: readonly AuditRecord[]): readonly number[] {
  return records
    .filter((record, i) => record.prev !== (records[i - 1]?.hash ?? '') || auditHash(record) !== record.hash)
    .map(({ seq }) => seq)
}
