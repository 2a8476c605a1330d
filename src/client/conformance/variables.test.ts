/** Variables in conformance cases. */
import { expect, test } from 'vitest'
import type { Json } from '../../kit/json.ts'
import { fill, variablesIn } from './variables.ts'

const variables = new Map<string, Json>([
  ['i', 'id-1'],
  ['list', ['a', 'b']],
  ['svc.alpha', 'a b/ü'],
])

test.each<readonly [Json, Json]>([
  ['/v2/${i}/x', '/v2/id-1/x'],
  ['${list}', ['a', 'b']],
  [{ a: ['${i}', 5, null] }, { a: ['id-1', 5, null] }],
  ['plan=${svc.alpha|percent}', 'plan=%61%20%62%2F%C3%BC'],
  ['no $ {sign}', 'no $ {sign}'],
])('%j becomes %j', (document, filled) => {
  expect(fill(document, variables)).toEqual(filled)
})

test('a variable that nothing saved stops the case', () => {
  expect(() => fill('${op}', variables)).toThrow('nothing is known as op here')
})

test('the variables of a document are found wherever they stand', () => {
  expect(variablesIn({ a: '${i} and ${j|percent}', b: ['${svc.alpha}'] })).toEqual(['i', 'j', 'svc.alpha'])
})
