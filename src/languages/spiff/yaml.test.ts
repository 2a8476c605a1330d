/** The YAML dialect: what scalars mean, and what comes out. */
import { expect, test } from 'vitest'
import { readSpiff } from './spiff.ts'

function yaml(text: string): string {
  const result = readSpiff({ name: 'document', text })
  return result.kind === 'done' ? (result.documents[0]?.yaml() ?? '') : result.fault.message
}

test.each([
  ['yes', 'true'],
  ['0644', '420'],
  ['09', '9'],
  ['1__0', '10'],
  ['0x1.8p1', '3'],
  ['1e400', '1e400'],
  ['12:30', '12:30'],
  ['2001-12-14', '"2001-12-14"'],
  ['1234567.0', '1.234567e+06'],
  ['0.00001', '1e-05'],
  ['123456.0', '123456'],
  ['"yes"', '"yes"'],
  ['"a\\nb"', '|-\n  a\n  b'],
  ['"\u00e9"', '"\\xE9"'],
  ['": a"', "': a'"],
])('v: %s is printed as %s', (text, shown) => {
  expect(yaml(`v: ${text}`)).toBe(`v: ${shown}\n`)
})

test.each([
  ['1: x', 'map key must be a string: 1'],
  ['y: x', 'map key must be a string: true'],
  ['? [a]\n: 1', 'map key must be a string'],
  ['a: *x', "missing anchor: 'x'"],
  ['a: &x [*x]', 'contains itself'],
])('%j is a fault: %s', (text, message) => {
  expect(yaml(text)).toContain(message)
})

test('a fault names document, line and column', () => {
  const result = readSpiff({ name: 'document', text: 'a: 1\nb: [1\n' })

  expect(result.kind === 'failed' && result.fault).toMatchObject({
    kind: 'yaml',
    source: 'document',
    line: 3,
  })
})

test('aliases share what their anchors hold, nested ones too', () => {
  expect(yaml('a: &x {b: &z 1}\nc: *x\nd: *z\n')).toBe('a:\n  b: 1\nc:\n  b: 1\nd: 1\n')
})

test.each([
  ['k: [\n1,\n2\n]\n', 'k:\n- 1\n- 2\n'],
  ['k: [\n\t1\n]\n', 'k:\n- 1\n'],
  ['k: {\na: 1,\nb: 2\n}\n', 'k:\n  a: 1\n  b: 2\n'],
  ['a:\n  k: [\n1,\n2\n]\n', 'a:\n  k:\n  - 1\n  - 2\n'],
  ['k: [\t1,\t2\t]\n', 'k:\n- 1\n- 2\n'],
  ['a:\n  k: [\n\t\t1,\n\t]\n', 'a:\n  k:\n  - 1\n'],
  ["k: 'foo\nbar'\n", 'k: foo bar\n'],
  ['a:\n  k: "foo\nbar"\nb: 1\n', 'a:\n  k: foo bar\nb: 1\n'],
  ['k: "foo\n\tbar"\n', 'k: foo bar\n'],
  ['k: "foo\n# bar"\n', "k: 'foo # bar'\n"],
  ['k: >\n  x\n  y', 'k: x y\n'],
  ['a:\n- |\n  x\n- |\n  y', 'a:\n- |+\n  x\n- "y"\n'],
  ['k: |+\n  x', 'k: x\n'],
  ['k: |\n  ', 'k: ""\n'],
  ['k: !!binary |\n  aGVs\n  bG8=\n', 'k: !!binary aGVsbG8=\n'],
  ['l: [!!binary aGVsbG8=]\n', 'l:\n- !!binary aGVsbG8=\n'],
  ['k: &a !!binary aGVsbG8=\nj: *a\n', 'j: !!binary aGVsbG8=\nk: !!binary aGVsbG8=\n'],
  ['# c', 'null\n'],
  ['--- # c\n', 'null\n'],
  ['\ufeff# c\n', 'null\n'],
  ['k: "foo\nbar"\n', 'k: foo bar\n'],
  ['k: |\n  x', 'k: x\n'],
  ['k: |\n  x\n', 'k: |+\n  x\n'],
  ['k: !!binary aGVsbG8=\n', 'k: !!binary aGVsbG8=\n'],
  ['k: !binary aGVsbG8=\n', 'k: !!binary aGVsbG8=\n'],
  ['k: !!binary not base64\n', 'k: not base64\n'],
  ['k: ! "12"\n', 'k: 12\n'],
  ['k: [0X1F, 0B11, 0O17]\n', 'k:\n- 31\n- 3\n- 15\n'],
  ['k: "x"# c\n', 'k: x\n'],
  ['k: "a\\\n   b"\n', 'k: ab\n'],
  ['# nothing\n', 'null\n'],
])('%j is read as the original reads it', (text, shown) => {
  expect(yaml(text)).toBe(shown)
})

test.each([
  ['a: b: c\n', 'mapping values are not allowed in this context', 1, 5],
  ['k:\n[1, 2]\n', "could not find expected ':'", 2, 1],
  ['k: "foo\n---\nbar"\n', 'found unexpected document indicator', 1, 4],
  ['a: 1\n\tb: 2\n', 'found a tab character that violate indentation', 2, 1],
  ['a: "x\n', 'found unexpected end of stream', 1, 4],
  ['a: 1\n- b\n', 'did not find expected key', 2, 1],
  ['a: *b\n', "missing anchor: 'b'", 1, 4],
  ['1: a\n', 'map key must be a string: 1', 1, 1],
])('%j is refused with its place', (text, message, line, column) => {
  const result = readSpiff({ name: 'document', text })
  expect(result).toMatchObject({ kind: 'failed', fault: { kind: 'yaml', line, column } })
  expect(result.kind === 'failed' && result.fault.message).toContain(message)
})
