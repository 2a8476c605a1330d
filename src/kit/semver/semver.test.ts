import { expect, test } from 'vitest'
import { parseConstraints as hashicorp, parseVersion } from './hashicorp.ts'
import { parseConstraints as masterminds } from './masterminds.ts'

test('a long constraint is refused, not tried', () => {
  expect(masterminds(`1${' '.repeat(5000)}x`)).toHaveProperty('fault')
  expect(hashicorp(`1${' '.repeat(5000)}x`)).toBe(undefined)
  expect(parseVersion(`1${'.1'.repeat(5000)}x`)).toBe(undefined)
})
