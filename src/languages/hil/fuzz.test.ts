/** Random templates: whatever comes in, the answer is a value or a fault, and the same one again. */
import { expect, test } from 'vitest'
import { castTo } from './cast.ts'
import { brokerFunctions, evaluateText, jsonScope } from './index.ts'
import { parseFloating, parseInteger, plainDecimal, printFloat } from './numbers.ts'

const pieces = [
  '${',
  '}',
  '"',
  '$$',
  '$',
  '\\',
  '\\n',
  '(',
  ')',
  '[',
  ']',
  ',',
  '.',
  '*',
  '+',
  '-',
  '/',
  '%',
  '?',
  ':',
  '!',
  '=',
  '==',
  '!=',
  '<',
  '>=',
  '&&',
  '||',
  ' ',
  '\n',
  'a',
  'l',
  'm',
  'true',
  'false',
  '1',
  '0',
  '2.5',
  '9223372036854775807',
  'é',
  '😀',
  '\ud800',
  '\u00a0',
  'str.truncate(',
  'json.marshal(',
  'map.flatten(',
  'regexp.matches(',
  'assert(',
  'x*',
  'a.*.b',
]
const scope = jsonScope({ a: '3', l: ['x', 'y'], m: { k: 'v', n: { o: true } } }, brokerFunctions({}))

/** A small generator of its own, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test.each([1, 2, 3, 4])('random texts from seed %i end in a value or a fault', (seed) => {
  const next = random(seed)
  let values = 0
  for (let i = 0; i < 5000; i++) {
    const source = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join('')
    const result = evaluateText(source, scope)
    if (result.kind === 'value') values++
    expect(evaluateText(source, scope)).toEqual(result)
  }
  expect(values).toBeGreaterThan(100)
})

test('random expressions with balanced brackets end in a value or a fault', () => {
  const next = random(7)
  const term = (depth: number): string => {
    const leaf = ['a', 'l[1]', 'm["k"]', '1', '2.5', 'true', '"7"', '"${a}0"', 'str.truncate(2, "abc")']
    if (depth === 0 || next(3) === 0) return leaf[next(leaf.length)]!
    const operator = ['+', '-', '*', '/', '%', '==', '<', '&&', '||'][next(9)]!
    if (next(5) === 0) return `(${term(depth - 1)} ? ${term(depth - 1)} : ${term(depth - 1)})`
    return `(${term(depth - 1)} ${operator} ${next(4) === 0 ? '-' : ''}${term(depth - 1)})`
  }
  let values = 0
  for (let i = 0; i < 3000; i++) {
    const result = evaluateText(`\${${term(4)}}`, scope)
    expect(['value', 'fault']).toContain(result.kind)
    if (result.kind === 'value') values++
  }
  expect(values).toBeGreaterThan(100)
})

test('literal text comes out as it went in', () => {
  const next = random(11)
  for (let i = 0; i < 2000; i++) {
    const text = Array.from({ length: next(20) }, () => String.fromCharCode(32 + next(200))).join('')
    const escaped = text.replaceAll('$', '$$$$')

    expect(evaluateText(escaped, scope)).toEqual({ kind: 'value', value: text })
  }
})

test('what a float prints reads back as the same number', () => {
  const next = random(13)
  const bytes = new DataView(new ArrayBuffer(8))
  for (let i = 0; i < 5000; i++) {
    for (let b = 0; b < 8; b++) bytes.setUint8(b, next(256))
    const value = bytes.getFloat64(0)
    expect(parseFloating(printFloat(value).replace('+Inf', 'Inf'))).toEqual({ kind: 'ok', value })
    if (Number.isFinite(value)) expect(Number(plainDecimal(value))).toBe(value)
  }
})

test('what an integer prints reads back as the same number, in every base', () => {
  const next = random(17)
  for (let i = 0; i < 2000; i++) {
    const value = BigInt.asIntN(64, (BigInt(next(2 ** 32)) << 32n) | BigInt(next(2 ** 32)))
    const size = value < 0n ? -value : value
    const sign = value < 0n ? '-' : ''
    for (const [prefix, base] of [
      ['', 10],
      ['0x', 16],
      ['0b', 2],
      ['0o', 8],
      ['0', 8],
    ] as const) {
      expect(parseInteger(`${sign}${prefix}${size.toString(base)}`)).toEqual({ kind: 'ok', value })
    }
  }
})

test.each([
  ['0x1p-2', 0.25],
  ['-0x1.8p1', -3],
  ['0x.8p0', 0.5],
  ['0x1.fffffffffffff8p0', 2],
  ['0x1.00000000000008p0', 1],
  ['0x1.000000000000080000001p0', 1.0000000000000002],
  ['0x1p-1074', 5e-324],
  ['0x1p-1075', 0],
  ['0x1.8p-1075', 5e-324],
  ['0x1p1023', 2 ** 1023],
])('the hexadecimal %s is %d', (source, value) => {
  expect(parseFloating(source)).toEqual({ kind: 'ok', value })
})

test.each(['0x1p1024', '1e309'])('%s is out of range', (source) => {
  expect(parseFloating(source)).toEqual({ kind: 'bad', why: 'value out of range' })
})

test.each(['0x1', '0x', '1_', '_1', '1__0', '0x.p1', '', '.', 'e1', '1e', 'infinit'])(
  '%j is no number',
  (source) => {
    expect(parseFloating(source)).toEqual({ kind: 'bad', why: 'invalid syntax' })
  },
)

test('random JSON texts are cast or refused', () => {
  const next = random(19)
  const signs = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    'u',
    '1',
    '-',
    '.',
    'e',
    'true',
    'null',
    ' ',
    'é',
    '\n',
  ]
  for (let i = 0; i < 5000; i++) {
    const text = Array.from({ length: next(8) }, () => signs[next(signs.length)]).join('')
    const parsed = attempt(() => JSON.parse(text) as unknown)
    const kind = Array.isArray(parsed) || parsed === null ? 'array' : 'other'
    const cast = attempt(() => castTo(text, 'array'))
    if (kind === 'array') expect(cast).toEqual(parsed)
    else expect(cast).toBe(undefined)
  }
})

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch {
    return undefined
  }
}
