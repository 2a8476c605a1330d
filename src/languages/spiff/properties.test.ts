/** What holds for all inputs: nothing crashes or runs away, inputs stay as they are, results settle. */
import { expect, test } from 'vitest'
import {
  escapeText,
  parseExpression,
  parseSpiff,
  printExpr,
  processSpiff,
  type SpiffOptions,
} from './index.ts'

/** A small generator of numbers, so that a failing round can be repeated by its seed. */
function chance(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const seeds = Array.from({ length: 300 }, (_, i) => i + 1)
const features: SpiffOptions = {
  interpolation: true,
  control: true,
  limits: { stepsMax: 20_000, elementsMax: 20_000, stringMax: 100_000 },
}

function pick<T>(next: (below: number) => number, list: readonly T[]): T {
  return list[next(list.length)] as T
}

/** A random expression; names are those of the document below. */
function expression(next: (below: number) => number, depth: number): string {
  const e = (): string => expression(next, depth - 1)
  if (depth <= 0)
    return pick(next, [
      '1',
      '"s"',
      'a',
      'b',
      'l',
      'm.x',
      'nosuch',
      '~',
      '~~',
      'true',
      '1.5',
      '.a',
      'l[0]',
      'x',
      '_',
      'merge',
      '10.0.0.1',
      't',
      '__ctx.PATH',
      'g::.',
    ])
  const forms: readonly (() => string)[] = [
    () =>
      `${e()} ${pick(next, ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '-or', '-and', '||', '//'])} ${e()}`,
    () => `${e()} ${e()}`,
    () => `(${e()})`,
    () => `${e()} ? ${e()} :${e()}`,
    () => `[${e()}, ${e()}]`,
    () => `{ "k" = ${e()} }`,
    () => `map[${e()}|x|->${e()}]`,
    () => `select[${e()}|i,x|->${e()}]`,
    () => `sum[${e()}|${e()}|s,x|->${e()}]`,
    () => `(|x|->${e()})(${e()})`,
    () => `*(${e()})`,
    () => `!(${e()})`,
    () => `[${e()}..${e()}]`,
    () => `(${e()}).[*].k`,
    () => `l[${e()}]`,
    () => `(${e()})[0..1]`,
    () => `catch[${e()}|v,e|->e]`,
    () => `($x=${e()}) ${e()}`,
    () =>
      `${pick(next, ['length', 'join', 'defined', 'valid', 'uniq', 'sort', 'keys', 'merge', 'type', 'asjson', 'asyaml', 'eval', 'parse', 'format', 'split', 'match', 'contains', 'reverse', 'stub', 'validate', 'check', 'makemap', 'list_to_map', 'replace', 'substr', 'ipset', 'semver', 'tagdef'])}(${e()}, ${e()})`,
  ]
  return pick(next, forms)()
}

function document(next: (below: number) => number): string {
  const code = (): string => JSON.stringify(`(( ${expression(next, 3)} ))`)
  const marker = pick(next, [
    '&temporary',
    '&template',
    '&inject',
    '&default',
    '&tag:g',
    '&state',
    'merge',
    'merge || ~',
  ])
  const control = pick(next, ['<<if', '<<switch', '<<for', '<<merge', '<<type', 'plain'])
  return [
    `a: ${code()}`,
    `b: ${code()}`,
    `l: [1, ${code()}, {name: n, v: ${code()}}]`,
    `m: {x: ${code()}, "<<": "(( ${marker} ))"}`,
    `t: {"<<": "(( &template ))", k: ${code()}}`,
    `c: {"${control}": ${code()}, "<<then": ${code()}, v: 1}`,
    `s: ${JSON.stringify(`text (( ${expression(next, 2)} )) more`)}`,
  ].join('\n')
}

test.each([1, 2, 3])('random expression trees end in a value or in faults (round %i)', (round) => {
  for (const seed of seeds) {
    const next = chance(seed * 1000 + round)
    const template = { name: 'template', text: document(next) }
    const stub = { name: 'stub', text: document(next) }

    const result = processSpiff(template, [stub], features)

    expect(['done', 'failed'], `seed ${seed}`).toContain(result.kind)
    if (result.kind === 'failed') expect(result.fault.message).not.toBe('')
    else result.documents[0]?.yaml()
  }
})

test('random bytes end in a document or in faults', () => {
  const alphabet = [...'(()){}[]"\'|->&*!~$:.,\n -+/%=<>#@0123456789abcxyz\t\u00e4\u65e5\ud83d\ude00\u0000']
  for (const seed of seeds) {
    const next = chance(seed)
    const text = Array.from({ length: next(200) }, () => pick(next, alphabet)).join('')

    expect(['done', 'failed']).toContain(processSpiff({ name: 'bytes', text }, [], features).kind)
    expect(() => parseExpression(text)).not.toThrow()
    expect(['done', 'failed']).toContain(
      processSpiff({ name: 'code', text: JSON.stringify(`(( ${text} ))`) }, [], features).kind,
    )
  }
})

test('what is printed parses to the same text again', () => {
  let compared = 0
  for (const seed of seeds) {
    const parsed = parseExpression(expression(chance(seed), 4))
    if ('fault' in parsed) continue
    const printed = printExpr(parsed.expr)
    // The printed forms of projections, slices and conditions are for people only.
    if (/\[\*\] |\.\[\[|%!s|\? | : /.test(printed)) continue

    const again = parseExpression(printed)
    compared++

    expect('expr' in again && printExpr(again.expr).replaceAll(/[( )]/g, '')).toBe(
      printed.replaceAll(/[( )]/g, ''),
    )
  }
  expect(compared).toBeGreaterThan(30)
})

test('a result without expressions processes to itself', () => {
  let compared = 0
  for (const seed of seeds) {
    const code = JSON.stringify(`(( (${expression(chance(seed), 3)}) || 0 ))`)
    const once = processSpiff({ name: 'template', text: `l: [1, 2]\nm: {x: 1}\nr: ${code}\n` }, [], features)
    const text = once.kind === 'done' ? (once.documents[0]?.yaml() ?? '') : ''
    if (text === '' || text.includes('((') || text.includes('<<')) continue
    compared++

    const again = processSpiff({ name: 'template', text }, [], features)

    expect(again.kind === 'done' && again.documents[0]?.yaml(), `seed ${seed}`).toBe(text)
  }
  expect(compared).toBeGreaterThan(50)
})

test('processing changes neither template nor stubs', () => {
  for (const seed of seeds.slice(0, 100)) {
    const next = chance(seed)
    const template = parseSpiff({ name: 'template', text: document(next) })
    const stub = parseSpiff({ name: 'stub', text: document(next) })
    if (template.kind === 'failed' || stub.kind === 'failed') continue
    const shown = (source: typeof template): unknown =>
      JSON.stringify(source.documents.map((cell) => outline(cell.value)))
    const before = [shown(template), shown(stub)]

    processSpiff(template, [stub], features)
    processSpiff(template, [stub], features)

    expect([shown(template), shown(stub)]).toEqual(before)
  }
})

/** A value as plain data for comparing. */
function outline(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  const cells = (value as { cells?: Iterable<unknown> }).cells
  if (cells === undefined) return 'other'
  return [...cells].map((entry) => {
    const [key, cell] = Array.isArray(entry) ? entry : ['', entry]
    const { value: inner, flags } = cell as { value: unknown; flags: number }
    return [key, flags, outline(inner)]
  })
}

test('an escaped text comes out of a run as it was, whatever it says', () => {
  for (const seed of seeds) {
    const text = `${pick(chance(seed), ['', 'x ', '(('])}(( ${expression(chance(seed), 2)} ))`
    const stub = { name: 'user', text: JSON.stringify({ v: escapeText(text, true) }) }

    const result = processSpiff({ name: 'template', text: 'v: ~' }, [stub], features)

    expect(result.kind === 'done' && result.documents[0]?.value).toEqual({ v: text })
  }
})

test('the same run gives the same result', () => {
  for (const seed of seeds.slice(0, 60)) {
    const template = { name: 'template', text: document(chance(seed)) }
    const outcome = (): string => {
      const result = processSpiff(template, [], features)
      return result.kind === 'done' ? (result.documents[0]?.yaml() ?? '') : result.fault.message
    }

    expect(outcome()).toBe(outcome())
  }
})
