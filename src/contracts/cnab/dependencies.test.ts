import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bundleOf } from '../../../test/cnab/stage.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { chooseVersion, dependencyInstallation, requirementsOf } from './dependencies.ts'

const from = (value: Json) => requirementsOf(bundleOf({ custom: { 'io.cnab.dependencies': value } }))
const requires = (...aliases: readonly string[]) =>
  Object.fromEntries(aliases.map((alias) => [alias, { bundle: `x.example/${alias}:1` }]))

const choose = (ranges: readonly string[], tags: readonly string[], prereleases = false) => {
  const chosen = chooseVersion({ alias: 'a', bundle: 'x.example/a', ranges, prereleases }, tags, 'max-minor')
  return chosen.kind === 'tag' ? chosen.tag : null
}

describe('as Porter chooses among the tags of a registry', () => {
  const { rows } = JSON.parse(readFileSync('test/corpus/versions/masterminds-highest.json', 'utf8')) as {
    rows: readonly {
      readonly constraint: string
      readonly prereleases: boolean
      readonly versions: readonly string[]
      readonly highest?: string | null
    }[]
  }

  test('every list that was measured', () => {
    const wrong = rows.filter(({ constraint, prereleases, versions, highest = null }) => {
      const chosen = choose(constraint === '' ? [] : [constraint], versions, prereleases)
      return (chosen?.replaceAll('_', '+') ?? null) !== highest
    })

    expect(rows.length).toBeGreaterThan(150)
    expect(wrong).toEqual([])
  })
})

test('a range that cannot be read is told', () => {
  const requirement = { alias: 'a', bundle: 'x.example/a', ranges: ['one'], prereleases: false }

  expect(chooseVersion(requirement, ['1.0.0'], 'max-minor')).toMatchObject({
    kind: 'refused',
    problem: { detail: 'improper constraint: one' },
  })
})

describe('dependencies', () => {
  test.each([
    ['as the sequence says', { requires: requires('a', 'b'), sequence: ['b', 'a'] }, ['b', 'a']],
    [
      'as written where the sequence lacks one',
      { requires: requires('a', 'b'), sequence: ['b'] },
      ['a', 'b'],
    ],
    [
      'as written where the sequence names one twice',
      { requires: requires('a', 'b'), sequence: ['b', 'b'] },
      ['a', 'b'],
    ],
    ['not at all where there are none', null, []],
  ])('are ordered %s', (_, value, order) => {
    expect(from(value).list.map(({ alias }) => alias)).toEqual(order)
  })

  test('are read as older tools wrote them', () => {
    const value = {
      requires: { a: { bundle: 'x.example/a', version: { range: '1.x', prereleases: 'True' } } },
    }

    expect(from(value).list).toEqual([
      { alias: 'a', bundle: 'x.example/a', ranges: ['1.x'], prereleases: true },
    ])
  })

  test.each<[string, JsonObject]>([
    ['a name that is a path', { requires: { '../a': { bundle: 'x/a:1' } } }],
    ['no reference', { requires: { a: { bundle: 'not a reference' } } }],
    ['too many', { requires: requires(...Array.from({ length: 20 }, (_, i) => `a${i}`)) }],
  ])('with %s are refused', (_, value) => {
    expect(from(value).problems).toEqual([expect.objectContaining({ code: 'cnab.dependency.invalid' })])
  })

  test('have installations of their own', () => {
    expect(dependencyInstallation('shop', 'db')).toBe('shop-db')
  })
})

const tags = ['latest', 'v1.0.3', '1.0.1', '1.2.0', '1.2.0-beta', 'edge', '2.0.0']

test.each<[string, JsonObject, Parameters<typeof chooseVersion>[2], string]>([
  ['names its tag', { bundle: 'x/a:edge' }, 'exact', 'edge'],
  ['names nothing takes the highest', { bundle: 'x/a' }, 'exact', '2.0.0'],
  [
    'names a range but no strategy is refused',
    { bundle: 'x/a', version: { ranges: ['1.x'] } },
    'exact',
    'refused',
  ],
  ['wants the highest of a range', { bundle: 'x/a', version: { ranges: ['1.x'] } }, 'max-minor', '1.2.0'],
  [
    'wants the highest patch of a range',
    { bundle: 'x/a', version: { ranges: ['1.x'] } },
    'max-patch',
    'v1.0.3',
  ],
  ['wants the lowest of a range', { bundle: 'x/a', version: { ranges: ['>=1.0.2'] } }, 'min', 'v1.0.3'],
  ['fits nothing is refused', { bundle: 'x/a', version: { ranges: ['9.x'] } }, 'min', 'refused'],
])('a dependency that %s', (_, requirement, strategy, expected) => {
  const [one] = from({ requires: { a: requirement } }).list
  const chosen = one && chooseVersion(one, tags, strategy)

  expect(chosen?.kind === 'tag' ? chosen.tag : 'refused').toBe(expected)
})
