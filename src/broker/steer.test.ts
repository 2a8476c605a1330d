/** What operators do to an operation reaches the workers, without a look at the clock. */
import { expect, test } from 'vitest'
import { anOperation } from '../../test/support/rows.ts'
import { openTestStore } from '../../test/support/stores.ts'
import { systemClock } from '../kit/clock.ts'
import type { Operation } from '../model/operation.ts'
import type { Hint } from '../store/store.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'
import { cancelOperation, releaseOperation } from './steer.ts'

const asker: Asker = { platform: 'cf', account: { kind: 'user', id: 'admin' }, requestId: 'request-2' }
const later = Date.UTC(2030, 0, 2)

const given: Readonly<Record<string, Partial<Operation>>> = {
  'is held back': { state: 'quarantined', strikes: 3, fence: 3 },
  'waits to be tried again': { state: 'running', fence: 1, runAfter: later },
  'is worked on': { state: 'running', fence: 1, lease: { owner: 'n', until: later } },
}

test.each([
  ['cancel', 'is held back', 'cancel and queued', true],
  ['cancel', 'waits to be tried again', 'cancel and queued', true],
  ['cancel', 'is worked on', 'cancel', false],
  ['release', 'is held back', 'queued', true],
])('to %s what %s tells: %s', async (verb, how, told, isClaimed) => {
  await using opened = await openTestStore('memory')
  const { store } = opened
  const operation = anOperation(given[how])
  await store.write((tx) => tx.addOperation(operation))
  const hints: Hint[] = []
  store.onHint((hint) => void hints.push(hint))
  const steer = verb === 'cancel' ? cancelOperation : releaseOperation

  await steer({ store, clock: systemClock, node: 'n' } as unknown as Ports, asker, operation.id)
  const claims = await store.write((tx) =>
    tx.claim({ node: 'm', epoch: 1, leaseMs: 1000, most: 1, perPlatform: 1 }),
  )

  expect(
    hints
      .map(({ kind }) => kind)
      .toSorted()
      .join(' and '),
  ).toBe(told)
  expect(claims).toHaveLength(isClaimed ? 1 : 0)
})
