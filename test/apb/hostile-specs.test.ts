/** Labels and specs that were made to do harm, or by mistake: one clear problem each, or a service that platforms take. */
import { describe, expect, test } from 'vitest'
import { catalogOffers } from './offers.ts'
import { readSpecOf } from './stage.ts'

const head = 'version: 1.0\nname: h-apb\ndescription: d\nbindable: true\nasync: optional\nmetadata: {}\n'
const plan = (more: string) => `${head}plans:\n  - name: default\n    description: p\n    free: true\n${more}`
const parameters = (list: string) => plan(`    parameters: ${list}\n`)
const deep = (open: string, close: string, count: number) => `${open.repeat(count)}x${close.repeat(count)}`
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`).join('\n')}\n`

/** What makes the whole bundle unreadable, with the code that says so. */
const refused: readonly (readonly [string, string, string])[] = [
  ['nothing but a NUL', '\0', 'apb.spec.version'],
  ['a text', 'hello', 'apb.spec.version'],
  ['a list', '[1, 2]', 'apb.spec.version'],
  ['a number', '42', 'apb.spec.version'],
  ['tabs', '\tversion: 1.0', 'apb.spec.unreadable'],
  ['an open quote', 'version: "1.0', 'apb.spec.unreadable'],
  ['lists nested too deep', `${head}x: ${deep('[', ']', 5000)}`, 'apb.spec.unreadable'],
  ['maps nested too deep', `${head}x: ${deep('{a: ', '}', 5000)}`, 'apb.spec.unreadable'],
  ['an alias of nothing', `${head}x: *nobody`, 'apb.spec.unreadable'],
  ['a second document, which nobody reads', `${head}---\n${plan('')}`, 'apb.spec.plans'],
  ['no version', 'name: h\nplans: [{name: a}]', 'apb.spec.version'],
  ['a version to come', head.replace('1.0', '2.0'), 'apb.spec.version'],
  ['a version with a tail', head.replace('1.0', '"1.0 "'), 'apb.spec.version'],
  ['a version that is a map', head.replace('1.0', '{a: 1}'), 'apb.spec.version'],
  ['no plan', head, 'apb.spec.plans'],
  ['plans that are a text', `${head}plans: all`, 'apb.spec.plans'],
  ['plans of texts', `${head}plans: [a, b]`, 'apb.spec.plans'],
  ['one plan twice', `${head}plans: [{name: a}, {name: a}]`, 'apb.spec.plans'],
  ['two plans without a name', `${head}plans: [{free: true}, {free: true}]`, 'apb.spec.plans'],
  ['a parameter without a type', parameters('[{name: a}]'), 'apb.spec.parameter-type'],
  ['a type of no language', parameters('[{name: a, type: __proto__}]'), 'apb.spec.parameter-type'],
  ['a type that is a list', parameters('[{name: a, type: [string]}]'), 'apb.spec.parameter-type'],
]

/** What is offered all the same, with the hostile part harmless. */
const offered: readonly (readonly [string, string])[] = [
  ['an alias bomb below a private key', `${bomb}${plan('')}`],
  [
    'names of prototypes',
    parameters(
      '[{name: __proto__, type: string}, {name: constructor, type: string}, {name: toString, type: int}]',
    ),
  ],
  [
    'metadata of prototypes',
    plan('    metadata: {__proto__: {polluted: true}, constructor: {prototype: {polluted: true}}}\n'),
  ],
  ['a pattern of catastrophe', parameters('[{name: a, type: string, pattern: "^(a+)+$"}]')],
  ['a pattern that is none', parameters('[{name: a, type: string, pattern: "(?<=x)["}]')],
  ['a pattern of a thousand thousands', parameters('[{name: a, type: string, pattern: "(x{1000}){1000}"}]')],
  ['endless numbers', parameters('[{name: a, type: number, default: .inf, minimum: -.inf, maximum: .nan}]')],
  ['a default that breaks its own rules', parameters('[{name: a, type: int, default: "many", maximum: 1}]')],
  ['an enum of nothing', parameters('[{name: a, type: enum, enum: []}]')],
  ['an enum of maps', parameters('[{name: a, type: enum, enum: [{a: 1}, [2]]}]')],
  ['a condition on itself', parameters('[{name: a, type: string, dependencies: [{key: a, value: x}]}]')],
  [
    'conditions in a circle',
    parameters(
      '[{name: a, type: string, dependencies: [{key: b, value: x}]}, {name: b, type: string, dependencies: [{key: a, value: x}]}]',
    ),
  ],
  [
    'a thousand parameters',
    parameters(JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ name: `p${i}`, type: 'string' })))),
  ],
  [
    'one parameter a thousand times',
    parameters(JSON.stringify(Array(1000).fill({ name: 'p', type: 'string' }))),
  ],
  ['a name of a kilometre', plan('').replace('h-apb', 'x'.repeat(10_000))],
  ['a name that climbs', plan('').replace('h-apb', '"../../etc/passwd"')],
  ['a name of control signs', plan('').replace('h-apb', '"a\\u0000\\e[31mb\\u202e"')],
  [
    'templates everywhere',
    parameters('[{name: "{{ x }}", type: string, title: "{% raw %}", default: "{{ lookup(1) }}"}]'),
  ],
  ['updates to nowhere', plan('    updates_to: [default, nowhere, "__proto__"]\n')],
  [
    'an icon that is a program',
    plan('').replace('metadata: {}', 'metadata: {imageUrl: "javascript:alert(1)", displayName: "<script>"}'),
  ],
  ['keys that only look like keys', `${plan('')}Plans: []\nPARAMETERS: {}\nversiom: 2\n`],
]

describe('a spec that is refused', () => {
  test.each(refused)('%s', async (_, text, code) => {
    const reading = await readSpecOf(text)

    expect(reading.kind).toBe('refused')
    expect(reading.kind === 'refused' && reading.problems[0]?.code).toBe(code)
  })
})

describe('a spec that is offered, harmless', () => {
  test.each(offered)('%s', async (_, text) => {
    const reading = await readSpecOf(text)
    expect(reading.kind, JSON.stringify(reading).slice(0, 500)).toBe('package')

    const { document, findings } = await catalogOffers(text)
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    expect(findings.filter(({ refusedBy }) => refusedBy.length > 0)).toEqual([])
    expect(({} as { readonly polluted?: boolean }).polluted).toBeUndefined()
  })
})
