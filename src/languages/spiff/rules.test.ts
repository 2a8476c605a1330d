/** Rules of the language that were learned beside the original: slices, controls with stubs, dynamic templates, partial runs. */
import { expect, test } from 'vitest'
import { processSpiff, type SpiffOptions } from './spiff.ts'

function yaml(template: string, stubs: readonly string[] = [], options: SpiffOptions = {}): string {
  const result = processSpiff(
    { name: 'template', text: template },
    stubs.map((text, i) => ({ name: `stub${i + 1}`, text })),
    options,
  )
  return result.kind === 'done' ? (result.documents[0]?.yaml() ?? '') : result.fault.message
}

test.each([
  ['[1, 2, 3]', '[1..]', '[2, 3]'],
  ['[1]', '[1..]', '[]'],
  ['[]', '[0..]', '[]'],
  ['[1, 2, 3]', '[2..1]', '[]'],
  ['[1, 2, 3]', '[..1]', '[1, 2]'],
  ['[1, 2, 3]', '[..-2]', '[1, 2]'],
  ['[1, 2, 3]', '[-2..]', '[2, 3]'],
  ['[1, 2, 3]', '[1..-2]', '[]'],
])('%s%s is %s', (list, slice, wanted) => {
  expect(yaml(`v: (( (${list})${slice} ))`)).toBe(yaml(`v: ${wanted}`))
})

test.each([
  ['[1]', '[0..1]', 'slice out of range (1 >= length 1)'],
  ['[1, 2]', '[-3..-1]', 'slice out of range (-3 < -length 2)'],
  ['[1, 2, 3]', '[-1..1]', 'mixed negative and non-negative range not possible for slice'],
])('%s%s fails', (list, slice, message) => {
  expect(yaml(`v: (( (${list})${slice} ))`)).toContain(message)
})

test.each([
  'r',
  'r[0]',
  'r[-1]',
  'r[-60]',
  'r[60]',
  'r[-61]',
  'length(r)',
  'r[10..]',
  'r[10..][40..][5..]',
  'r[1..3]',
  'r[60..]',
  'r ["x"]',
  '["x"] r',
  'r == [41..100]',
  'sum[r[20..]|0|s,x|->s + x]',
  'element(r, 5) + length(reverse(r))',
  '[r[35..], r[35..]]',
])('the rest of a long list is a list like any other: %s', (expr) => {
  const over = (list: string): string => yaml(`r: (( &temporary(${list}) ))\nv: (( ${expr} ))\n`)

  expect(over('([1..100])[40..]')).toBe(over('[41..100]'))
})

test.each([
  [
    'a map that a control yields is merged field by field',
    'c:\n  <<if: true\n  <<then: {a: 1}\n',
    'c:\n  a: 2\n  b: 3\n',
    'c:\n  a: 2\n',
  ],
  [
    'a list that a control yields is replaced',
    'c:\n  <<for: {i: [1]}\n  <<do: (( i ))\n',
    'c: 5\n',
    'c: 5\n',
  ],
  ['a stub stands in for an undefined control', 'c:\n  <<if: false\n', 'c: 5\n', 'c: 5\n'],
  ['a stub stands in for a failing control', 'c:\n  <<if: 5\n', 'c: 5\n', 'c: 5\n'],
  ['a stub stands in for a failing choice', 'c:\n  <<if: true\n  <<then: (( nosuch ))\n', 'c: 5\n', 'c: 5\n'],
  [
    'a failing field that is merged over is none',
    'c:\n  <<merge: {a: 1}\n  a: (( nosuch ))\n',
    '{}',
    'c:\n  a: 1\n',
  ],
])('%s', (_, template, stub, wanted) => {
  expect(yaml(template, [stub], { control: true })).toBe(wanted)
})

test.each(['constructor', 'toString', '__proto__'])('there is no control <<%s', (word) => {
  expect(yaml(`a: {"<<${word}": 1}\n`, [], { control: true })).toContain(
    `unknown control or control option "<<${word}"`,
  )
})

test.each([
  [
    'a marked map stays a template',
    't:\n  <<: (( &template &dynamic ))\n  p: (( p ))\n',
    [],
    't:\n  <<: (( &template &dynamic ))\n  p: (( p ))\n',
  ],
  ['a dynamic field is instantiated', 'v: 1\nt: (( &dynamic &template(v) ))\n', ['t: 5\n'], 't: 1\nv: 1\n'],
  [
    'an injected one in its new place',
    'v: 1\n',
    ['v: 2\nt: (( &dynamic &inject &template(v) ))\n'],
    't: 2\nv: 2\n',
  ],
])('dynamic templates: %s', (_, template, stubs, wanted) => {
  expect(yaml(template, stubs)).toBe(wanted)
})

test.each([
  ['<<: (( &dynamic ))\nv: 1\n', '*dynamic marker for non-template value node'],
  ['t: (( &template ))\n', '*empty template value'],
])('%j is a fault', (template, message) => {
  expect(yaml(template)).toContain(message)
})

test('an injected template that fails is a fault of its place, not an exception', () => {
  const fault = yaml('a: 1\n', ['t: (( &inject &template(nosuch) ))\nd: (( &dynamic(t) ))\nnosuch: 1\n'])
  expect(fault).toContain('a: 1')
  expect(yaml('a: 1\n', ['x: 1\nd: (( &dynamic &inject &template(x) ))\n'])).toContain("'x' not found")
})

test('a partial run leaves a list with an open insert unchanged, and temporary fields where they are', () => {
  const partial = yaml('l:\n- 1\n- <<: (( nosuch ))\n- (( 1 + 1 ))\nt: (( &temporary(2) ))\n', [], {
    partial: true,
  })
  expect(partial).toBe('l:\n- 1\n- <<: (( nosuch ))\n- (( 1 + 1 ))\nt: 2\n')
})

test('faults tell where the node is written', () => {
  const result = processSpiff({ name: 'template', text: 'a: 1\nb:\n  - c: (( nosuch ))\n' })
  expect(result).toMatchObject({ kind: 'failed', fault: { source: 'template', line: 3, column: 8 } })
})

test('references see the fields of a map whose insert yields no map; it is listed, they are not', () => {
  const template = 'l: [1]\nm:\n  <<: (( l ))\n  a: 1\nr: (( m.a ))\ns: (( m ))\n'
  const result = processSpiff({ name: 'template', text: template }, [])

  expect(result.kind === 'failed' && result.fault.unresolved.map(({ sign, path }) => [sign, path])).toEqual([
    ['*', 'm'],
  ])
})

test('a list that a partial run leaves open in a stub, in the place of something else, is evaluated as a list further on', () => {
  const stubs = ['f: 5\n', 'f:\n- (( v ))\n- 1\n']

  expect(yaml('v: 1\nf: 0\n', stubs, { partial: true })).toBe('f:\n- 1\n- 1\nv: 1\n')
})

test('what is asked for while something in it is under way settles later, in whole runs and in partial ones', () => {
  const template = 'b: (( l.[-1] ))\nl:\n- v: (( *t || "s" ))\nt:\n  <<: (( &template ))\n  x: (( l[1..] ))\n'
  const wanted = 'b:\n  v: s\nl:\n- v: s\nt:\n  <<: (( &template ))\n  x: (( l[1..] ))\n'

  expect(yaml(template)).toBe(wanted)
  expect(yaml(template, [], { partial: true })).toBe(wanted)
})

test('a partial run keeps the escapes of results, so that the next run takes off as many as a whole one', () => {
  const open = 'a: (( "((!" "x))" ))\nk:\n  <<!: ((!y))\nl: (( k ))\nz: (( later ))\n'
  const stub = 'later: 1\n'

  const left = yaml(open, [], { partial: true })

  expect(left).toBe('a: ((!x))\nk:\n  <<!: ((!y))\nl:\n  <<!: ((!y))\nz: (( later ))\n')
  const done = 'a: ((x))\nk:\n  <<: ((y))\nl:\n  <<: ((y))\nlater: 1\nz: 1\n'
  expect(yaml(`${left}${stub}`)).toBe(done)
  expect(yaml(`${open}${stub}`)).toBe(done)
})

test.each([
  ['l[1..]', 'l.[1..]'],
  ['(l)[0..1].x', '( l ).[0..1] ().x'],
  ['l[*].x', 'l.[*] ().x'],
  ['l[*]["x"]', 'l.[*].["x"]'],
  ['.["x"] nosuch', '.["x"] nosuch'],
  ['sync[nosuch|v|->v,1|5]', 'sync[nosuch|v|->v|v|->1|5]'],
  ['nosuch 2.0 1e30', 'nosuch 2.0 1e30'],
  [String.raw`nosuch "\u0007" "\u005c"`, String.raw`nosuch "\u0007" "\u005c"`],
  ['sum[nosuch|merge none|s,x|->s]', 'sum[nosuch|merge none|s,x|->s]'],
])('what a partial run leaves of (( %s )) is read again', (expr, left) => {
  const text = `v: ${JSON.stringify(`(( ${expr} ))`)}`

  const once = yaml(text, [], { partial: true })

  expect(once).toContain(left)
  expect(yaml(once, [], { partial: true })).toBe(once)
  expect(yaml(once)).not.toContain('parse error')
})

test('lambdas that a partial run leaves are read again', () => {
  const left = yaml('f: (( |l|->length(l) == 0 ? 0 :1 + _(l[1..]) ))\nopen: (( nosuch ))\n', [], {
    partial: true,
  })

  expect(yaml(`${left}r: (( .f([1, 2, 3]) ))\n`, ['open: 1'])).toContain('r: 3\n')
})

test('a text that is no expression is at fault in what a control yields, too', () => {
  const loop = "<<for: {i: [1, 2]}\n  <<do: '(( $x=m ))'\n"
  const control = { control: true }

  expect(yaml(`k:\n  ${loop}`, [], control)).toContain('k.[0]\t()\t*parse error near line 1 column 4')
  expect(yaml(`k:\n- 1\n- ${loop}`, [], control)).toContain('k.[2]\t()\t*parse error near line 1 column 4')
})

test('a dynamic template that merges a temporary value is temporary', () => {
  const template = 'f: (( &dynamic &template(merge || ~) ))\nv: 1\n'

  expect(yaml(template, ['f: 1\n'])).toBe('f: 1\nv: 1\n')
  expect(yaml(template, ['f: (( &temporary(1) ))\n'])).toBe('v: 1\n')
})

test('a document that is a template prints as its source', () => {
  expect(yaml('<<: (( &template ))\np: (( p ))\n')).toBe('<<: (( &template ))\np: (( p ))\n')
})

test.each([
  ['uniq(["01", 1, "1"])', '["01", "1"]'],
  ['uniq([1, "01", "1"])', '[1, "01"]'],
  ['intersect([1, 2], ["01"])', '[1]'],
  ['intersect(["01"], [1])', '[]'],
  ['intersect([true, false], ["true"])', '[true]'],
  ['intersect([1.0], [1])', '[1.0]'],
  ['index(["01"], 1)', '-1'],
])('equal is what == says, whatever is on the left: %s', (expr, wanted) => {
  expect(yaml(`v: (( ${expr} ))`)).toBe(yaml(`v: ${wanted}`))
})

test.each([
  ['%.0f', 0.5, '0'],
  ['%.0f', 2.5, '2'],
  ['%.0f', 9.5, '10'],
  ['%.1f', 0.25, '0.2'],
  ['%.1f', 0.35, '0.3'],
  ['%.2f', 0.375, '0.38'],
  ['%.2f', 0.125, '0.12'],
  ['%.0e', 2.5, '2e+00'],
  ['%.0e', 9.5, '1e+01'],
  ['%.2g', 2.25, '2.2'],
  ['%.2g', 1_250_000, '1.2e+06'],
  ['%f', 1.5, '1.500000'],
])('what lies between two numbers is rounded to the even one: %s of %d', (verb, number, wanted) => {
  expect(yaml(`v: (( format("${verb}", ${number} * 1.0) ))`)).toBe(yaml(`v: "${wanted}"`))
})

test('infinity is formatted with its sign', () => {
  expect(yaml('i: .inf\nv: (( format("%f|%5.1f|%d", i, -1.0 * i, i) ))')).toContain(
    'v: +Inf| -Inf|%!d(float64=+Inf)',
  )
})

test('a place that a tag looks for while it is evaluated settles all the same', () => {
  const template = 'm: (( g::. || 1 ))\nt:\n  v: (( &tag:h (.t g::x || 1) ))\n'

  expect(yaml(template)).toBe('m: 1\nt:\n  v: 1\n')
})

test('a result that looks like an expression and is none is at fault, as text of a document is', () => {
  expect(yaml('m: (( "((" "+))" ))\n')).toContain(
    '((+))\tin template\tm\t()\t*parse error near line 1 column 1',
  )
  expect(yaml('m: (( "((" "+))" ))\n', ['m: 5\n'])).toBe('m: 5\n')
})

test.each([
  ['f: 7\n', 'f: (( merge || "m" ))\n', 'f: 7\n'],
  ['g: 7\n', 'f: (( merge || "m" ))\n', 'f:\n  p: 28\ng: 7\n'],
  ['f: (( merge ))\n', 'f: (( merge || "m" ))\n', 'f:\n  p: 28\n'],
  ['f: 7\n', 'f: (( stub() ))\n', 'f:\n  p: 28\n'],
])(
  'a default that a stub merges is still a default for the next document: %j with %j',
  (template, near, wanted) => {
    expect(yaml(template, [near, 'f: (( &default({ "p" = 28 }) ))\n'])).toBe(wanted)
  },
)
