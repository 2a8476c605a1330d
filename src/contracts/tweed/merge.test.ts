import { expect, test } from 'vitest'
import { situation } from '../../../test/tweed/stage.ts'
import { parseJson } from '../../kit/exact.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { describeProblem, type Problem } from '../../model/problem.ts'
import { tweed } from './index.ts'
import { inputSchema } from './inputs.ts'
import { mergeInputs } from './merge.ts'

const none = { inputs: {}, defaults: {} }

function merge(inputs: JsonObject, user: Json, choice = none) {
  return mergeInputs(inputSchema(inputs), choice, user)
}

test('an integer of any size reaches the pattern as it was sent', () => {
  const merged = merge({ big: { type: 'integer' } }, parseJson('{"big":9007199254740993}') as Json)

  expect(merged.kind === 'inputs' && JSON.stringify(merged.inputs)).toBe('{"big":9007199254740993}')
})

test.each<[string, Json]>([
  ['a list', []],
  ['a text', 'size'],
  ['a number', 5],
])('parameters that are %s are refused', (_, user) => {
  expect(merge({ size: {} }, user)).toMatchObject({ problems: [{ code: 'tweed.inputs.not-an-object' }] })
})

test.each([
  ['fixed by the operator', { inputs: { size: 's' } }],
  ['not opened to users', { allow: ['other'] }],
])('a parameter that is %s is refused with its place', (_, choice) => {
  expect(
    mergeInputs(inputSchema({ size: {} }), { inputs: {}, defaults: {}, ...choice }, { size: 'm' }),
  ).toMatchObject({
    problems: [{ code: 'tweed.inputs.not-allowed', where: { pointer: '/size' } }],
  })
})

test.each(['constructor', 'toString'])('%s is an ordinary name', (name) => {
  const user = JSON.parse(`{"${name}":"x"}`) as Json

  expect(merge(JSON.parse(`{"${name}":{"type":"string"}}`), user)).toEqual({ kind: 'inputs', inputs: user })
  expect(merge({ size: {} }, user)).toMatchObject({
    problems: [{ code: 'tweed.inputs.unknown', where: { pointer: `/${name}` } }],
  })
  expect(merge(JSON.parse(`{"${name}":{"type":"string","required":true}}`), {})).toMatchObject({
    problems: [{ code: 'tweed.inputs.missing' }],
  })
})

test('__proto__ is an unknown name like any other', () => {
  expect(merge({ size: {} }, JSON.parse('{"__proto__":{"size":"x"}}') as Json)).toMatchObject({
    problems: [{ code: 'tweed.inputs.unknown', where: { pointer: '/__proto__' } }],
  })
})

test('everything that is wrong with the parameters is told at once, with the name', () => {
  const merged = merge(
    { size: { enum: ['s', 'm'] }, count: { type: 'integer' }, zone: { type: 'string', required: true } },
    { size: 'xl', count: 'two' },
  )

  expect(
    merged.kind === 'refused' && merged.problems.map((problem: Problem) => describeProblem(problem)),
  ).toEqual([
    'A required parameter is missing: parameters, /zone: it is required',
    'The parameter does not fit its schema: parameters, /size: must be one of "s", "m"',
    'The parameter does not fit its schema: parameters, /count: must be integer',
  ])
})

test('a schema that is open takes names it does not declare', () => {
  const open = { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } }

  expect(merge(open, { b: 'x' })).toEqual({ kind: 'inputs', inputs: { b: 'x' } })
  expect(merge(open, { b: 1 })).toMatchObject({ problems: [{ code: 'tweed.inputs.invalid' }] })
})

test('what the operator pinned wrongly is told when the plan is loaded', async () => {
  const { planProblems } = await situation({
    metadata: {
      inputs: {
        size: { type: 'string', required: true },
        disk: { type: 'object', properties: { gb: { type: 'integer' } } },
      },
    },
    operator: {
      inputs: { disk: { gb: 'ten' }, colour: 'red' },
      defaults: { size: 3 },
      allow: ['sise'],
      options: { cpus: 0 },
    },
  })

  expect(planProblems.map(({ code, detail, where }) => [code, where?.pointer, detail])).toEqual([
    ['tweed.inputs.plan-error', '/inputs/colour', 'the pattern has no input "colour"'],
    ['tweed.inputs.plan-error', '/allow/0', 'the pattern has no input "sise"'],
    ['tweed.inputs.plan-error', '/defaults/size', 'must be string'],
    ['tweed.inputs.plan-error', '/inputs/disk/gb', 'must be integer'],
    ['tweed.options-invalid', '/cpus', 'must be > 0'],
  ])
})

test('a refusal comes before anything is prepared', async () => {
  const here = await situation({
    metadata: { inputs: { size: { type: 'string' } } },
    parameters: { sise: 'x' },
  })

  expect(tweed.prepare({ kind: 'provision' }, here)).toMatchObject({ kind: 'refused' })
})

test('of a thousand unknown names each is refused, and the first are told what the pattern takes', () => {
  const names = (word: string) => Array.from({ length: 1000 }, (_, i) => `${word}${i}`)
  const declared = Object.fromEntries(names('known').map((name) => [name, {}]))
  const sent = Object.fromEntries(names('x_').map((name) => [name, 1]))
  const merged = merge(declared, sent)
  const problems = merged.kind === 'refused' ? merged.problems : []

  expect(problems).toHaveLength(1000)
  expect(problems[0]?.hint).toMatch(/^It takes known0, known1, .*…\.$/)
  expect(problems.filter(({ hint }) => hint !== undefined)).toHaveLength(20)
})
