import { expect, test } from 'vitest'
import { anOperation } from '../../test/support/rows.ts'
import { openTestStore } from '../../test/support/stores.ts'
import type { Operation } from '../model/operation.ts'
import { lookForStuck } from './stuck.ts'

const start = Date.UTC(2030, 0, 1)
const minute = 60_000
const leased = { owner: 'n', until: start + 10 * minute }
const running: Partial<Operation> = { state: 'running', lease: leased, deadlineAt: start + 120 * minute }

test.each<[string, Partial<Operation>, number, string | undefined]>([
  ['held back', { state: 'quarantined' }, 0, 'held-back'],
  ['in the queue for half of its time', {}, 29, undefined],
  ['in the queue for more', {}, 31, 'still'],
  ['put off until lately', { runAfter: start + 25 * minute }, 31, undefined],
  ['short, and in the queue for nine minutes', { deadlineAt: start + 10 * minute }, 9, undefined],
  ['running, its last step within half of its time', running, 62, undefined],
  ['running, its last step long ago', running, 66, 'still'],
  ['past its deadline, with time left for whoever ends it', running, 124, 'still'],
  ['past its deadline by more', running, 126, 'overdue'],
])('%s: what is said of an operation', async (_name, given, minutes, how) => {
  await using opened = await openTestStore('memory')
  const { store, advance } = opened
  const operation = anOperation(given)
  await store.write((tx) => tx.addOperation(operation))
  await advance(5 * minute)
  const line = { state: operation.state, reason: 'x', node: 'n', fence: 1 }
  await store.write((tx) => tx.addHistory(operation.id, line))
  await advance((minutes - 5) * minute)
  const { active, stuck } = await lookForStuck(store.look)

  expect(active).toBe(1)
  expect(stuck.map((one) => one.how)).toEqual(how === undefined ? [] : [how])
})

test('what waits for another operation does not stand still itself', async () => {
  await using opened = await openTestStore('memory')
  const { store, advance } = opened
  const first = anOperation({ state: 'running', lease: leased })
  const second = anOperation({
    target: { platform: 'cf', instance: 'i-2' },
    action: { kind: 'deprovision' },
    blockedBy: first.id,
  })
  await store.write(async (tx) => {
    await tx.addOperation(first)
    await tx.addOperation(second)
  })
  await advance(40 * minute)

  expect((await lookForStuck(store.look)).stuck).toMatchObject([{ operation: { id: first.id } }])
})

test('leases of nodes that are silent or unknown are told, those of the living are not', async () => {
  await using opened = await openTestStore('memory')
  const { store } = opened
  const owners = ['alive', 'silent', 'unknown', 'silent']
  const operations = owners.map((owner, i) =>
    anOperation({ ...running, target: { platform: 'cf', instance: `i-${i}` }, lease: { ...leased, owner } }),
  )
  const beats = { alive: 50_000, silent: 70_000 }
  await store.write(async (tx) => {
    for (const operation of operations) await tx.addOperation(operation)
    for (const [name, ago] of Object.entries(beats)) {
      const node = { name, boot: 'b', version: '1', draining: false, startedAt: 1 }
      await tx.putNode({ ...node, heartbeatAt: (await tx.now()) - ago })
    }
  })
  const { alive, forsaken } = await lookForStuck(store.look)

  expect(alive.map(({ name }) => name)).toEqual(['alive'])
  expect(forsaken).toEqual([
    { node: 'silent', silentMs: 70_000, operations: [operations[1]?.id, operations[3]?.id] },
    { node: 'unknown', silentMs: undefined, operations: [operations[2]?.id] },
  ])
})
