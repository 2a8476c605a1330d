/** Every function is charged for what it is given and for what it makes, and so is what is printed in the end. */
import { expect, test } from 'vitest'
import { builtins } from './functions/index.ts'
import { processSpiff, type SpiffOptions, type Value } from './index.ts'
import { intrinsics } from './intrinsics.ts'

function outcome(text: string, options: SpiffOptions): string {
  const result = processSpiff({ name: 'template', text }, [], options)
  return result.kind === 'done' ? 'done' : `${result.fault.kind}: ${result.fault.message}`
}

const megabyte = 'x'.repeat(1_000_000)
const names = [...builtins.keys()]

test('there are functions to look at', () => {
  expect(names.length).toBeGreaterThan(100)
})

test.each(names)('%s is charged for a megabyte that it is given', (name) => {
  const text = `a: (( ${name}(big) || 1 ))\n`

  expect(outcome(text, { bindings: { big: megabyte }, limits: { workMax: 900_000 } })).toMatch(/^budget: /)
})

test.each(names)('%s is charged for a list that it is given', (name) => {
  const list = Array.from({ length: 100_000 }, (_, i) => `n${i}`)
  const text = `a: (( ${name}(list) || 1 ))\n`

  expect(outcome(text, { bindings: { list }, limits: { workMax: 400_000 } })).toMatch(/^budget: /)
})

// What a function makes of little: ten megabytes are refused within strict limits that allow nine.
test.each(names)('%s is charged for ten megabytes that it makes', (name) => {
  const large = (): Value => 'x'.repeat(10_000_000)
  const functions = new Map([[name, large]])

  expect(outcome(`a: (( ${name}() || 1 ))\n`, { functions, limits: { workMax: 9_000_000 } })).toMatch(
    /^budget: /,
  )
  expect(outcome(`a: (( ${name}() || 1 ))\n`, { functions, limits: { printMax: 9_000_000 } })).toMatch(
    /^budget: /,
  )
})

const lazily: Readonly<Record<string, string>> = {
  defined: 'defined(upper(big))',
  valid: 'valid(upper(big))',
  require: 'require(upper(big))',
  stub: 'stub([upper(big)])',
  catch: 'catch(upper(big))',
  sync: 'sync(upper(big), true)',
}

// `optional` is given a name, not a value.
test.each([...intrinsics.keys()].filter((name) => name !== 'optional'))(
  '%s is charged for what its arguments cost',
  (name) => {
    const text = `m: {}\na: (( ${lazily[name]} || 1 ))\n`

    expect(outcome(text, { bindings: { big: megabyte }, limits: { workMax: 900_000 } })).toMatch(/^budget: /)
  },
)

test.each([
  ['concatenation', 'big big'],
  ['comparison', 'map[[1..20]|x|->(big "a") == (big "b")]'],
  ['a list of texts', '[big, big]'],
  ['a range', '[1..3000000]'],
  ['a mapping', 'map[[1..200]|x|->upper(big)]'],
  ['a projection', '(map[[1..3000]|x|->{"a"=big}]).[*].a'],
  ['join', 'join(big, [1..20])'],
  ['replace', 'replace(big, "x", "yyyyyyyyyy")'],
  ['a lambda that fails with large arguments', 'map[[1..200]|x|->(|y|->nosuch)(big) || 1]'],
])('%s is charged', (_, expression) => {
  const limits = { workMax: 5_000_000, elementsMax: 100_000, printMax: 1_500_000, stringMax: 1_500_000 }

  expect(outcome(`a: (( ${expression} ))\n`, { bindings: { big: megabyte }, limits })).toMatch(/^budget: /)
})

test('indentation counts: little that is nested deeply prints as much', () => {
  const text = 'a: (( sum[[1..400]|[1..100000]|s,x|->[s]] ))\n'

  expect(outcome(text, {})).toMatch(/^budget: /)
})
