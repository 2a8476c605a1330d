import { expect, test } from 'vitest'
import { positionsOf } from './json-places.ts'

const text = `{
  "name": "a",
  "list": [1, {"x": []},
    "y"
  ],
  "a/b": {
    "name": {}, "last": true
  }
}
`

test.each([
  ['', 1, 1],
  ['/name', 2, 3],
  ['/list', 3, 3],
  ['/list/0', 3, 12],
  ['/list/1', 3, 15],
  ['/list/1/x', 3, 16],
  ['/list/2', 4, 5],
  ['/a~1b', 6, 3],
  ['/a~1b/name', 7, 5],
  ['/a~1b/last', 7, 17],
])('%j stands at line %i, column %i', (pointer, line, column) => {
  expect(positionsOf(text, [pointer]).get(pointer)).toEqual({ line, column })
})

test.each([
  ['/a~1b/missing/deeper', 6, 3],
  ['/list/1/x/0', 3, 16],
  ['/nothing', 1, 1],
])('of %j, which is not there, what is around it is told', (pointer, line, column) => {
  expect(positionsOf(text, [pointer]).get(pointer)).toEqual({ line, column })
})

test('of a key that is there twice the last is told, for it counts', () => {
  expect(positionsOf('{"a": 1,\n"a": 2}', ['/a']).get('/a')).toEqual({ line: 2, column: 1 })
})
