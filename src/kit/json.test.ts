import { expect, test } from 'vitest'
import { at, canonical, deepEqual, depth, pointer } from './json.ts'

test.each([
  [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
  [{ '€': 1, a: { z: 1, y: 2 } }, '{"a":{"y":2,"z":1},"€":1}'],
  [[], '[]'],
])('canonical text of %j is %s', (value, text) => {
  expect(canonical(value)).toBe(text)
})

test.each([
  [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [[1, 2], [2, 1], false],
  [null, {}, false],
  [[], {}, false],
])('deep equality of %j and %j is %s', (a, b, equal) => {
  expect(deepEqual(a, b)).toBe(equal)
})

test('a pointer escapes its steps and finds its way back', () => {
  const path = pointer(pointer('', 'a/b'), 'c~d')

  expect(path).toBe('/a~1b/c~0d')
  expect(at({ 'a/b': { 'c~d': 7 } }, path)).toBe(7)
  expect(at({}, '/constructor')).toBeUndefined()
})

test('depth stops counting at its bound', () => {
  expect(depth([[[[]]]], 10)).toBe(4)
  expect(depth([[[[]]]], 2)).toBe(2)
})
