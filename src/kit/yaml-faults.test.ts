import { expect, test } from 'vitest'
import { readYaml } from './yaml.ts'

const mixed = /do not mix/
const bracket = /Close the bracket/

test.each<[text: string, line: number, hint: RegExp]>([
  ['- a: 1\n- b: 2\nc: 3\nd: 4\ne: 5\n', 3, mixed],
  ['a: "x" y\nb: 1\n', 1, mixed],
  ['a:\n- x: 1\nb: 1\n- z: 3\nc: 4\n', 4, /give it a key/],
  ['a: 1\n b: 2\nc: 3\n', 1, /indent the next line like this one/],
  ['a:\n  b: 1\n    c: 2\n   d: 3\n', 2, /indent the next line like this one/],
  ['a: b: c\nd: 1\n', 1, /Quote a value/],
  ['a: 1\nb\nc: 3\n', 2, /"key: value"/],
  ['a:1\nb:2\nc: 3\n', 1, /blank after the colon/],
  ['a: [1, 2\nb: 3\nc: 4\n', 2, bracket],
  ['a: {x: 1\nb: 3\nc: 4\n', 2, bracket],
  ['a: 1\nb: "x\nc: 3\n', 2, /Close the quote/],
  ["a: 'x\nb: 3\n", 1, /Close the quote/],
  ['a: *x* y\nb: 3\n', 1, /begins with \*/],
  ['a:\n  - b: 1\n  c: 2\n', 3, mixed],
  ['a:\n\tb: 1\n\tc: 2\nd: 2\n', 2, /blanks instead of tabs/],
  ['a: 1\nb: ]\n', 2, /Open the bracket/],
])('%j is one mistake, with its line and what to do', (text, line, hint) => {
  const { faults } = readYaml(text)

  expect(faults.map((fault) => fault.line)).toEqual([line])
  expect(faults[0]?.hint).toMatch(hint)
})

test.each<[text: string, lines: readonly number[]]>([
  ['a: "\\xZZ"\nb: "\\q"\n', [1, 2]],
  ['a: @x\nb: `y\n', [1, 2]],
  ['a: @x\nb: 1\nb: 2\n', [1, 3]],
  ['a: @x\n- b\nc: @y\n', [1, 2]],
])(
  '%j has mistakes that do not hang on each other, up to the first that breaks the structure',
  (text, lines) => {
    expect(readYaml(text).faults.map((fault) => fault.line)).toEqual(lines)
  },
)
