import { expect, test } from 'vitest'
import { namesOf, readHcl } from './hcl.ts'
import { hclOneFault } from './hcl-one.ts'
import { allowDestroy, modernised } from './hcl-rewrite.ts'

test.each([
  ['variable "a" {}\noutput b { value = 1 }\n', { variables: ['a'], outputs: ['b'] }],
  ['variable "a" {\n  default = <<-X\n  variable "no" {}\n  X\n}\n', { variables: ['a'], outputs: [] }],
  ['output "o" { value = "${jsonencode({ a = "}" })} {" }\n', { variables: [], outputs: ['o'] }],
  ['/* variable "no" {} */ # output "no" {}\n', { variables: [], outputs: [] }],
  ['variable "a" {', { fault: expect.stringMatching(/^:1,14-15: Unclosed configuration block/) }],
  ['variable "a" "b" {}\n', { fault: expect.stringMatching(/^:1,14-17: Extraneous label/) }],
  ['variable {}\n', { fault: expect.stringMatching(/^:1,10-11: Missing type/) }],
  ['a = [1\n', { fault: expect.stringMatching(/Unbalanced brackets/) }],
  ['a = "b\n', { fault: expect.stringMatching(/Invalid multi-line string/) }],
  ['a = <<X\nb\n', { fault: expect.stringMatching(/Unterminated template string/) }],
  ['a =\n', { fault: expect.stringMatching(/Invalid expression/) }],
])('of %j the names are %j', (text, names) => {
  expect(namesOf(text)).toEqual(names)
})

test.each([
  ['blocks', 'a {\n'.repeat(50_000)],
  ['brackets', `a = ${'['.repeat(50_000)}`],
  ['texts', `a = ${'"${'.repeat(50_000)}`],
])('nested %s are refused, not run into the ground', (_what, text) => {
  expect(readHcl(text).kind).toBe('fault')
})

test('long templates take time by their length', () => {
  const text = 'resource "a" "b" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n'.repeat(5000)
  const free = allowDestroy(text)

  expect(free.kind === 'text' && free.text.split('prevent_destroy = false').length - 1).toBe(5000)
})

test('quoted types of 0.11 lose their quotes, in variables only', () => {
  expect(modernised('variable "a" { type = "map" }\nresource "x" "y" {\n  type = "string"\n}\n')).toBe(
    'variable "a" { type = map(any) }\nresource "x" "y" {\n  type = "string"\n}\n',
  )
})

test.each([
  ['variable "a" { type = "string" }', undefined],
  ['a = [1, "b", {c = true}]\nb "x" { d = <<X\ny\nX\n}', undefined],
  ['a = 1 b = 2', undefined],
  ['a = string', 'At 1:5: Unknown token: 1:5 IDENT string'],
  ['a = "b', 'At 1:7: literal not terminated'],
  ['a {', 'At 1:5: object expected closing RBRACE got: EOF'],
])('as HCL 1, %j is refused with %j', (text, fault) => {
  expect(hclOneFault(text)).toBe(fault)
})
