import { expect, test } from 'vitest'
import { yamlScalars } from '../../test/support/yaml-scalars.ts'
import { jsonOfTree, readYamlTree } from './yaml-tree.ts'

function meaningOf(text: string): unknown {
  const reading = readYamlTree(text)
  return reading.kind === 'tree' ? jsonOfTree(reading.tree) : reading.message
}

test.each<readonly [string, unknown]>([
  ...yamlScalars,
  ['~', null],
  ['', null],
  ['-1', -1],
  ['1:30', '1:30'],
  ['"yes"', 'yes'],
  ["'1'", '1'],
  ['!!str 1', '1'],
  ['.inf', undefined],
])('%j means %j', (text, value) => {
  expect(meaningOf(text)).toEqual(value)
})

test('merge keys give what the map itself lacks', () => {
  expect(meaningOf('a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}')).toEqual({ a: { x: 1, y: 2 }, b: { x: 1, y: 3 } })
})

test('a scalar keeps how it is spelt, and each key its place', () => {
  const reading = readYamlTree('a: 1\nversion: 1.0\n')
  const tree = reading.kind === 'tree' && reading.tree.kind === 'map' ? reading.tree : undefined

  expect(tree?.members.get('version')).toMatchObject({ text: '1.0', quoted: false, value: 1 })
  expect(tree?.keys.get('version')).toEqual({ line: 2, column: 1 })
})

test('aliases that would make a short text huge are not followed to the end', () => {
  const levels = Array.from(
    { length: 9 },
    (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`,
  )

  expect(meaningOf(['l0: &l0 [x]', ...levels].join('\n'))).toBeUndefined()
})

test.each([
  ['a: [1', 'Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['a: *b', "unknown anchor 'b' referenced"],
  ['<<: 1', 'map merge requires map or sequence of maps as the value'],
])('%j is refused', (text, message) => {
  expect(meaningOf(text)).toBe(message)
})
