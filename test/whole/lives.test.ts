/** A few random lives; `npm run chaos -- lives` lives 2,000. */
import { expect, test } from 'vitest'
import { live } from '../chaos/lives/lives.ts'
import { type LifeContract, lifeContracts } from '../chaos/lives/wares.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ensurePrograms } from '../support/debian.ts'

const missing = ensurePrograms('busybox')
// LIVES_SEED draws others.
const seed = Number(process.env['LIVES_SEED'] ?? 1)
const counts: Readonly<Record<LifeContract, number>> = { tweed: 3, cnab: 3, brokerpak: 1 }

function lacks(contract: LifeContract): boolean {
  return contract === 'brokerpak' ? hostEngine() === undefined : missing !== undefined
}

for (const contract of lifeContracts) {
  test.skipIf(lacks(contract))(
    `random lives of ${contract}, at a broker and by commands, are as the model has them`,
    async () => {
      const { faults, steps } = await live({ contract, seed, count: counts[contract] })

      expect(faults).toEqual([])
      expect(steps).toBeGreaterThan(counts[contract])
    },
    900_000,
  )
}
