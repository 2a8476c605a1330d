import { expect, test } from 'vitest'
import { noChoice, type Plan } from '../model/package.ts'
import { ProblemError } from '../model/problem.ts'
import { checkOpen, checkParameters, mergeParameters, shownParameters } from './parameters.ts'

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: { size: { type: 'integer' }, token: { type: 'string', writeOnly: true } },
}

function refusal(act: () => void): readonly string[] {
  try {
    act()
    return []
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { problem } = error
    return [problem, ...(problem.others ?? [])].map((one) => `${one.where?.pointer} ${one.detail}`)
  }
}

test('all faults of the parameters are told at once, with their places', () => {
  expect(refusal(() => checkParameters({ size: 'x', color: 1 }, schema))).toEqual([
    '/color is not known here',
    '/size must be integer',
  ])
})

test('what the operator fixed or did not open is refused even with the same value', () => {
  const plan = { operator: { ...noChoice, inputs: { size: 1 }, allow: ['token'] } } as unknown as Plan

  expect(refusal(() => checkOpen({ size: 1, other: 2, token: 't' }, plan))).toEqual([
    '/size is fixed by the operator',
    '/other may not be set on this plan',
  ])
})

test.each([
  [{ a: 1, b: { c: 1 } }, {}, { a: 1, b: { c: 1 } }],
  [{ a: 1, b: { c: 1 } }, { b: { d: 2 } }, { a: 1, b: { d: 2 } }],
  [{ a: 1 }, { a: null, z: 3 }, { z: 3 }],
])('%j merged with %j gives %j', (stored, given, merged) => {
  expect(mergeParameters(stored, given)).toEqual(merged)
})

test('what the schema marks as write-only is not shown', () => {
  expect(shownParameters({ size: 1, token: 't' }, schema)).toEqual({ size: 1 })
})
