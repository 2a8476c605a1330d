import { expect, test } from 'vitest'
import { repeatedKeys } from './repeated-keys.ts'

test.each([
  ['none', '{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a"}', []],
  ['at the top', '{"a":1,"a":2}', ['/a']],
  ['below lists and objects', '{"l":[0,[1],{"x":{"k":[],"k":{}}}]}', ['/l/2/x/k']],
  ['written in two ways', '{"a/b":1,"\\u0061/b":2}', ['/a~1b']],
  ['texts that look like it', '{"a":"\\",\\"a\\":","b":"{","c":["a","a"]}', []],
  ['no object at all', '"a"', []],
])('keys that are there twice: %s', (_, text, pointers) => {
  expect(repeatedKeys(text)).toEqual(pointers)
})

test('many are told by the first ten', () => {
  expect(repeatedKeys(`{${'"a":1,'.repeat(100)}"b":1}`)).toHaveLength(10)
})
