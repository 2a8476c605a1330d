/** What a service bundle is refused for, by the code that users see. */
import { expect, test } from 'vitest'
import { outcomeOf, packageOf, readSpecOf, situation } from '../../../test/apb/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import type { RunEnd } from '../../model/report.ts'
import { apb } from './index.ts'
import { lintSpec } from './lint.ts'

const spec = (parameters: string, more = '') => `
version: 1.0
name: db-apb
description: a database
bindable: true
async: optional
${more}
plans:
  - {name: dev, description: small, parameters: [${parameters}]}
  - {name: prod, description: large, parameters: []}
`
const sized = spec('{name: size, type: int, default: 1}')

test.each<[string, ProblemCode, text: string, JsonObject?, string?]>([
  ['a runtime that is no number', 'apb.label.runtime', sized, {}, 'second'],
  ['an option that there is not', 'apb.options-invalid', sized, { nonsense: true }],
  [
    'a pattern that is no regular expression',
    'apb.spec.pattern',
    spec('{name: a, type: string, pattern: "("}'),
  ],
  ['a default that JSON cannot say', 'apb.spec.default', spec('{name: a, type: number, default: .inf}')],
  ['a key that is nearly one', 'apb.spec.ignored', spec('', 'Metadata: {}')],
])('reading tells of %s', async (_, code, ...[text, options, runtime]) => {
  const reading = await readSpecOf(text, options, runtime)
  const told = [
    ...('warnings' in reading ? reading.warnings : []),
    ...('problems' in reading ? reading.problems : []),
  ]

  expect(told.map((problem) => problem.code)).toContain(code)
})

test('lint advises what brokers do not demand', () => {
  const { warnings } = lintSpec(
    spec('', 'metadata: {}').replace('description: a database', 'description: ""'),
    {
      registry: 'dh',
      runtime: 2,
    },
  )

  expect(warnings.map(({ code }) => code)).toContain('apb.spec.advice' satisfies ProblemCode)
})

test.each<[string, ProblemCode, JsonObject, context?: JsonObject]>([
  ['a parameter of another type', 'apb.parameters', { size: 'many' }],
  ['arguments that no program takes', 'apb.parameters.too-large', { size: 1, note: 'x'.repeat(300_000) }],
  ['a platform that names no namespace', 'apb.namespace', {}, { platform: 'cloudfoundry' }],
])('an order is refused for %s', async (_, code, parameters, context = { namespace: 'target-ns' }) => {
  const pkg = await packageOf(spec('{name: size, type: int, default: 1}, {name: note, type: string}'))
  const from = situation(pkg, { parameters, instance: { id: 'i1', context, parameters } })

  expect(apb.prepare({ kind: 'provision' }, from)).toMatchObject({ kind: 'refused', problems: [{ code }] })
})

test('an update to a plan that the plan does not name is refused', async () => {
  const pkg = await packageOf(sized)
  const { plan } = situation(pkg)
  const from = situation(pkg, { planName: 'prod', before: { parameters: {}, plan } })

  expect(apb.prepare({ kind: 'update' }, from)).toMatchObject({
    problems: [{ code: 'apb.update.plan' satisfies ProblemCode }],
  })
})

test('a value of the operator that its parameter cannot have is told with the plan', async () => {
  const pkg = await packageOf(sized)
  const { plan } = situation(pkg)
  const operator = { ...plan.operator, inputs: { size: 'many' } }

  expect(apb.offer?.(pkg, { ...plan, operator }).problems).toMatchObject([
    { code: 'apb.plan.invalid' satisfies ProblemCode, where: { source: 'inputs', pointer: '/size' } },
  ])
})

test.each<[RunEnd, ProblemCode]>([
  [{ kind: 'not-started', detail: 'no entrypoint' }, 'apb.run.start'],
  [{ kind: 'timed-out' }, 'apb.run.timeout'],
])('a run that ended as %j fails with its reason', async (end, code) => {
  const outcome = outcomeOf({ kind: 'provision' }, situation(await packageOf(sized)), { end })

  expect(outcome.problems.map((problem) => problem.code)).toEqual([code])
})
