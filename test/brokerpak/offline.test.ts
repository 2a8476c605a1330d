/** Brokerpaks from order to Terraform and back: the offline scenarios through the OSB interface of a whole broker. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseJson } from '../../src/kit/exact.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker } from '../support/broker.ts'
import { Customer, type Ended, faultsOf, isComplete, layOutPak, offering, type Scenario } from './offline.ts'
import { putTelltale } from './telltale.ts'

const folder = 'test/corpus/brokerpak/e2e-offline/scenarios'
const scenarios = readdirSync(folder).map((file): readonly [string, Scenario] => [
  file.replace('.json', ''),
  parseJson(readFileSync(join(folder, file), 'utf8')) as Scenario,
])
const program = hostEngine() ?? ''
const runnable = scenarios.filter(([, scenario]) => isComplete(scenario))
const absent = scenarios.filter(([, scenario]) => !isComplete(scenario))

test.skip.each(absent)(
  'the scenario %s needs a definition of other origin, which is not here',
  () => undefined,
)

test.skipIf(program === '').each(runnable)(
  'the scenario %s goes through at the OSB interface (needs terraform or tofu on the path)',
  async (_name, scenario) => {
    const home = newFolder()
    const pak = layOutPak(scenario.pak, home)
    const takeAway = putTelltale(program, home)
    const at = await startTestBroker('', home, offering(pak, program, scenario.env))
    try {
      const customer = new Customer(at, scenario.service)
      const past: Ended[] = []
      for (const [i, step] of scenario.steps.entries()) {
        const ended = await customer.take(step)
        past.push(ended)
        expect({
          step: `${i + 1} ${step.op}`,
          said: ended.said,
          faults: faultsOf(step, ended, past),
        }).toMatchObject({
          faults: [],
        })
      }
    } finally {
      await at.stop()
      takeAway()
      rmSync(home, { recursive: true, force: true })
    }
  },
  240_000,
)
