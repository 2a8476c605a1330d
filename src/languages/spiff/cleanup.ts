/** What happens to a settled document at the end: temporary and local parts go, escapes are taken off, state is picked. */
import { unescapeKey, unescapeText } from './detect.ts'
import { type Cell, Dict, flag, List, type Value } from './value.ts'

/** What values became that were met before: those that stand in many places are made once, and those that do not change not at all. */
type Known = Map<Value, Value>

/** Without the cells that have one of these flags. */
export function dropFlagged(cell: Cell, flags: number): Cell {
  return { ...cell, value: dropped(cell.value, flags, new Map()) }
}

function dropped(value: Value, flags: number, known: Known): Value {
  if (!(value instanceof List || value instanceof Dict) || !value.flagged) return value
  const before = known.get(value)
  if (before !== undefined) return before
  const keep = (cell: Cell): boolean => (cell.flags & flags) === 0
  const inside = (cell: Cell): Cell => ({ ...cell, value: dropped(cell.value, flags, known) })
  const after =
    value instanceof List
      ? new List(value.cells.filter(keep).map(inside))
      : new Dict(fieldsOf(value, keep, inside))
  known.set(value, after)
  return after
}

function fieldsOf(
  { cells }: Dict,
  keep: (cell: Cell) => boolean,
  inside: (cell: Cell) => Cell,
): ReadonlyMap<string, Cell> {
  const fields = new Map<string, Cell>()
  for (const [key, cell] of cells) if (keep(cell)) fields.set(key, inside(cell))
  return fields
}

export const temporaryOrLocal = flag.temporary | flag.local

/** One level of escaping less, in strings and in merge keys. */
export function unescaped(value: Value, interpolation: boolean, known: Known = new Map()): Value {
  if (typeof value === 'string') return unescapeText(value, interpolation)
  if (!(value instanceof List || value instanceof Dict) || !value.live) return value
  const before = known.get(value)
  if (before !== undefined) return before
  const inside = (cell: Cell): Cell => ({ ...cell, value: unescaped(cell.value, interpolation, known) })
  const after =
    value instanceof List
      ? new List(value.cells.map(inside))
      : new Dict(new Map([...value.cells].map(([key, cell]) => [unescapeKey(key), inside(cell)])))
  known.set(value, after)
  return after
}

/** Only what is marked as state, with all that is below it. */
export function stateOf(cell: Cell): Cell {
  const { value } = cell
  const chosen = (one: Cell): Cell | undefined => ((one.flags & flag.state) === 0 ? undefined : one)
  if (value instanceof List)
    return { ...cell, value: new List(value.cells.flatMap((one) => chosen(one) ?? [])) }
  if (!(value instanceof Dict)) return { ...cell, value: null }
  const cells = new Map<string, Cell>()
  for (const [key, one] of value.cells) {
    const kept = chosen(one)
    if (kept !== undefined) cells.set(key, kept)
  }
  return { ...cell, value: new Dict(cells) }
}
