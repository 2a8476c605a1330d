/** What a form makes of a schema: one row per rule. */
import { expect, test } from 'vitest'
import { parseJson } from '../../src/kit/exact.ts'
import type { Json, JsonObject } from '../../src/kit/json.ts'
import { definitionIn } from '../../src/web/form/definition.ts'
import { changesBetween, patchOf } from '../../src/web/form/difference.ts'
import { faultsIn, settled } from '../../src/web/form/faults.ts'
import { everyField, type Field, secretPlaces } from '../../src/web/form/field.ts'
import { formOf } from '../../src/web/form/form.ts'
import { keepForm, keptForm } from '../../src/web/form/keep.ts'
import { after, beginForm, type FormPlan, type FormState, fieldsOf } from '../../src/web/form/state.ts'
import { fromText, toText } from '../../src/web/form/text.ts'
import { type Inline, readMarkdown } from '../../src/web/markdown.ts'

function values(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `v${i}`)
}

function memberOf(schema: Json, value?: Json): Field {
  const whole = formOf({
    schema: { type: 'object', properties: { x: schema } },
    value: value === undefined ? {} : { x: value },
  })
  return [...everyField(whole)].find(({ place }) => place === '/x') as Field
}

test.each<[string, Json, Json | undefined, object]>([
  ['five values are radios', { enum: values(5) }, undefined, { kind: 'choice', manner: 'radios' }],
  ['six are a select', { enum: values(6) }, undefined, { kind: 'choice', manner: 'select' }],
  ['thirty are a select', { enum: values(30) }, undefined, { manner: 'select' }],
  ['more are searched', { enum: values(31) }, undefined, { manner: 'search' }],
  [
    'branches of one value are a choice with titles',
    {
      oneOf: [
        { const: 1, title: 'One' },
        { const: 2, title: 'Two' },
      ],
    },
    undefined,
    {
      kind: 'choice',
      options: [
        { value: 1, title: 'One' },
        { value: 2, title: 'Two' },
      ],
    },
  ],
  ['a boolean is a switch', { type: 'boolean' }, undefined, { kind: 'switch' }],
  [
    'an integer is a whole number',
    { type: 'integer', minimum: 1 },
    undefined,
    { kind: 'number', whole: true, min: 1 },
  ],
  [
    'a text that may be null is a text',
    { type: ['string', 'null'] },
    undefined,
    { kind: 'text', nullable: true },
  ],
  ['writeOnly is secret', { type: 'string', writeOnly: true }, undefined, { secret: true }],
  ['a password is secret', { type: 'string', format: 'password' }, undefined, { secret: true }],
  [
    'a list of a few, each once, is checked',
    { type: 'array', uniqueItems: true, items: { enum: ['a'] } },
    undefined,
    { kind: 'set' },
  ],
  [
    'what is not there and has parts is closed',
    { type: 'array', items: { type: 'string' } },
    undefined,
    { kind: 'closed', opening: [''] },
  ],
  [
    'rows are rows',
    { type: 'array', items: { type: 'string' } },
    ['a'],
    { kind: 'list', rows: [{ value: 'a' }] },
  ],
  [
    'any names are entries',
    { type: 'object', additionalProperties: { type: 'string' } },
    { a: 'b' },
    { kind: 'group', takesEntries: 'asked', entries: [{ name: 'a', kind: 'text' }] },
  ],
  ['anything is text', {}, undefined, { kind: 'raw', why: 'anything' }],
  [
    'a value of another type stays to be seen',
    { type: 'integer' },
    'many',
    { kind: 'number', value: 'many' },
  ],
  [
    'a branch is the one that the value is of',
    {
      oneOf: [
        { title: 'A', type: 'object', required: ['a'] },
        { title: 'B', type: 'object', required: ['b'] },
      ],
    },
    { b: 1 },
    {
      kind: 'branch',
      picked: 1,
      branches: [
        { kind: 'title', title: 'A' },
        { kind: 'title', title: 'B' },
      ],
    },
  ],
])('%s', (_rule, schema, value, expected) => {
  expect(memberOf(schema, value)).toMatchObject(expected)
})

const plan: FormPlan = {
  definition: [],
  schema: {
    type: 'object',
    required: ['b', 'c'],
    properties: {
      a: { type: 'string' },
      b: { type: 'string' },
      c: { type: 'string', default: 'x' },
      d: { type: 'string', default: 'y' },
      secret: { type: 'string', writeOnly: true },
      how: {
        oneOf: [
          {
            title: 'One',
            type: 'object',
            properties: { one: { type: 'string' } },
            additionalProperties: false,
          },
          {
            title: 'Two',
            type: 'object',
            properties: { two: { type: 'string' } },
            additionalProperties: false,
          },
        ],
      },
    },
  },
}

function done(state: FormState, ...deeds: readonly Parameters<typeof after>[2][]): FormState {
  return deeds.reduce((sum, deed) => after(plan, sum, deed), state)
}

test('what is required comes first, what has a default is folded, and what must be there starts with its default', () => {
  const root = fieldsOf(plan, beginForm(plan))
  const names = (fields: readonly Field[]) => fields.map(({ name }) => name)

  expect(root.kind === 'group' && names(root.open.flatMap(({ fields }) => fields))).toEqual([
    'b',
    'a',
    'secret',
    'how',
  ])
  expect(root.kind === 'group' && names(root.folded.flatMap(({ fields }) => fields))).toEqual(['c', 'd'])
  expect(beginForm(plan).value).toEqual({ c: 'x' })
})

test('a definition orders and groups, and its passwords are secret', () => {
  const items = ['b', { title: 'More', type: 'fieldset', items: [{ key: 'a', type: 'password' }, 'gone'] }]
  const metadata = { schemas: { service_instance: { create: { openshift_form_definition: items } } } }
  const root = formOf({ ...plan, definition: definitionIn(metadata as JsonObject, 'create'), value: {} })

  expect(root.kind === 'group' && root.open.map(({ title }) => title)).toEqual([undefined, 'More', undefined])
  expect(secretPlaces(root)).toEqual(['/a', '/secret'])
})

test('another branch sends nothing of the one before, and what was typed there comes back', () => {
  const one = done(
    beginForm(plan),
    { do: 'set', place: '/how', value: {} },
    { do: 'set', place: '/how/one', value: 'kept' },
    { do: 'pick', place: '/how', branch: 1 },
  )
  const two = done(one, { do: 'set', place: '/how/two', value: 'new' })

  expect(one.value['how']).toEqual({})
  expect(two.value['how']).toEqual({ two: 'new' })
  expect(done(two, { do: 'pick', place: '/how', branch: 0 }).value['how']).toEqual({ one: 'kept' })
})

test('YAML and what is kept through a reload hold all but secrets, digit by digit', () => {
  const value = parseJson(
    '{"b": 123456789012345678901234567890, "secret": "s", "list": [1, null, " "]}',
  ) as JsonObject
  const text = toText(value, ['/secret'], 'set in the form')
  const kept = new Map<string, string>()
  const memory = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, one: string) => void kept.set(key, one),
    removeItem: (key: string) => void kept.delete(key),
  }
  keepForm(memory, 'k', { value, picks: {}, stash: {}, texts: {} }, ['/secret'])

  expect(text).toContain('# /secret: set in the form')
  expect(JSON.stringify(fromText(text, value, ['/secret']))).toBe(
    JSON.stringify({ kind: 'value', value: { b: value['b'], list: value['list'], secret: 's' } }),
  )
  expect(JSON.stringify(keptForm(memory, 'k')?.value)).toBe(
    '{"b":123456789012345678901234567890,"list":[1,null," "]}',
  )
})

test('a change sends what differs, what every change must name, and the default of what was taken away', () => {
  const before = { a: 1, b: 'x', c: { d: 1, e: 2 }, gone: 3, other: 4 }
  const next = { a: 1, b: 'y', c: { d: 1, e: 3 } }

  expect(patchOf(before, next, { defaults: { gone: 9 }, always: ['a'] })).toEqual({
    a: 1,
    b: 'y',
    c: { d: 1, e: 3 },
    gone: 9,
    other: null,
  })
  expect(patchOf(before, before, { defaults: {}, always: ['a'] })).toEqual({})
  expect(changesBetween(before, next).map(({ place, kind }) => `${kind} ${place}`)).toEqual([
    'changed /b',
    'changed /c/e',
    'removed /gone',
    'removed /other',
  ])
})

test('a fault stands at the nearest field there is, and branches that were not chosen are silent', () => {
  const state = done(beginForm(plan), { do: 'set', place: '/how', value: { one: 1 } })
  const fault = (pointer: string) => ({
    code: 'x',
    title: 'T.',
    detail: pointer,
    where: { source: 'parameters', pointer },
  })
  const [first, ...others] = ['/how/one', '/how/two', '/how', '/b/deep', ''].map(fault)
  const told = settled(faultsIn({ ...first!, message: '', others }), [...everyField(fieldsOf(plan, state))])

  expect(told.map(({ place, detail }) => [place, detail])).toEqual([
    ['/how/one', '/how/one'],
    ['/b', '/b/deep'],
    [undefined, ''],
  ])
})

test.each<[string, readonly Inline[]]>([
  ['<script>x</script>', [{ kind: 'text', text: '<script>x</script>' }]],
  ['[a](javascript:x)', [{ kind: 'text', text: 'a' }]],
  ['[a](data:text/html,x)', [{ kind: 'text', text: 'a' }]],
  ['![a](https://example.com/x.png)', [{ kind: 'text', text: 'a' }]],
  [
    '[a](https://example.com/)',
    [{ kind: 'link', to: 'https://example.com/', parts: [{ kind: 'text', text: 'a' }] }],
  ],
  ['`<b>`', [{ kind: 'code', text: '<b>' }]],
])('Markdown of strangers: %s', (text, parts) => {
  expect(readMarkdown(text)).toEqual([{ kind: 'paragraph', parts }])
})
