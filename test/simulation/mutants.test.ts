/** The mutants drift with the code they break: each place must be there, once. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from './mutants.ts'

const src = resolve(import.meta.dirname, '../../src')

test('there are forty planted faults and more, each with a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThanOrEqual(40)
})

test.each(mutants.flatMap(({ name, edits }) => edits.map((edit) => ({ name, ...edit }))))(
  'the place of "$name" is in $file once',
  ({ file, find, replace }) => {
    const text = readFileSync(join(src, file), 'utf8')

    expect(text.split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
  },
)
