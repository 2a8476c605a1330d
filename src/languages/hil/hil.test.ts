import { expect, test } from 'vitest'
import { parseJson } from '../../kit/exact.ts'
import type { Json } from '../../kit/json.ts'
import {
  brokerFunctions,
  evaluate,
  evaluateText,
  excerpt,
  isTemplate,
  jsonScope,
  type Options,
  parse,
} from './index.ts'

const functions = brokerFunctions({})

function run(source: string, variables: Record<string, Json> = {}, options: Options = {}): unknown {
  const result = evaluateText(source, jsonScope(variables, functions), options)
  if (result.kind === 'fault') return { fault: result.fault.message }
  return result.kind === 'unknown' ? 'unknown' : result.value
}

const tree = { l: ['a', ['b', 'c']], m: { x: { y: 'deep' }, list: ['p'] } }

test.each([
  ['${l[1][0]}', 'b'],
  ['${m["x"]["y"]}', 'deep'],
  ['${m["x"]}', { y: 'deep' }],
  ['${l[0]}-${l[1][1]}', 'a-c'],
  ['${l[0] == "a" ? l[1][0] : "z"}', 'b'],
  ['${json.marshal(m["list"])}', '["p"]'],
  ['${(m)["x"]["y"]}', 'deep'],
])('%s works in the extended dialect and not in the original', (source, value) => {
  expect(run(source, tree)).toEqual(value)
  expect(run(source, tree, { dialect: 'original' })).toHaveProperty('fault')
})

test.each([
  ['x${l[1]}', 'cannot use TypeList as TypeString'],
  ['${l[1] + 1}', 'cannot use TypeList where a text is wanted'],
  ['${m["x"]["z"]}', 'key "z" does not exist in map m[]'],
  ['${l[0][0]}', 'invalid index operation into non-indexable type: TypeString'],
])('%s ends with a fault that says what was met', (source, fault) => {
  expect(run(source, tree)).toEqual({ fault })
})

test('exact integers keep their digits', () => {
  const { n } = parseJson('{"n": 9007199254740993}') as { n: Json }

  expect(run('${n} ${n + 1}', { n })).toBe('9007199254740993 9007199254740994')
  expect(run('${9007199254740993 + 0}')).toBe('9007199254740993')
  expect(run('${9223372036854775807 * 2}')).toBe('-2')
  expect(run('${(0-9223372036854775807-1) / -1}')).toBe('-9223372036854775808')
})

test('an unknown value makes the whole unknown, but not what was looked up beside it', () => {
  const mark = '74D93920-ED26-11E3-AC10-0800200C9A66'

  expect(run('${l[1]}', { l: [mark, 'b'] })).toBe('b')
  expect(run('a ${l[0]}', { l: [mark, 'b'] })).toBe('unknown')
  expect(run('${l}', { l: [mark, 'b'] })).toBe('unknown')
})

test.each(['time.nano()', 'counter.next()', 'rand.base64(4)', 'env("HOME")', 'config("x")'])(
  '%s reaches nothing unless a port is granted',
  (call) => {
    expect(run(`\${${call}}`)).toEqual({ fault: expect.stringMatching(/ is not granted here$/) })
  },
)

test('granted ports are asked', () => {
  let count = 0n
  const scope = jsonScope(
    {},
    brokerFunctions({
      nanoseconds: () => 17n,
      nextCount: () => ++count,
      random: (bytes) => new Uint8Array(bytes).fill(255),
      environment: (name) => (name === 'A' ? 'a' : undefined),
      configuration: () => undefined,
    }),
  )
  const value = (source: string) => evaluateText(source, scope)

  expect(value('${time.nano()} ${counter.next()} ${true ? 1 : counter.next()} ${counter.next()}')).toEqual({
    kind: 'value',
    value: '17 1 1 3',
  })
  expect(value('${rand.base64(4)} ${rand.base64(0)}|')).toMatchObject({ value: '_____w== |' })
  expect(value('${env("A")}')).toMatchObject({ value: 'a' })
  expect(value('${env("B")}')).toMatchObject({ fault: { message: 'env: missing environment variable B' } })
  expect(value('${config("B")}')).toMatchObject({ fault: { message: 'config: missing config value B' } })
  expect(value('${rand.base64(100000000)}')).toHaveProperty('fault')
})

test('the internal functions of the original cannot be called', () => {
  expect(run('${__builtin_IntMath(1, 2)}')).toEqual({
    fault: '1:3: unknown function called: __builtin_IntMath',
  })
})

test('a text is cut before a character that does not fit, and inside it only where asked for', () => {
  const inside = jsonScope({}, brokerFunctions({}, { cutInsideCharacters: true }))

  expect(run('${str.truncate(3, "aéé")}')).toBe('aé')
  expect(run('${str.truncate(2, "aéé")}')).toBe('a')
  expect(evaluateText('${str.truncate(2, "aéé")}', inside)).toMatchObject({ value: 'a\ufffd' })
})

test.each([
  ['plain', false],
  ['a$b', false],
  ['100$$', true],
  ['${x}', true],
  ['${"a"}', true],
  ['${', false],
  ['{"a": "$${b}"}', true],
])('%s is a template: %s', (source, expected) => {
  expect(isTemplate(source)).toBe(expected)
})

test('a fault knows its place, also one while running', () => {
  const text = 'a\n  ${1/0}'
  const result = evaluateText(text, jsonScope({}, functions))

  expect(result).toMatchObject({
    kind: 'fault',
    fault: { message: '__builtin_IntMath: divide by zero', place: { line: 2, column: 5 } },
  })
  expect(result.kind === 'fault' && result.fault.place && excerpt(text, result.fault.place)).toBe(
    '  ${1/0}\n    ^',
  )
})

test('columns count code points', () => {
  expect(run('😀${nope}')).toEqual({ fault: '1:4: unknown variable accessed: nope' })
})

test('a template is parsed once and evaluated with many variables', () => {
  const parsed = parse('${a}!')
  const values = ['x', 'y'].map(
    (a) => parsed.kind === 'template' && evaluate(parsed.template, jsonScope({ a }, functions)),
  )

  expect(values).toEqual([
    { kind: 'value', value: 'x!' },
    { kind: 'value', value: 'y!' },
  ])
})

test.each([
  ['parentheses', `\${${'('.repeat(50_000)}1`],
  ['signs', `\${${'-'.repeat(50_000)}1}`],
  ['quotes', '${"'.repeat(50_000)],
  ['conditions', `\${${'true ? 1 : '.repeat(50_000)}1}`],
  ['indexes', `\${l${'[0]'.repeat(50_000)}}`],
])('nested %s are refused, not run into the ground', (_what, source) => {
  expect(run(source, { l: ['a'] })).toHaveProperty('fault')
})

test('a long row of operators does not nest', () => {
  expect(run(`\${0${'+1'.repeat(100_000)}}`)).toBe('100000')
})

test.each([
  ['a joined result', '${a}'.repeat(1000)],
  ['repeated lists', '${json.marshal(l)}'.repeat(1000)],
  ['an expensive pattern', '${regexp.matches("(a|b){1000}c", a)}'],
  ['texts compared again and again', '${a == b}'.repeat(1000)],
  ['patterns that are long to compile', `\${regexp.matches("${'\\\\pL'.repeat(3000)}", "")}`.repeat(10)],
])('%s beyond the budget is refused', (_what, source) => {
  const variables = {
    a: 'a'.repeat(100_000),
    b: `${'a'.repeat(99_999)}b`,
    l: Array.from({ length: 100_000 }, () => 'x'),
  }

  // Without the clock, which has to do with how busy the machine is.
  const result = run(source, variables, { elapsed: () => 0 })
  expect(result).toEqual({ fault: expect.stringMatching(/costs more than/) })
})

test('a text longer than allowed is refused', () => {
  expect(run('x'.repeat(20), {}, { textMax: 10 })).toEqual({
    fault: 'the text is longer than 10 characters',
  })
})

test('values nested too deep are refused', () => {
  let deep: Json = 'x'
  for (let i = 0; i < 100_000; i++) deep = [deep]

  expect(run('${deep}', { deep })).toEqual({ fault: 'a value is nested deeper than 500' })
})

test('an evaluation that takes longer than it may is ended', () => {
  let now = 0
  const elapsed = () => (now += 3000)
  const variables = { l: Array.from({ length: 100_000 }, () => 'x') }

  expect(run('${json.marshal(l)}'.repeat(20), variables, { elapsed })).toEqual({
    fault: 'the evaluation takes longer than 5000 milliseconds',
  })
})

test('a clock is not asked for what is small', () => {
  const elapsed = () => expect.unreachable()

  expect(run('${a}-${a == a}', { a: 'x' }, { elapsed })).toBe('x-true')
})

test('no depth that is asked for uses up the stack', () => {
  expect(run(`\${${'('.repeat(50_000)}1`, {}, { depthMax: 1_000_000 })).toEqual({
    fault: expect.stringMatching(/nested deeper than 500$/),
  })
})

test.each([
  ['a decimal that ends in a letter', `${'1'.repeat(200_000)}x`],
  ['a hexadecimal without a power', `0x${'f'.repeat(200_000)}`],
])('%s is refused in time that grows with its length only', (_what, n) => {
  expect(run('${n * 1.5}', { n })).toEqual({ fault: expect.stringMatching(/invalid syntax$/) })
})

test('a pattern is bounded in length', () => {
  expect(run('${regexp.matches(p, "")}', { p: 'a'.repeat(10_001) })).toEqual({
    fault: 'regexp.matches: a regular expression of more than 10000 characters',
  })
})
