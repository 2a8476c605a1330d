/** Figures of the house: counted now and then, and again at once when they could not be counted. */
import { expect, test } from 'vitest'
import { makeCatalog } from '../broker/catalog.ts'
import { openMetrics } from '../http/metrics.ts'
import type { Look } from '../store/store.ts'
import { watchHouse } from './watch-house.ts'

test('a folder that could not be walked is walked at the next look, and then not again for a while', async () => {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  const sizes = [Promise.reject(new RangeError('gone')), Promise.resolve(5), Promise.resolve(6)]
  watchHouse(metrics, {
    dataDir: '.',
    storeUrl: 'postgres:',
    look: {} as unknown as Look,
    catalog: () => makeCatalog([]),
    artifacts: { size: () => sizes.shift() ?? Promise.resolve(0) },
    running: () => 0,
  })
  const shown = async (): Promise<string | undefined> =>
    /^chandler_content_store_bytes (\d+)$/m.exec(await metrics.text())?.[1]

  expect([await shown(), await shown(), await shown()]).toEqual(['0', '5', '5'])
})
