/** What an order or an end of a run of a bundle is refused for, by the code that users see. */
import { expect, test } from 'vitest'
import { outcomeOf, packageOf, situation } from '../../../test/cnab/stage.ts'
import { cnab } from './index.ts'

const fragment = {
  definitions: { text: { type: 'string' } },
  outputs: { text: { definition: 'text', path: '/cnab/app/outputs/text' } },
}

test('an output beyond the bound of the operator fails the run, by name', async () => {
  const pkg = await packageOf(fragment)
  const [plan] = pkg.services[0]?.plans ?? []
  if (plan === undefined) throw new Error('no plan')
  const bounded = { ...plan, operator: { ...plan.operator, options: { outputsBytes: 2 } } }
  const { problems } = outcomeOf({ kind: 'provision' }, situation(pkg, { plan: bounded }), {
    written: { text: 'four' },
  })

  expect(problems).toContainEqual(
    expect.objectContaining({
      code: 'cnab.output.too-large',
      detail: 'text has 4 bytes, more than 2',
    }),
  )
})

test('a bundle that hands nothing out cannot be bound', async () => {
  const prepared = cnab.prepare({ kind: 'bind' }, situation(await packageOf({})))

  expect(prepared).toMatchObject({ kind: 'refused', problems: [{ code: 'cnab.bind.impossible' }] })
})
