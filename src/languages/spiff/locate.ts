/** The line and column of a path in a document that was read. */
import type { Place } from '../place.ts'
import { type Cell, Dict, List } from './value.ts'

/** The place of the value at a path, or of its nearest ancestor. */
export function locate(document: Cell, steps: readonly string[]): Place {
  let here = document
  for (const step of steps.flatMap((one) => one.split(/(?<=\])\.(?=<<)/))) {
    const { value } = here
    const next = value instanceof List ? value.cells[Number(step.slice(1, -1))] : undefined
    const found = value instanceof Dict ? value.get(step) : next
    if (found?.place === undefined) break
    here = found
  }
  return here.place ?? { line: 1, column: 1 }
}
