/** What doctor says about the rows of a store, over every kind of store there is. */
import { expect, test } from 'vitest'
import { makeKeyRing } from '../../test/support/key-ring.ts'
import { anAuditRecord, anOperation } from '../../test/support/rows.ts'
import { openTestStore, storeKinds, type TestStore } from '../../test/support/stores.ts'
import { type Clock, systemChance, systemClock } from '../kit/clock.ts'
import { examineRows } from './examine-rows.ts'

test.each(storeKinds)('of a store in order (%s) everything is well', async (kind) => {
  await using opened = await openTestStore(kind, { timeTrustMs: 0 })
  await writeAudit(opened, 3)

  expect(await examine(opened)).toEqual([
    { id: 'clock', what: "within 2 s of the database's", problems: [] },
    { id: 'keys', what: '1 on the ring, they open all that is sealed', problems: [] },
    { id: 'audit', what: 'the latest 3 records are unbroken', problems: [] },
    { id: 'nodes', what: '0 heard of within a minute', problems: [], advice: [] },
    { id: 'operations', what: '0 under way, none stands still', problems: [], advice: [] },
  ])
})

test.each([
  [-5000, '5 s ahead of'],
  [5000, '5 s behind'],
  [-1500, undefined],
  [1500, undefined],
])('a database %i ms after us is told, when it is far', async (ahead, told) => {
  await using opened = await openTestStore('memory')
  const clock = { ...systemClock, now: () => opened.options.clock.now() - ahead }
  const [seen] = await examine(opened, clock)

  expect(seen?.advice?.map(({ what }) => what) ?? []).toEqual(
    told === undefined ? [] : [`${told} the database's`],
  )
})

test.each([
  ['changed', "UPDATE audit SET action = 'x' WHERE seq = 2", 'record 2: the record was changed'],
  ['taken out', 'DELETE FROM audit WHERE seq = 2', 'record 2: records 2 to 2 are missing'],
  ['cut off at the end', 'DELETE FROM audit WHERE seq > 1', 'record 2: records 2 to 3 are missing'],
])('an audit record that was %s is told', async (_how, statement, detail) => {
  await using opened = await openTestStore('memory')
  await writeAudit(opened, 3)
  await opened.damage(statement)

  expect(await examine(opened)).toContainEqual(
    expect.objectContaining({ id: 'audit', problems: [{ code: 'audit.broken', detail }] }),
  )
})

test('what is sealed by a key that is not on the ring is told', async () => {
  await using opened = await openTestStore('memory')
  await opened.store.write((tx) => tx.seal('instance/cf/i-1', 'parameters', new Uint8Array(1)))
  const ring = makeKeyRing(systemChance)
  // The store's own check record is the second.
  const seen = await examineRows(opened.store.look, { clock: opened.options.clock, ring })

  expect(seen).toContainEqual(
    expect.objectContaining({
      id: 'keys',
      problems: [{ code: 'key.missing', detail: `records sealed by key ${opened.options.keys.active()}: 2` }],
    }),
  )
})

test('what is held back is told with its reason and what to do; of many only some', async () => {
  await using opened = await openTestStore('memory')
  const held = Array.from({ length: 7 }, (_, i) =>
    anOperation({ state: 'quarantined', target: { platform: 'cf', instance: `i-${i}` } }),
  )
  await opened.store.write(async (tx) => {
    for (const operation of held) await tx.addOperation(operation)
  })
  const { what, advice = [] } = (await examine(opened)).at(-1) ?? {}
  const oldest = held[0]?.id ?? ''

  expect(what).toBe('7 under way')
  expect(advice).toHaveLength(6)
  expect(advice[0]).toEqual({
    what: expect.stringMatching(`^provision ${oldest} of instance i-0: held back after three unexpected`),
    fix: expect.stringContaining(`chandler operation release ${oldest}`),
  })
  expect(advice[5]?.what).toBe('and 2 more')
})

test.each([
  ['with others alive', true, 'Another node takes over'],
  ['with nobody alive', false, 'Start a broker on this store'],
])('a node that is gone with a lease is told, %s', async (_name, others, fix) => {
  await using opened = await openTestStore('memory')
  const now = await opened.store.look.now()
  const node = { boot: 'b', draining: false, startedAt: 1 }
  const operation = anOperation({ state: 'running', lease: { owner: 'gone', until: now + 5000 } })
  await opened.store.write(async (tx) => {
    await tx.addOperation(operation)
    await tx.putNode({ ...node, name: 'gone', version: '1', heartbeatAt: now - 300_000 })
    if (others) await tx.putNode({ ...node, name: 'other', version: '1', heartbeatAt: now })
  })

  expect((await examine(opened)).find(({ id }) => id === 'nodes')?.advice).toEqual([
    {
      what: `node gone has been silent for 5 min and still has the lease of operation ${operation.id}`,
      fix: expect.stringContaining(fix),
    },
  ])
})

test('brokers of several versions are told', async () => {
  await using opened = await openTestStore('memory')
  const heartbeatAt = await opened.store.look.now()
  const node = { boot: 'b', draining: false, startedAt: 1, heartbeatAt }
  await opened.store.write(async (tx) => {
    await tx.putNode({ ...node, name: 'a', version: '1.1' })
    await tx.putNode({ ...node, name: 'b', version: '1.0' })
  })

  expect((await examine(opened)).find(({ id }) => id === 'nodes')).toMatchObject({
    what: '2 heard of within a minute',
    advice: [{ what: 'brokers of versions 1.0 and 1.1 at once' }],
  })
})

/** By the clock of the database, unless another is given. */
async function examine({ store, options }: TestStore, clock?: Clock) {
  const now = await store.look.now()
  const same = { ...systemClock, now: () => now }
  return examineRows(store.look, { clock: clock ?? same, ring: options.keys })
}

async function writeAudit({ store }: TestStore, count: number): Promise<void> {
  await store.write(async (tx) => {
    for (let i = 0; i < count; i += 1) await tx.addAudit(anAuditRecord())
  })
  await store.write((tx) => tx.chainAudit(count))
}
