import { expect, test } from 'vitest'
import { meantKey, nearKeys, strayKeys } from './near-keys.ts'

const known = ['minLength', 'maxLength', 'files']
const otherWords = { outputs: 'files', minlength: 'maxLength', inputs: 'parameters' }

test.each([
  ['min_length', 'minLength'],
  ['Max-Length', 'maxLength'],
  // The same in other letters goes before another word for something else.
  ['minlength', 'minLength'],
  ['outputs', 'files'],
  ['maxLenght', 'maxLength'],
  ['inputs', undefined],
  ['constructor', undefined],
  [`minLength${'_'.repeat(40)}`, undefined],
])('%s means %s', (key, meant) => {
  expect(meantKey(key, known, otherWords)).toBe(meant)
})

test('what stands beside the one that it is near to has a purpose of its own', () => {
  const map = { files: [], fils: [], minLenght: 1 }
  expect(strayKeys(map, known)).toEqual([
    { key: 'fils', detail: '"fils" is not known here', hint: 'Remove it: nothing reads it.' },
    {
      key: 'minLenght',
      meant: 'minLength',
      detail: '"minLenght" is not known here',
      hint: 'Write "minLength" instead.',
    },
  ])
  expect(nearKeys(map, known).map(({ key }) => key)).toEqual(['minLenght'])
})
