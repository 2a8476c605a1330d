import { expect, test } from 'vitest'
import { openTestStore } from '../../test/support/stores.ts'
import { openMetrics } from '../http/metrics.ts'
import { systemClock } from '../kit/clock.ts'
import { Looking } from '../store/look.ts'
import { measuredStore } from './measured.ts'

test('each question to the store is timed under its name, failures by themselves', async () => {
  await using opened = await openTestStore('sqlite')
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  const store = measuredStore(opened.store, metrics, systemClock)

  await store.look.auditHeight()
  await store.write((tx) => tx.cluster())
  await store.write(() => Promise.reject(new Error('no'))).catch(() => undefined)
  const text = await metrics.text()

  const count = (query: string, result: string) =>
    `chandler_store_query_duration_seconds_count{query="${query}",result="${result}"} 1`
  expect(text).toContain(count('audit_height', 'ok'))
  expect(text).toContain(count('write', 'ok'))
  expect(text).toContain(count('write', 'failed'))
})

test('no question of the store is left out', async () => {
  await using opened = await openTestStore('sqlite')
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })

  const { look } = measuredStore(opened.store, metrics, systemClock)

  const asked = Object.getOwnPropertyNames(Looking.prototype).filter((name) => name !== 'constructor')
  expect(Object.keys(look).toSorted()).toEqual(asked.toSorted())
})
