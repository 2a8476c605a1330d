/** What differs between two documents in their structure: lists of named entries are compared by name, wherever they stand. */
import { type Cell, cellOf, Dict, List } from './value.ts'

export interface Difference {
  readonly path: readonly string[]
  /** Undefined where only the other document has something. */
  readonly a: Cell | undefined
  readonly b: Cell | undefined
}

/** All differences, in the order of keys and entries. */
export function differences(a: Cell, b: Cell, path: readonly string[] = []): readonly Difference[] {
  const [left, right] = [a.value, b.value]
  if (left instanceof Dict) {
    const fields = right instanceof List ? namedFields(right) : right
    return fields instanceof Dict ? ofMaps(left, fields, path) : [{ path, a, b }]
  }
  if (left instanceof List) {
    return right instanceof List ? ofLists(left, right, path) : [{ path, a, b }]
  }
  return left === right ? [] : [{ path, a, b }]
}

function ofMaps(a: Dict, b: Dict, path: readonly string[]): readonly Difference[] {
  const own = [...a.cells].flatMap(([key, cell]) => {
    const other = b.get(key)
    return other === undefined
      ? [{ path: [...path, key], a: cell, b: other }]
      : differences(cell, other, [...path, key])
  })
  const others = [...b.cells].filter(([key]) => a.get(key) === undefined)
  return [...own, ...others.map(([key, cell]) => ({ path: [...path, key], a: undefined, b: cell }))]
}

function ofLists(a: List, b: List, path: readonly string[]): readonly Difference[] {
  // The order of jobs counts: their position is compared as if it were a field.
  const [jobs, otherJobs] = path.length === 1 && path[0] === 'jobs' ? [jobFields(a), jobFields(b)] : []
  if (jobs && otherJobs) return ofMaps(jobs, otherJobs, path)
  const own = a.cells.flatMap((cell, i) => {
    const name = nameOf(cell)
    const named = name === undefined ? undefined : b.cells.find((one) => nameOf(one) === name)
    const [key, other] = named === undefined ? [`[${i}]`, b.cells[i]] : [name ?? '', named]
    return other === undefined
      ? [{ path: [...path, key], a: cell, b: other }]
      : differences(cell, other, [...path, key])
  })
  const more = b.cells.slice(a.cells.length)
  return [
    ...own,
    ...more.map((cell, i) => ({ path: [...path, `[${a.cells.length + i}]`], a: undefined, b: cell })),
  ]
}

function nameOf({ value }: Cell): string | undefined {
  const name = value instanceof Dict ? value.get('name')?.value : undefined
  return typeof name === 'string' ? name : undefined
}

/** A list of named maps as a map of them; undefined for any other list. */
function namedFields(list: List): Dict | undefined {
  return byName(list, (cell) => [...(cell.value as Dict).cells].filter(([key]) => key !== 'name'))
}

function jobFields(list: List): Dict | undefined {
  return byName(list, (cell, i) => [...(cell.value as Dict).cells, ['index', cellOf(BigInt(i), cell.source)]])
}

function byName(
  list: List,
  fields: (cell: Cell, i: number) => readonly (readonly [string, Cell])[],
): Dict | undefined {
  const entries = list.cells.map((cell, i) => {
    const name = nameOf(cell)
    return name === undefined
      ? undefined
      : ([name, { ...cell, value: new Dict(new Map(fields(cell, i))) }] as const)
  })
  return entries.includes(undefined)
    ? undefined
    : new Dict(new Map(entries.filter((entry) => entry !== undefined)))
}
