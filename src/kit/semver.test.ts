import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkConstraints, compareVersions, parseConstraints, parseVersion } from './semver.ts'

interface Row {
  readonly constraint: string
  readonly version: string
  readonly satisfies?: boolean
  readonly invalid?: 'constraint' | 'version'
  readonly a: string
  readonly b: string
  readonly order?: number
}

function rowsOf(name: string): readonly Row[] {
  return (JSON.parse(readFileSync(`test/fixtures/versions/${name}.json`, 'utf8')) as { rows: readonly Row[] })
    .rows
}

function judge({ constraint, version }: Row): boolean | 'constraint' | 'version' {
  const constraints = parseConstraints(constraint)
  if ('fault' in constraints) return 'constraint'
  const read = parseVersion(version)
  return read === undefined ? 'version' : checkConstraints(read, constraints.alternatives).length === 0
}

test('constraints hold as the library says that was measured', () => {
  const rows = rowsOf('masterminds-constraints')

  expect(rows).toHaveLength(748)
  expect(rows.filter((row) => judge(row) !== (row.invalid ?? row.satisfies))).toEqual([])
})

test('versions are in the order of the library that was measured', () => {
  const order = ({ a, b }: Row) => {
    const [left, right] = [parseVersion(a), parseVersion(b)]
    return left && right ? compareVersions(left, right) : 'version'
  }

  expect(rowsOf('masterminds-order').filter((row) => order(row) !== (row.invalid ?? row.order))).toEqual([])
})

test('a long constraint is refused, not tried', () => {
  expect(parseConstraints(`1${' '.repeat(5000)}x`)).toHaveProperty('fault')
})
