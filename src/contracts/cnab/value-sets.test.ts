import { describe, expect, test } from 'vitest'
import type { Json } from '../../kit/json.ts'
import { readValueSet, valueFor } from './value-sets.ts'

const set = (credentials: Json, more: object = {}) =>
  readValueSet({ name: 'mine', ...more, credentials }, 'credentials')

describe('a set of values', () => {
  test('names where each value is', () => {
    const read = set(
      [
        { name: 'a', source: { env: 'A' } },
        { name: 'b', source: { Value: 'x' }, destination: { env: 'OLD' } },
        { name: 'c' },
      ],
      { schemaType: 'CredentialSet', schemaVersion: '1.0.1', namespace: 'staging', labels: { team: 'red' } },
    )

    expect(read).toMatchObject({
      kind: 'set',
      set: {
        name: 'mine',
        namespace: 'staging',
        labels: { team: 'red' },
        entries: [
          { source: { kind: 'env', value: 'A' } },
          { source: { kind: 'value' }, value: 'x' },
          { name: 'c' },
        ],
      },
    })
  })

  test.each<[string, Json, object, string]>([
    ['two sources', [{ name: 'a', source: { env: 'A', path: 'b' } }], {}, '/credentials/0/source'],
    ['a source nobody knows', [{ name: 'a', source: { vault: 'A' } }], {}, '/credentials/0/source'],
    ['a source that is no text', [{ name: 'a', source: { env: ['A'] } }], {}, '/credentials/0/source'],
    ['an entry without a name', [{ source: { env: 'A' } }], {}, '/credentials/0'],
    ['entries that are no list', { a: 1 }, {}, '/credentials'],
    ['no name', [], { name: '' }, '/name'],
    ['the type of another document', [], { schemaType: 'ParameterSet' }, '/schemaType'],
    ['a version that there never was', [], { schemaVersion: '0.38.5' }, '/schemaVersion'],
  ])('with %s is refused', (_, entries, more, pointer) => {
    const read = set(entries, more)

    expect(read.kind === 'refused' && read.problems.map(({ where }) => where?.pointer)).toEqual([pointer])
  })

  test('that is a text is none', () => {
    expect(readValueSet('something', 'credentials').kind).toBe('refused')
  })
})

test.each<[string, Json, Json, Json]>([
  ['a text means what the definition says', { type: 'integer' }, '3', 3],
  ['what is typed already stays', { type: 'array' }, [1, 'a'], [1, 'a']],
  ['large numbers keep their digits', { type: 'integer' }, '12000000', 12_000_000],
])('%s', (_, definition, value, expected) => {
  expect(valueFor(definition as { type: string }, value)).toEqual({ kind: 'value', value: expected })
})
