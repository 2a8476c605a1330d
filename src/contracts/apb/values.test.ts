import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kit/json.ts'
import type { Parameter } from './spec.ts'
import { judgeValues } from './values.ts'

const plain = { enum: [], required: false, updatable: false } as const
const text: Parameter = { ...plain, name: 'text', type: 'string' }

function judge(parameters: readonly Parameter[], given: JsonObject) {
  const { values, problems } = judgeValues(given, parameters, { defaults: {}, templates: 'reject' })
  return problems.length === 0 ? values : problems.map(({ where, detail }) => `${where?.pointer} ${detail}`)
}

test.each<[string, Parameter, JsonObject, JsonObject | readonly string[]]>([
  ['a text', text, { text: 'x' }, { text: 'x' }],
  ['a number for a text', text, { text: 1 }, ['/text must be a text']],
  ['a whole number as text', { ...text, type: 'integer' }, { text: '12' }, { text: 12 }],
  [
    'a fraction for a whole number',
    { ...text, type: 'integer' },
    { text: '1.5' },
    ['/text must be a whole number'],
  ],
  ['a number as text', { ...text, type: 'number' }, { text: '1e3' }, { text: 1000 }],
  ['true as text', { ...text, type: 'boolean' }, { text: 'true' }, { text: true }],
  ['yes for a boolean', { ...text, type: 'boolean' }, { text: 'yes' }, ['/text must be true or false']],
  ['an object', { ...text, type: 'object' }, { text: { a: 1 } }, { text: { a: 1 } }],
  ['a list for an object', { ...text, type: 'object' }, { text: [] }, ['/text must be an object']],
  ['a choice', { ...text, enum: ['9.6', '10'] }, { text: '9.6' }, { text: '9.6' }],
  ['no choice', { ...text, enum: ['9.6', '10'] }, { text: '9' }, ['/text must be one of "9.6", "10"']],
  ['a choice of numbers', { ...text, type: 'integer', enum: ['1', '2'] }, { text: 2 }, { text: 2 }],
  ['a long text', { ...text, maxLength: 2 }, { text: '🙂🙂' }, { text: '🙂🙂' }],
  [
    'a text too long',
    { ...text, maxLength: 1 },
    { text: '🙂🙂' },
    ['/text must not be longer than 1 characters'],
  ],
  [
    'a text too short',
    { ...text, minLength: 3 },
    { text: 'ab' },
    ['/text must not be shorter than 3 characters'],
  ],
  ['a text beside its pattern', { ...text, pattern: '^a+$' }, { text: 'b' }, ['/text must match ^a+$']],
  [
    'a number on an exclusive bound',
    { ...text, type: 'number', minimum: { value: 1, exclusive: true } },
    { text: 1 },
    ['/text must be more than 1'],
  ],
  ['a number between steps', { ...text, type: 'number', multipleOf: 0.1 }, { text: 0.3 }, { text: 0.3 }],
  ['what is not declared', text, { role_name: 'x' }, ['/role_name is no parameter of the plan']],
  ['a misspelt name', text, { tekst: 'x' }, ['/tekst is no parameter of the plan; did you mean text?']],
  ['a template', text, { text: '{{ lookup() }}' }, ['/text holds {{ or {%, which the bundle would evaluate']],
  ['a required value that is missing', { ...text, required: true }, {}, ['/text is required']],
  ['a default as it is written', { ...text, default: 9.6, defaultText: '9.60' }, {}, { text: '9.60' }],
  ['a default of a number', { ...text, type: 'integer', default: 7 }, {}, { text: 7 }],
])('%s', (_name, parameter, given, wanted) => {
  expect(judge([parameter], given)).toEqual(wanted)
})

describe('a conditional parameter', () => {
  const mode: Parameter = {
    ...plain,
    name: 'mode',
    type: 'string',
    enum: ['a', 'b'],
    default: 'a',
    defaultText: 'a',
  }
  const dependent: Parameter = { ...text, required: true, condition: { on: 'mode', value: 'b' } }

  test('is required when its condition holds', () => {
    expect(judge([dependent, mode], { mode: 'b' })).toEqual(['/text is required'])
  })

  test('is not when the default of the other decides otherwise', () => {
    expect(judge([dependent, mode], {})).toEqual({ mode: 'a' })
  })

  test('gets its default only when it matters', () => {
    const withDefault = { ...dependent, default: 'd', defaultText: 'd' }

    expect(judge([withDefault, mode], {})).toEqual({ mode: 'a' })
    expect(judge([withDefault, mode], { mode: 'b' })).toEqual({ mode: 'b', text: 'd' })
  })
})

test('all faults are told at once', () => {
  expect(judge([{ ...text, required: true }], { other: 1 })).toHaveLength(2)
})
