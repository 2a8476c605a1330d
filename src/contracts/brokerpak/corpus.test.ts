/** The corpus: our own paks and scenarios always, the tables measured at the originals where they are at hand. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Verdict } from '../../../test/corpus/topic.ts'
import { paks } from '../../../test/corpus/topics/brokerpak-paks.ts'
import { scenario } from '../../../test/corpus/topics/brokerpak-scenarios.ts'
import { shared, tables } from '../../../test/corpus/topics/brokerpak-tables.ts'
import { hostEngine } from '../../../test/corpus/topics/brokerpak-terraform.ts'

const own = 'test/corpus/brokerpak'
const plots = [
  'csb-adopt',
  'csb-failure',
  'csb-guarded',
  'csb-lifecycle',
  'csb-random-adopt',
  'csb-random-password',
  'csb-types-and-injection',
  'v1-mail-golden',
]

async function failures(verdicts: AsyncIterable<Verdict> | Iterable<Verdict>): Promise<readonly Verdict[]> {
  const all: Verdict[] = []
  for await (const verdict of verdicts) all.push(verdict)
  expect(all.length).toBeGreaterThan(0)
  return all.filter(({ outcome }) => outcome !== 'passed')
}

test('hostile archives are refused and say why', async () => {
  expect(await failures(paks(join(own, 'pak')))).toEqual([])
})

test.skipIf(hostEngine() === undefined).each(plots)(
  'the scenario %s goes through with the Terraform of this machine',
  async (plot) => {
    expect(await failures(scenario(join(own, 'e2e-offline/scenarios', `${plot}.json`)))).toEqual([])
  },
  120_000,
)

test.skipIf(!existsSync(shared)).each(Object.keys(tables))('the table %s holds', async (table) => {
  expect(await failures(tables[table]!(join(shared, table)))).toEqual([])
})
