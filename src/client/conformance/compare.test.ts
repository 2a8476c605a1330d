/** Judging an answer by what a case wants. */
import { expect, test } from 'vitest'
import type { Json } from '../../kit/json.ts'
import type { BrokerAnswer } from '../broker-connection.ts'
import { lookUp } from './answer-path.ts'
import type { Want, WantAll } from './case.ts'
import { judge, judgeAll } from './compare.ts'

function answerOf(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): BrokerAnswer {
  return { status, headers, text: body === undefined ? '' : JSON.stringify(body), body, milliseconds: 1 }
}

const none = new Map<string, Json>()
const catalog = {
  services: [
    {
      id: 's1',
      plans: [
        { id: 'p1', name: 'one' },
        { id: 'p2', name: 'two' },
      ],
    },
    { id: 's2', plans: [{ id: 'p1', name: 'three' }] },
  ],
}

test('paths reach members, headers and every item of lists', () => {
  const answer = answerOf(200, catalog, { etag: '"x"' })

  expect(lookUp(answer, 'headers.ETag')).toBe('"x"')
  expect(lookUp(answer, 'body.services[].plans[].id')).toEqual(['p1', 'p2', 'p1'])
  expect(lookUp(answer, 'services[].id')).toEqual(['s1', 's2'])
  expect(lookUp(answer, 'body.nothing')).toBeUndefined()
})

test.each<readonly [string, BrokerAnswer, Want]>([
  ['a status', answerOf(201, {}), { status: 201 }],
  ['one of several', answerOf(422, {}), { status: [409, 422] }],
  ['a range', answerOf(503, {}), { status: { $range: [500, 599] } }],
  ['exactly an empty object', answerOf(200, {}), { exact: {} }],
  ['no body', answerOf(304), { empty: true }],
  ['a header whatever its case', answerOf(200, {}, { etag: 'x' }), { headers: { ETag: '$nonempty' } }],
  ['unique values', answerOf(200, catalog), { unique: ['services[].id'] }],
  ['an equal value', answerOf(200, { a: 1 }), { equals: { 'body.a': 1 } }],
  ['another value', answerOf(200, { a: 1 }), { differs: { 'body.a': 2 } }],
  ['text that is not there', answerOf(200, { a: 1 }), { text_not: ['password'] }],
])('%s is fine', (_, answer, want) => {
  expect(judge(answer, want, none)).toEqual({ faults: [], warnings: [] })
})

test.each<readonly [string, BrokerAnswer, Want]>([
  ['another status', answerOf(200, {}), { status: 201 }],
  ['a body that differs', answerOf(200, { a: 1 }), { status: 200, body: { a: 2 } }],
  ['no body where one is wanted', answerOf(200), { status: 200, body: '$object' }],
  ['more than exactly that', answerOf(200, { a: 1 }), { exact: {} }],
  ['a body where none is wanted', answerOf(304, {}), { empty: true }],
  ['a header that is missing', answerOf(200, {}), { headers: { ETag: '$nonempty' } }],
  ['a value that occurs twice', answerOf(200, catalog), { unique: ['services[].plans[].id'] }],
  ['a value that changed', answerOf(200, { a: 1 }), { equals: { 'body.a': 2 } }],
  ['a value that did not change', answerOf(200, { a: 1 }), { differs: { 'body.a': 1 } }],
  ['a forbidden text', answerOf(200, { a: 'the password' }), { text_not: ['password'] }],
])('%s is a fault', (_, answer, want) => {
  expect(judge(answer, want, none).faults).toHaveLength(1)
})

test('an allowed answer that is not the preferred one is a warning, and its body is not compared with the error', () => {
  const want: Want = { status: [422, 202], prefer: 422, body: { error: 'ConcurrencyError' } }

  expect(judge(answerOf(202, {}), want, none)).toMatchObject({ faults: [], warnings: [expect.any(String)] })
  expect(judge(answerOf(422, {}), want, none).faults).toHaveLength(1)
})

function catalogWith(schema: unknown): BrokerAnswer {
  const schemas = { service_instance: { create: { parameters: schema } } }
  return answerOf(200, { services: [{ plans: [{ name: 'p', schemas }] }] })
}

test.each<readonly [Want['schemas'], unknown, number]>([
  [{ have_dollar_schema: true }, { $schema: 'x' }, 0],
  [{ have_dollar_schema: true }, {}, 1],
  [{ no_external_refs: true }, { a: { $ref: '#/definitions/n' } }, 0],
  [{ no_external_refs: true }, { a: [{ $ref: 'http://example.com' }] }, 1],
  [{ max_bytes: 20 }, { description: 'short' }, 1],
  [{ max_bytes: 23 }, { description: 'short' }, 0],
])('%j over the schema %j finds %i', (schemas, schema, faults) => {
  expect(judge(catalogWith(schema), schemas ? { schemas } : {}, none).faults).toHaveLength(faults)
})

test.each<readonly [WantAll, number]>([
  [{ status: [202, 422] }, 0],
  [{ status: [202] }, 1],
  [{ at_least: { status: 202, count: 2 } }, 0],
  [{ at_least: { status: 202, count: 3 } }, 1],
  [{ at_most: { status: 422, count: 1 } }, 0],
  [{ at_most: { status: 202, count: 1 } }, 1],
  [{ same: 'body.operation' }, 0],
  [{ same: 'body.other' }, 1],
])('three answers at once are judged by %j', (want, faults) => {
  const answers = [
    answerOf(202, { operation: 'o1', other: 1 }),
    answerOf(202, { operation: 'o1', other: 2 }),
    answerOf(422, { error: 'ConcurrencyError' }),
  ]

  expect(judgeAll(answers, want)).toHaveLength(faults)
})
