/** The outcome does not depend on the names of keys, and so not on the order of evaluation. */
import { expect, test } from 'vitest'
import { processSpiff } from './index.ts'

function chance(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** An expression over the fields @0 to @8. */
function expression(next: (below: number) => number, depth: number): string {
  const leaves = [
    '@0',
    '@1',
    '@2',
    '@3',
    '@6.x',
    '@6',
    '@7[0]',
    '@7[1]',
    '@7',
    '1',
    'nosuch',
    '~',
    '~~',
    '.@2',
  ]
  if (depth <= 0) return leaves[next(leaves.length)] ?? '1'
  const e = (): string => expression(next, depth - 1)
  const forms = [
    () => `${e()} || ${e()}`,
    () => `${e()} // ${e()}`,
    () => `(${e()}) + 1`,
    () => `[${e()}, ${e()}]`,
    () => `catch(${e()})`,
    () => `map[[1]|x|->${e()}]`,
    () => `defined(${e()})`,
    () => `true ? ${e()} :${e()}`,
    () => `*@8 || ${e()}`,
    () => `merge({"q"="(( ${e().replaceAll('"', '')} ))"}).q`,
  ]
  return forms[next(forms.length)]?.() ?? '1'
}

function document(next: (below: number) => number): string {
  const code = (depth: number): string => JSON.stringify(`(( ${expression(next, depth)} ))`)
  const fields = Array.from({ length: 6 }, (_, i) => `@${i}: ${code(2)}`)
  return [
    ...fields,
    `@6: {x: ${code(1)}, w: ${code(1)}}`,
    `@7: [${code(1)}, ${code(1)}]`,
    `@8: {"<<": "(( &template ))", z: ${code(1)}}`,
  ].join('\n')
}

/** The outcome with the fields under these names, told in terms of their numbers. */
function outcome(text: string, names: readonly string[]): unknown {
  const named = text.replaceAll(/@(\d)/g, (_, digit) => names[Number(digit)] ?? '')
  const back = (shown: string): string =>
    names.reduce((whole, name, i) => whole.replaceAll(name, `@${i}`), shown)
  const result = processSpiff({ name: 'template', text: named }, [], { limits: { depthMax: 10_000 } })
  if (result.kind === 'failed') return result.fault.unresolved.map(({ path }) => back(path)).sort()
  return JSON.parse(back(result.documents[0]?.json() ?? ''))
}

test('other names give the same outcome', () => {
  const forward = Array.from({ length: 9 }, (_, i) => `q${i}q`)
  const backward = Array.from({ length: 9 }, (_, i) => `q${8 - i}z`)
  let done = 0
  for (let seed = 1; seed <= 250; seed++) {
    const text = document(chance(seed * 7919))

    const first = outcome(text, forward)

    expect(outcome(text, backward), `seed ${seed}`).toEqual(first)
    if (!Array.isArray(first)) done++
  }
  expect(done).toBeGreaterThan(0)
})
