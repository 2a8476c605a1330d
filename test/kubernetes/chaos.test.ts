/** The short form of the storm over pods of a cluster; `npm run chaos` has the long one. */
import { expect, test } from 'vitest'
import { disturbedCluster } from '../chaos/scenarios.ts'
import { missingPostgres } from '../support/stores.ts'
import { clusterMissing } from './programs.ts'

const missing = clusterMissing() ?? missingPostgres

// CHAOS_SEED draws another storm.
const seed = Number(process.env['CHAOS_SEED'] ?? 20_260_101)

test.skipIf(missing !== undefined)(
  'with three brokers that are killed, over a cluster that is disturbed, nothing is lost, started twice or left behind',
  async () => {
    const { faults, acknowledged } = await disturbedCluster({ customers: 4, blows: 6, seed })

    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(4)
  },
  1_800_000,
)
