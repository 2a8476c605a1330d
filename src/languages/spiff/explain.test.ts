/** Where values came from. */
import { expect, test } from 'vitest'
import { explain, explanationText, pathSteps, processSpiff } from './index.ts'

function explained(path: string): string | undefined {
  const template = { name: 'template', text: 'a: 1\nb: (( a + 1 ))\nc: (( merge ))\nd: {e: [x, (( b ))]}\n' }
  const near = { name: 'near', text: 'c: (( far ))\nfar: (( merge ))\n' }
  const far = { name: 'far', text: 'a: 5\nfar: 7\n' }
  const result = processSpiff(template, [near, far], { trace: true })
  if (result.kind === 'failed') return result.fault.message
  const [document] = result.documents
  const found = document && explain(document.cell, pathSteps(path))
  return found && explanationText(found)
}

test('a value of the template is explained by its place', () => {
  expect(explained('d.e[0]')).toBe('x\n  written in template at d.e.[0]')
})

test('a computed value is explained by its expression', () => {
  expect(explained('b')).toBe('6\n  computed in template at b by (( a + 1 ))')
  expect(explained('d.e[1]')).toBe('6\n  computed in template at d.e.[1] by (( b ))')
})

test('an overridden value names the stub and what it replaced', () => {
  expect(explained('a')).toBe('5\n  from the stub far at a, in place of "1"\n  written in far at a')
})

test('a merged value is followed into the stub, stage by stage', () => {
  expect(explained('c')).toBe(
    '7\n  computed in template at c by (( merge ))\n  computed in near at c by (( far ))',
  )
})

test('a map or list is explained with its entries', () => {
  expect(explained('d')).toBe('{e: [x, 6]}\n  written in template at d\n  e: written in template at d.e')
  expect(explained('d.e')).toBe(
    '[x, 6]\n  written in template at d.e\n  [0]: written in template at d.e.[0]\n  [1]: computed in template at d.e.[1] by (( b ))',
  )
})

test('there is nothing to explain where there is nothing', () => {
  expect(explained('a.b')).toBeUndefined()
})

test('a dot in a key is escaped in paths', () => {
  expect(pathSteps('a\\.b.c[0][-1].name:x')).toEqual(['a.b', 'c', '[0]', '[-1]', 'name:x'])
})
