/** One step into a settled value: a key, an index, or the name of a list element. */
import { type Cell, Dict, List } from './value.ts'

/** The cell below, if there is one. */
export function stepIntoCell(cell: Cell, step: string): Cell | undefined {
  const value = cell.value
  if (value instanceof Dict) return value.get(step)
  if (!(value instanceof List)) return undefined
  const index = indexStep(step)
  if (index !== undefined) return value.at(index)
  const { field, name } = nameStep(step)
  return value.byName(field ?? cell.key ?? 'name', name)
}

/** `[3]` and `[-1]` are indices. */
export function indexStep(step: string): number | undefined {
  if (!step.startsWith('[')) return undefined
  const index = /^\[(-?[0-9]+)\]$/.exec(step)?.[1]
  return index === undefined ? undefined : Number(index)
}

/** `field:name`, or a name alone. */
export function nameStep(step: string): { field: string | undefined; name: string } {
  const colon = step.indexOf(':')
  return colon > 0
    ? { field: step.slice(0, colon), name: step.slice(colon + 1) }
    : { field: undefined, name: step }
}
