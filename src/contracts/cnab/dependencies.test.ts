import { describe, expect, test } from 'vitest'
import { bundleOf } from '../../../test/cnab/stage.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { chooseVersion, dependencyInstallation, requirementsOf } from './dependencies.ts'
import { compareVersions, inRanges } from './version-ranges.ts'

const from = (value: Json) => requirementsOf(bundleOf({ custom: { 'io.cnab.dependencies': value } }))
const requires = (...aliases: readonly string[]) =>
  Object.fromEntries(aliases.map((alias) => [alias, { bundle: `x.example/${alias}:1` }]))

test.each<[string, string, readonly string[], readonly string[]]>([
  ['one version', '2.1.0', ['2.1.0', 'v2.1.0'], ['2.1.1', '2.1.0-rc.1']],
  ['open places', '2.1.x', ['2.1.0', '2.1.7'], ['2.2.0', '2.0.9']],
  ['a major version', '2', ['2.0.0', '2.9.9'], ['3.0.0', '1.9.9']],
  ['anything', '*', ['0.0.1', '9.0.0'], ['1.0.0-beta']],
  ['from and to', '1.5.x - 3', ['1.5.0', '3.9.9'], ['1.4.9', '4.0.0']],
  ['from and to exactly', '1.0.0 - 2.0.0', ['1.0.0', '2.0.0'], ['2.0.1']],
  ['bounds', '>=1.0 <1.3', ['1.0.0', '1.2.9'], ['1.3.0', '0.9.0']],
  ['bounds of a minor version', '>1.2 <=1.4', ['1.3.0', '1.4.9'], ['1.2.5', '1.5.0']],
  ['a tilde', '~1.2.3', ['1.2.3', '1.2.9'], ['1.3.0', '1.2.2']],
  ['a caret', '^1.2.3', ['1.2.3', '1.9.0'], ['2.0.0', '1.2.2']],
  ['alternatives', '1.x || 3.x', ['1.1.0', '3.0.0'], ['2.0.0']],
])('a range with %s', (_, range, inside, outside) => {
  const judge = (version: string) => inRanges(version, [range], { prereleases: false })

  expect([inside.map(judge), outside.map(judge)]).toEqual([inside.map(() => true), outside.map(() => false)])
})

test('what is no range or no version is said to be none', () => {
  expect([
    inRanges('1.0.0', ['one'], { prereleases: true }),
    inRanges('one', ['1'], { prereleases: true }),
  ]).toEqual([undefined, undefined])
})

test('versions that are not final come before those that are', () => {
  const sorted = ['1.0.0', 'latest', '1.0.0-rc.2', 'v1.0.0-rc.10', '1.0.0-rc', '0.9', '1.0.0-1'].toSorted(
    compareVersions,
  )

  expect(sorted).toEqual(['latest', '0.9', '1.0.0-1', '1.0.0-rc', '1.0.0-rc.2', 'v1.0.0-rc.10', '1.0.0'])
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
