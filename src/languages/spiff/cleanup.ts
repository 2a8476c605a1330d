/** What happens to a settled document at the end: temporary and local parts go, escapes are taken off, state is picked. */
import { unescapeKey, unescapeText } from './detect.ts'
import { type Cell, Dict, flag, List, type Value } from './value.ts'

/** Without the cells that have one of these flags. */
export function dropFlagged(cell: Cell, flags: number): Cell {
  return { ...cell, value: dropped(cell.value, flags) }
}

function dropped(value: Value, flags: number): Value {
  const keep = (cell: Cell): boolean => (cell.flags & flags) === 0
  if (value instanceof List) {
    const cells = value.cells.filter(keep).map((cell) => dropFlagged(cell, flags))
    return new List(cells)
  }
  if (!(value instanceof Dict)) return value
  const cells = new Map<string, Cell>()
  for (const [key, cell] of value.cells) if (keep(cell)) cells.set(key, dropFlagged(cell, flags))
  return new Dict(cells)
}

export const temporaryOrLocal = flag.temporary | flag.local

/** One level of escaping less, in strings and in merge keys. */
export function unescaped(value: Value, interpolation: boolean): Value {
  if (typeof value === 'string') return unescapeText(value, interpolation)
  if (value instanceof List)
    return new List(value.cells.map((cell) => ({ ...cell, value: unescaped(cell.value, interpolation) })))
  if (!(value instanceof Dict)) return value
  const cells = new Map<string, Cell>()
  for (const [key, cell] of value.cells)
    cells.set(unescapeKey(key), { ...cell, value: unescaped(cell.value, interpolation) })
  return new Dict(cells)
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
