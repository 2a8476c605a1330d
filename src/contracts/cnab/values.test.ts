import { describe, expect, test } from 'vitest'
import { bundleOf } from '../../../test/cnab/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { resolveValues, type ValueSources } from './values.ts'

const bundle = bundleOf({
  definitions: {
    text: { type: 'string' },
    size: { type: 'integer', default: 1 },
    fixed: { type: 'string', readOnly: true, default: 'first' },
    secret: { enum: ['alpha', 'beta'], writeOnly: true },
    file: { type: 'string', contentEncoding: 'base64' },
    list: { type: 'array' },
  },
  parameters: {
    text: { definition: 'text', destination: { env: 'TEXT' } },
    size: { definition: 'size', destination: { env: 'SIZE' } },
    fixed: { definition: 'fixed', destination: { env: 'FIXED' } },
    secret: { definition: 'secret', destination: { env: 'SECRET' } },
    file: { definition: 'file', destination: { path: '/in/file' } },
    list: { definition: 'list', destination: { env: 'LIST' } },
    late: { definition: 'text', destination: { env: 'LATE' }, applyTo: ['uninstall'], required: true },
  },
})

function resolved(sources: ValueSources, action = 'upgrade'): JsonObject | readonly string[] {
  const got = resolveValues(bundle, action, sources)
  return got.kind === 'values' ? got.values : got.problems.map(({ detail }) => detail ?? '')
}

describe('a value', () => {
  const sourced = (name: string) => (name === 'text' ? Buffer.from('from output') : undefined)

  test.each<[string, ValueSources, JsonObject]>([
    [
      'that is given counts before all',
      { given: { text: 'g' }, remembered: { text: 'r' }, sourced },
      { text: 'g' },
    ],
    [
      'that is remembered counts before an output',
      { given: {}, remembered: { text: 'r' }, sourced },
      { text: 'r' },
    ],
    ['of an output counts before a default', { given: {}, sourced }, { text: 'from output' }],
    ['may be null, and is then given', { given: { size: 5 } }, { size: 5 }],
    ['is else the default', { given: {} }, { size: 1, fixed: 'first' }],
  ])('%s', (_, sources, expected) => {
    expect(resolved(sources)).toMatchObject(expected)
  })

  test('of an output keeps its bytes in a file, and its type elsewhere', () => {
    const outputs: Record<string, Buffer> = {
      file: Buffer.from([0xff, 0]),
      list: Buffer.from('[1]\n'),
      size: Buffer.from('7'),
    }

    expect(resolved({ given: {}, sourced: (name) => outputs[name] })).toMatchObject({
      file: '/wA=',
      list: [1],
      size: 7,
    })
  })

  test('that may not change stays what it was, with a word about it', () => {
    const got = resolveValues(bundle, 'upgrade', { given: { fixed: 'other' }, fixed: { fixed: 'first' } })

    expect(got).toMatchObject({
      kind: 'values',
      values: { fixed: 'first' },
      warnings: [{ code: 'cnab.parameter.fixed' }],
    })
  })

  test('that does not apply is left out, wanted only where it applies', () => {
    expect(resolved({ given: { late: 'x' } })).not.toHaveProperty('late')
    expect(resolved({ given: {} }, 'uninstall')).toEqual([
      'missing required parameter "late" for action "uninstall"',
    ])
  })
})

test('everything wrong is told at once, and no value with it', () => {
  const said = resolved({ given: { nobody: 1, size: 'big-secret', secret: 'gamma', list: {} } })

  expect(said).toEqual([
    'undefined parameter "nobody"',
    'cannot use value as parameter size: must be integer',
    'cannot use value as parameter secret: is not one that is allowed',
    'cannot use value as parameter list: must be array',
  ])
})

test('a remembered value that the new definition refuses is named', () => {
  expect(resolved({ given: {}, remembered: { size: 'small' } })).toEqual([
    'cannot use value as parameter size: must be integer',
  ])
})
