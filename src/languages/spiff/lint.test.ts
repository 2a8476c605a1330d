/** What lint finds, and what it leaves alone. */
import { expect, test } from 'vitest'
import { lint, parseSpiff } from './index.ts'

function found(text: string): readonly string[] {
  const parsed = parseSpiff({ name: 'template', text })
  if (parsed.kind === 'failed') return [parsed.fault.message]
  return parsed.documents.flatMap((cell) =>
    lint(cell, { interpolation: true, control: true, bindings: ['values'] }).map(
      ({ severity, path, message }) => `${severity} ${path}: ${message}`,
    ),
  )
}

test.each([
  ['a: (( 1 + ))', /^error a: parse error near/],
  ['a: (( &tempory(1) ))', 'error a: unknown marker &tempory; did you mean &temporary?'],
  ['a: (( lenght("x") ))', "error a: unknown function 'lenght'; did you mean length()?"],
  ['f: (( |x|->x ))\na: (( f(1) ))', "error a: unknown function 'f'; call a lambda as .f(…) or (f)(…)"],
  ['host: x\na: (( hosst ))', "warning a: 'hosst' is not defined here; did you mean 'host'?"],
  ['a: (( .nosuch ))', "warning a: '.nosuch' is not a field of this document"],
  ['a: (( &temporary(1) ))', "warning a: temporary 'a' is never used"],
  ['a:\n  <<: (( &temporary ))\n  b: 1', "warning a: temporary 'a' is never used"],
  ['a: (( p::x ))', "warning a: tag 'p' is not set in this document"],
  ['a: {"<<foo": 1}', 'error a: unknown control or control option "<<foo"'],
  ['a: " (( 1 ))"', 'warning a: blanks in front of (( make this a plain string'],
  ['a: |\n  (( 1 ))\n', 'warning a: what follows )) makes this a plain string; use |- for a block'],
  ['a: {"<<": ~, "<<<": ~}', 'error a: multiple merge keys not allowed'],
])('%j: %s', (text, message) => {
  expect(found(text)[0]).toMatch(message)
})

test.each([
  'a: (( nosuch || 1 ))',
  'a: (( defined(nosuch) ))',
  'a: (( catch[nosuch|v,e|->e] ))',
  'a: (( values.x ))',
  'f: (( |x|->x other ))',
  'm:\n  <<: (( merge ))\n  b: (( fromstub ))',
  't:\n  <<: (( &template ))\n  b: (( fromuse ))\nu: (( *t ))',
  'a: (( ($x=1) x ))',
  'a: (( &temporary(1) ))\nb: (( a ))',
  'd: (( &tag:p(1) ))\na: (( p::. ))',
  'l:\n- <<for:\n    x: [1]\n  <<do: (( x ))',
  'a: plain ((! x ))',
])('%j is left alone', (text) => {
  expect(found(text)).toEqual([])
})

test('a finding tells line and column', () => {
  const parsed = parseSpiff({ name: 'template', text: 'a:\n  b:\n  - x\n  - c: (( nosuch ))\n' })
  const [document] = parsed.kind === 'parsed' ? parsed.documents : []
  expect(document && lint(document)).toMatchObject([{ line: 4, column: 8, path: 'a.b.[1].c' }])
})
