import { expect, test } from 'vitest'
import type { JsonObject } from '../kit/json.ts'
import { pairOf, parametersOf } from './parameters.ts'

test.each([
  ['size=3', ['size', 3]],
  ['size=3.5', ['size', 3.5]],
  ['size=-1', ['size', -1]],
  ['on=true', ['on', true]],
  ['off=false', ['off', false]],
  ['none=null', ['none', null]],
  ['text=a=b', ['text', 'a=b']],
  ['empty=', ['empty', '']],
  ['zip=007', ['zip', '007']],
  ['big=12345678901234567890', ['big', '12345678901234567890']],
  ['word=NaN', ['word', 'NaN']],
  ['list:=[1,"a"]', ['list', [1, 'a']]],
  ['text:="5"', ['text', '5']],
])('%s is read', (text, expected) => {
  expect(pairOf(text)).toEqual(expected)
})

test.each(['', '=x', 'name', 'name:={'])('%j is refused', (text) => {
  expect(() => pairOf(text)).toThrow('The command was used wrongly')
})

test('single parameters win over a document, and none given is none', async () => {
  expect(await parametersOf({ param: ['a=2'], parameters: '{a: 1, b: 1}' })).toEqual({ a: 2, b: 1 })
  expect(await parametersOf({})).toBeUndefined()
})

test('integers keep their digits in JSON and in documents', async () => {
  const { big, list } = (await parametersOf({
    param: ['list:=[12345678901234567890]'],
    parameters: '{"big": 9007199254740993}',
  })) as JsonObject

  expect(JSON.stringify([big, list])).toBe('[9007199254740993,[12345678901234567890]]')
})

test('a document that is no map is refused', async () => {
  await expect(parametersOf({ parameters: '/dev/null' })).rejects.toThrow('must be a map')
})
