/** Budgets: everything that could run away ends with a fault, and long honest work does not. */
import { expect, test } from 'vitest'
import { type Limits, localLimits, processSpiff, type SpiffOptions, strictLimits } from './index.ts'

function outcome(text: string, options: SpiffOptions = {}): string {
  const result = processSpiff({ name: 'template', text }, [], options)
  return result.kind === 'done' ? 'done' : `${result.fault.kind}: ${result.fault.message}`
}

const lines = (n: number, line: (i: number) => string): string =>
  `${Array.from({ length: n }, (_, i) => line(i)).join('\n')}\n`

// Every bound but the clock, which has to do with how busy the machine is.
const strictly: SpiffOptions = { limits: { millisecondsMax: 600_000 } }

test.each<[string, string]>([
  ['endless recursion', 'f: (( |x|->_(x) ))\na: (( .f(1) ))\n'],
  ['endless recursion behind a fallback', 'f: (( |x|->_(x + 1) || 1 ))\na: (( .f(1) ))\n'],
  ['a template that instantiates itself', 't:\n  <<: (( &template ))\n  a: (( *t ))\nb: (( *t ))\n'],
  ['a huge range', 'a: (( [1..3000000000] ))\n'],
  ['lists that double', `a0: [1, 2]\n${lines(40, (i) => `a${i + 1}: (( a${i} a${i} ))`)}`],
  ['lists that share their parts', `a0: [1, 2]\n${lines(60, (i) => `a${i + 1}: (( [a${i}, a${i}] ))`)}`],
  ['rests of a list that are all kept', 'l: (( [1..10000] ))\na: (( map[l|x|->l[(x - 1)..]] ))\n'],
  ['texts that double', `a0: xxxxxxxxxx\n${lines(40, (i) => `a${i + 1}: (( a${i} a${i} ))`)}`],
  [
    'endless steps',
    'f: (( |x|->sum[[1..1000]|0|s,y|->s + sum[[1..1000]|0|t,z|->t + z]] ))\na: (( .f(1) .f(2) ))\n',
  ],
])('%s ends at a budget', (_, text) => {
  expect(outcome(text, { limits: { stepsMax: 200_000 } })).toMatch(/^budget: limit reached: /)
})

test.each<[string, string, RegExp]>([
  [
    'aliases that multiply',
    `a0: &a0 [x,x,x,x,x,x,x,x]\n${lines(10, (i) => `a${i + 1}: &a${i + 1} [${Array(8).fill(`*a${i}`).join(',')}]`)}`,
    /^yaml: /,
  ],
  ['nesting without end', `a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`, /^yaml: .*nested too deeply/],
  ['a costly password hash', 'a: (( bcrypt("x", 31) ))\n', /cost 31 is higher than allowed/],
  [
    'results that are expressions without end',
    'f: (( |x|->"(( .f(1) ))" ))\na: (( .f(1) ))\n',
    /expressions without end/,
  ],
  ['parentheses without end', `a: (( ${'('.repeat(5000)}1${')'.repeat(5000)} ))\n`, /parse error near/],
])('%s is a fault', (_, text, message) => {
  expect(outcome(text, { ports: { random: (n) => new Uint8Array(n) } })).toMatch(message)
})

const doubled = (first: string, times: number): string =>
  `s0: ${first}\n${lines(times, (i) => `s${i + 1}: (( s${i} s${i} ))`)}`

test.each<[string, string]>([
  [
    'a long text that is shared sixty times',
    `${doubled('x'.repeat(1000), 13)}m: (( map[[1..60]|x|->s13] ))\n`,
  ],
  [
    'a long text that is made over and over',
    `${doubled('x'.repeat(1000), 12)}m: (( sum[[1..999]|0|s,x|->s + length(upper(s12))] ))\n`,
  ],
  [
    'a value that is printed over and over',
    `${doubled('x'.repeat(1000), 12)}m: (( sum[[1..999]|0|s,x|->s + length(asjson(s12))] ))\n`,
  ],
  [
    'comparisons of everything with everything',
    'l: (( map[[1..9000]|x|->{"a"=x}] ))\nr: (( length(intersect(l, map[[9001..18000]|x|->{"a"=x}])) ))\n',
  ],
  [
    'a password of a million signs that is hashed a thousand times',
    `${doubled('x'.repeat(1000), 10)}a: (( md5crypt_check(s10, "$apr1$salt$hash") ))\n`,
  ],
])('%s ends at a budget of work', (_, text) => {
  const limits = { workMax: 20_000_000, millisecondsMax: 600_000 }
  expect(outcome(text, { limits })).toMatch(
    /^budget: limit reached: (?:a value of )?more than \d+ characters/,
  )
})

test.each<[string, string]>([
  ['a sum over 100,000', 'a: (( sum[[1..100000]|0|s,x|->s + x] ))\n'],
  ['a list that grows by single elements', 'a: (( length(sum[[1..20000]|[]|s,x|->s [x]]) ))\n'],
  ['a map that grows by single fields', 'a: (( length(sum[[1..20000]|{}|s,x|->s { ("k" x) = x }]) ))\n'],
  ['a list of 200,000 that is spread', 'a: (( length([[1..200000]..., 1]) ))\n'],
  ['a list of 200,000 as arguments', 'a: (( length(join(",", [1..200000]...)) ))\n'],
  ['a list of 100,000 as it is written', `a: (( length([${'1,'.repeat(100_000)}1]) ))\n`],
  [
    'many replacements in a long text',
    `${doubled('ab'.repeat(50), 8)}a: (( length(replace_match(s8, "a", "c")) ))\n`,
  ],
  [
    'a long text in Base64 and back',
    `${doubled('x'.repeat(1000), 10)}a: (( length(base64_decode(base64(s10))) ))\n`,
  ],
])('honest work passes: %s', (_, text) => {
  expect(outcome(text, strictly)).toBe('done')
})

const locally: SpiffOptions = { limits: localLimits }
const template = 't:\n  <<: (( &template ))\n'
const inTemplates: SpiffOptions = { ...strictly, control: true }

test.each<[string, string, SpiffOptions]>([
  ['counting down', 'f: (( |n|->n == 0 ? 0 :n + .f(n - 1) ))\na: (( .f(10000) ))\n', strictly],
  ['counting down by itself', 'f: (( |n|->n == 0 ? 0 :n + _(n - 1) ))\na: (( .f(50000) ))\n', locally],
  [
    'over the elements of a list by index, with names of the document',
    'd: (( [1..10000] ))\nlast: 10000\nf: (( |i|->i == last ? 0 :d[i] + _(i + 1) ))\na: (( .f(0) ))\n',
    strictly,
  ],
  [
    'over the rest of a list',
    'f: (( |l|->length(l) == 0 ? 0 :l[0] + _(l[1..]) ))\na: (( .f([1..10000]) ))\n',
    strictly,
  ],
  [
    'of two that call each other',
    'f: (( |n|->n == 0 ? 1 :.g(n - 1) ))\ng: (( |n|->n == 0 ? 2 :.f(n - 1) ))\na: (( .f(10001) ))\n',
    strictly,
  ],
  [
    'several times in one expression',
    'f: (( |n|->n == 0 ? 0 :_(n - 1) + 1 ))\na: (( sum[[1..20]|0|s,x|->s + .f(x * 100)] ))\n',
    strictly,
  ],
  [
    'in the condition of a control',
    'f: (( |n|->n == 0 ? 1 :_(n - 1) ))\na:\n  <<if: (( .f(5000) == 1 ))\n  <<then: (( .f(5000) ))\n  <<else: 2\n',
    { control: true },
  ],
  [
    'through a template',
    `${template}  v: (( n == 0 ? 0 :1 + .f(n - 1) ))\nf: (( |n|->(*t).v ))\na: (( .f(10000) ))\n`,
    inTemplates,
  ],
  [
    'through a template that is one expression',
    't: (( &template(n == 0 ? 0 :1 + .f(n - 1)) ))\nf: (( |n|->*t ))\na: (( .f(10000) ))\n',
    inTemplates,
  ],
  [
    'of a template that instantiates itself',
    `${template}  v: (( n == 0 ? 0 :1 + (($n=n - 1) *_).v ))\nf: (( |n|->(*.t).v ))\na: (( .f(10000) ))\n`,
    inTemplates,
  ],
  [
    'through a list and another field',
    `${template}  x:\n  - (( w ))\n  w: (( n == 0 ? 0 :1 + .f(n - 1) ))\nf: (( |n|->(*t).x[0] ))\na: (( .f(10000) ))\n`,
    inTemplates,
  ],
  [
    'through merged templates, with names of the document around them',
    `one: 1\n${template}  v: (( n == 0 ? 0 :one + (f)(n - 1) ))\nf: (( |n|->merge(t).v ))\na: (( .f(10000) ))\n`,
    inTemplates,
  ],
  [
    'through a control in a template',
    `${template}  v:\n    <<if: (( n == 0 ))\n    <<then: 0\n    <<else: (( 1 + .f(n - 1) ))\nf: (( |n|->(*t).v ))\na: (( .f(10000) ))\n`,
    inTemplates,
  ],
])('recursion over 10,000 passes: %s', (_, text, options) => {
  expect(outcome(text, options)).toBe('done')
})

test.each<[string, string, Partial<Limits>, RegExp]>([
  ['expressions', `a: (( ${'1 + '.repeat(300)}1 ))\n`, { codeMax: 1000 }, /1000 characters of expressions/],
  [
    'expressions that are made',
    `s: "${'1 + '.repeat(100)}"\na: (( map[[1..9]|x|->eval(s x)] ))\n`,
    { codeMax: 1000 },
    /1000 characters of expressions/,
  ],
  [
    'places',
    `x: 1\n${template}  a: (( x ))\nr: (( map[[1..600]|y|->*t] ))\n`,
    { nodesMax: 1000 },
    /1000 places of documents/,
  ],
  [
    'messages',
    `a:\n  <<for: {i: "(( [1..90] ))"}\n  <<do: (( nosuch "${'x'.repeat(500)}" ))\n`,
    { printMax: 10_000 },
    /40000 characters of messages/,
  ],
])('a run is bounded in %s', (_, text, limits, message) => {
  expect(outcome(text, { control: true, limits })).toMatch(message)
})

test('a loop over long ranges and an empty one has no passes', () => {
  const ranges = 'i: (( [1..100000] ))\n    j: (( [1..100000] ))\n    k: []'

  expect(outcome(`a:\n  <<for:\n    ${ranges}\n  <<do: 1\n`, { control: true })).toBe('done')
})

test('elements of all documents of a run are counted together', () => {
  const list = { name: 'list', text: `a: [${'x,'.repeat(600)}]\n` }
  const run = (stubs: number) =>
    processSpiff(
      list,
      Array.from({ length: stubs }, () => list),
      { limits: { elementsMax: 2000 } },
    )

  expect(run(2).kind).toBe('done')
  expect(run(3)).toMatchObject({
    kind: 'failed',
    fault: { kind: 'yaml', message: expect.stringContaining('more than 2000 elements') },
  })
})

test('deep recursion has the results of shallow recursion', () => {
  const sum = (n: number): unknown => {
    const text = `f: (( &temporary(|n|->n == 0 ? 0 :n + .f(n - 1)) ))\na: (( .f(${n}) ))\nb: (( catch[.f(nosuch)|v,e|->e] ))\n`
    const result = processSpiff({ name: 'template', text })
    return result.kind === 'done' ? result.documents[0]?.value : result.fault.message
  }

  expect(sum(10)).toEqual({ a: 55, b: "'nosuch' not found" })
  expect(sum(20_000)).toEqual({ a: 200_010_000, b: "'nosuch' not found" })
})

test('what fails deep inside of a recursion is told, and falls back', () => {
  const f = 'f: (( |n|->n == 0 ? nosuch :_(n - 1) ))\n'

  expect(outcome(`${f}a: (( .f(10000) ))\n`)).toMatch(
    /^unresolved: .*evaluation of lambda expression failed/s,
  )
  expect(outcome(`${f}a: (( .f(10000) || 1 ))\n`)).toBe('done')
})

test('a recursion that needs the place it stands at is a circle', () => {
  const text = 'f: (( |n|->n == 0 ? a :_(n - 1) ))\na: (( .f(2000) ))\n'

  expect(outcome(text)).toMatch(/\(\( \.f\(2000\) \)\)\tin template\ta\t\(\)\t@'a' unresolved/)
})

test('an effect deep inside of a recursion happens once', () => {
  let calls = 0
  const run = (): Uint8Array => new TextEncoder().encode(`${++calls}`)
  const text = 'f: (( |n|->n == 0 ? exec_uncached("x") :_(n - 1) ))\na: (( .f(5000) .f(5000) ))\n'

  expect(outcome(text, { ports: { programs: { run } } })).toBe('done')
  expect(calls).toBe(2)
  calls = 0
  const inTemplate = `${template}  v: (( n == 0 ? 0 :exec_uncached("x") - n + .f(n - 1) ))\nf: (( |n|->(*t).v ))\na: (( .f(500) ))\n`

  expect(outcome(inTemplate, { ports: { programs: { run } } })).toBe('done')
  expect(calls).toBe(500)
})

test.each([
  ['lists', 'a: (( sum[[1..100000]|[]|s,x|->[s]] ))\n'],
  ['maps', 'a: (( sum[[1..100000]|{}|s,x|->{"a"=s}] ))\n'],
  ['a document of flow lists', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`],
  ['a document of block lists', `${'- '.repeat(10_000)}1\n`],
  ['a parsed text', `a: (( parse("${'['.repeat(10_000)}${']'.repeat(10_000)}", "json") ))\n`],
])('what is nested 10,000 times and more is one fault: %s', (_, text) => {
  for (const limits of [strictLimits, localLimits]) {
    const result = processSpiff({ name: 'template', text }, [], { limits })

    expect(result.kind === 'failed' && result.fault.message).toMatch(/nested|deep|parse/)
  }
})

test('work that never looks at a clock is given up from outside', () => {
  const within = <T>(): T | undefined => undefined
  expect(outcome('a: 1\n', { ports: { within } })).toBe('budget: limit reached: more than 10000 milliseconds')
})

test('time is bounded by the clock handed in', () => {
  let now = 0
  const ports = { elapsed: () => (now += 100) }

  expect(
    outcome('a: (( sum[[1..100000]|0|s,x|->s + x] ))\n', { ports, limits: { millisecondsMax: 1000 } }),
  ).toBe('budget: limit reached: more than 1000 milliseconds')
})

test('a regular expression cannot be made to backtrack', () => {
  expect(outcome(`a: (( match("(a*)*b", "${'a'.repeat(3000)}") ))\n`)).toBe('done')
})

test('a chain of 10,000 references settles without a deep stack', () => {
  expect(outcome(`${lines(10_000, (i) => `k${i}: (( k${i + 1} ))`)}k10000: 1\n`)).toBe('done')
})

test('long rows of operators are no deep nesting', () => {
  expect(outcome(`a: (( ${'1 + '.repeat(5000)}1 ))\n`)).toBe('done')
  expect(outcome(`key: x\na: "${'(( key )) y '.repeat(3000)}"\n`, { interpolation: true })).toBe('done')
  expect(outcome(`a: (( ${'"x" '.repeat(5000)}nosuch ))\n`)).toContain("'nosuch' not found")
})

test('a circle of 1,000 references is reported, not followed', () => {
  const text = lines(1000, (i) => `k${i}: (( k${(i + 1) % 1000} || "wrong" ))`)

  expect(outcome(text)).toMatch(
    /^unresolved: unresolved nodes:\n\t\(\( k1 \|\| "wrong" \)\)\tin template\tk0\t\(\)\t@'k1' unresolved/,
  )
})

test('long chains inside of maps, lists and templates settle, too', () => {
  expect(outcome(`${lines(1500, (i) => `k${i}:\n  a: (( k${i + 1}.a ))`)}k1500: {a: 1}\n`)).toBe('done')
  expect(outcome(`${lines(1500, (i) => `k${i}:\n- (( k${i + 1}[0] ))`)}k1500: [1]\n`)).toBe('done')
  expect(
    outcome(
      `t:\n  <<: (( &template ))\n${lines(2000, (i) => `  k${i}: (( k${i + 1} ))`)}  k2000: 1\nb: (( *t ))\n`,
    ),
  ).toBe('done')
})

test('what a partial run left open in a stub may repeat itself: that is one fault, too', () => {
  const stubs = ['m: true\n', 'm: {"<<if": {}, "<<else": {"<<": "(( merge m ))"}}\n']
  const result = processSpiff(
    { name: 'template', text: '{}\n' },
    stubs.map((text, i) => ({ name: `stub${i}`, text })),
    { control: true, partial: true, limits: { stepsMax: 1000 } },
  )

  expect(result).toMatchObject({ kind: 'failed', fault: { kind: 'budget' } })
})

test.each([
  ['template', 't:\n  <<: (( &template ))\n  v: TEXT\n'],
  ['lambda', 't: (( |a|->"TEXT" ))\n'],
])('a %s counts as often as it is printed', (_kind, document) => {
  const text = `${document.replace('TEXT', 'x'.repeat(1000))}l: (( map[[1..100]|x|->t] ))\n`

  expect(outcome(text, {})).not.toMatch(/^budget/)
  expect(outcome(text, { limits: { printMax: 50_000 } })).toMatch(/^budget: limit reached: /)
})

test.each([
  ['kept in a list', 'map[[1..400]|x|->s12 x]'],
  ['kept in a list, the number in front', 'map[[1..400]|x|->x s12]'],
  ['looked at and kept', 'map[[1..400]|x|->($y = s12 x) (md5(y) == "" ? 1 :y)]'],
  ['used as keys', 'map[[1..400]|x|->{ (s12 x) = 1 }]'],
])('long texts that are joined and %s end at a budget', (_, expression) => {
  const text = `${doubled('x'.repeat(1000), 12)}l: (( &temporary(${expression}) ))\n`

  expect(outcome(text, { limits: { millisecondsMax: 600_000 } })).toMatch(
    /^budget: limit reached: more than 1000000 elements of lists, maps and long texts/,
  )
})
