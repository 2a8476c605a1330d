/** Many times the same statement as one: a row of parameters for each, taken apart by the server. */
import type { Value } from '../database.ts'
import { hexOf } from './batch.ts'

/** A change for each row of parameters; undefined for statements of a shape that is not known here. */
export function changeMany(text: string, types: readonly string[]): string | undefined {
  const given = `${rowsOf(types)} AS given(${types.map((_, i) => `p${i}`).join(', ')})`
  for (const [shape, build] of shapes) {
    const parts = shape.exec(text)
    if (parts === null) continue
    const [, first = '', second = '', third = ''] = parts
    // A conflict is solved without a look at what was given.
    if (third.includes('?')) return undefined
    return build({ first, second, third, given }, naming())
  }
  return undefined
}

/**
 * One answer for each row of parameters, numbered from 1 in the column `n`. The offset keeps the planner from mixing the
 * question with the rows: it is planned as if it were asked alone.
 */
export function askMany(text: string, types: readonly string[]): string {
  const names = types.map((_, i) => `p${i}`)
  return `SELECT given.n, found.* FROM ${rowsOf(types)} WITH ORDINALITY AS given(${[...names, 'n'].join(', ')})
    CROSS JOIN LATERAL (${naming()(text)} OFFSET 0) AS found`
}

/** The rows of parameters as one array for each column, in the notation of the server. */
export function columnsOf(rows: readonly (readonly Value[])[]): readonly string[] {
  const [first = []] = rows
  return first.map((_, column) => `{${rows.map((row) => elementOf(row[column] ?? null)).join(',')}}`)
}

interface Parts {
  readonly first: string
  readonly second: string
  readonly third: string
  readonly given: string
}

type Name = (part: string) => string

const shapes: readonly (readonly [RegExp, (parts: Parts, name: Name) => string])[] = [
  [
    /^(INSERT INTO \w+ \([^()]*\))\s+VALUES \((.*?)\)(\s+ON CONFLICT .*)?$/s,
    ({ first, second, third, given }, name) => `${first} SELECT ${name(second)} FROM ${given}${third}`,
  ],
  [
    /^(UPDATE \w+ SET\s(?:(?!\sWHERE\s|\sFROM\s).)*)\s+WHERE ((?:(?!\sRETURNING\s).)*)$/s,
    ({ first, second, given }, name) => `${name(first)} FROM ${given} WHERE ${name(second)}`,
  ],
  [
    /^DELETE FROM (\w+) WHERE (.*)$/s,
    ({ first, second, given }, name) => `DELETE FROM ${first} USING ${given} WHERE ${name(second)}`,
  ],
  [/^SELECT (pg_notify\(\?, \?\))$/, ({ first, given }, name) => `SELECT ${name(first)} FROM ${given}`],
]

/** Puts the columns of the rows in the place of the parameters, from left to right over all parts. */
function naming(): Name {
  let count = 0
  return (part) => part.replace(/\?/g, () => `given.p${count++}`)
}

function rowsOf(types: readonly string[]): string {
  return `unnest(${types.map((type) => `?::${type}[]`).join(', ')})`
}

function elementOf(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return `"\\\\x${hexOf(value)}"`
  const apart = value.includes('\\') ? value.replaceAll('\\', '\\\\') : value
  return `"${apart.includes('"') ? apart.replaceAll('"', '\\"') : apart}"`
}
