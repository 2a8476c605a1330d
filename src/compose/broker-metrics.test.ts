/** Figures of the house: counted now and then, and again at once when they could not be counted. */
import { expect, test } from 'vitest'
import { makeCatalog } from '../broker/catalog.ts'
import { openMetrics } from '../http/metrics.ts'
import { systemClock } from '../kit/clock.ts'
import type { Look } from '../store/store.ts'
import { addBrokerMetrics, type BrokerMetricSources } from './broker-metrics.ts'

test('a folder that could not be walked is walked at the next look, and then not again for a while', async () => {
  const sizes = [Promise.reject(new RangeError('gone')), Promise.resolve(5), Promise.resolve(6)]
  const figure = watched({ artifacts: { size: () => sizes.shift() ?? Promise.resolve(0) } })
  const shown = () => figure('chandler_content_store_bytes')

  expect([await shown(), await shown(), await shown()]).toEqual(['0', '5', '5'])
})

test('whether the store takes writes is tried at every look; one that does not answer soon takes none', async () => {
  const probes = [
    () => Promise.reject(new RangeError('gone')),
    () => Promise.resolve(),
    () => new Promise<void>(() => undefined),
    () => Promise.resolve(),
  ]
  const figure = watched({
    store: { ...idle, probe: () => probes.shift()?.() ?? Promise.resolve() },
    clock: { sleep: () => new Promise((resolve) => setImmediate(resolve)) },
  })
  const shown = () => figure('chandler_store_writable')

  expect([await shown(), await shown(), await shown(), await shown()]).toEqual(['0', '1', '0', '1'])
})

test('connections in use and the room on each disk are shown', async () => {
  const figure = watched({ store: { ...idle, busy: () => 3 } })

  expect(await figure('chandler_store_pool_in_use')).toBe('3')
  expect(Number(await figure('chandler_disk_free_bytes{volume="data"}'))).toBeGreaterThan(0)
})

const idle: BrokerMetricSources['store'] = {
  look: {} as unknown as Look,
  probe: () => Promise.resolve(),
  busy: () => 0,
}

/** Reads figures of a house. */
function watched(house: Partial<BrokerMetricSources>): (name: string) => Promise<string | undefined> {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  addBrokerMetrics(metrics, {
    dataDir: '.',
    storeUrl: 'postgres:',
    store: idle,
    clock: systemClock,
    catalog: () => makeCatalog([]),
    artifacts: { size: () => Promise.resolve(0) },
    running: () => 0,
    ...house,
  })
  return async (name) => {
    const lines = (await metrics.text()).split('\n')
    return lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
  }
}
