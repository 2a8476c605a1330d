/** A document in which something is unresolved, with the expressions that are left as text. */
import { printExpr } from './print.ts'
import type { Live } from './site.ts'
import { stubSteps } from './stubs.ts'
import { type Cell, Dict, List, type Value } from './value.ts'

/** What is known of a node, and expressions where it is not. */
export function partialValue(node: Live): Value {
  const settled = node.settle()
  if (settled.kind === 'cell') return settled.value
  if (settled.kind === 'gone') return null
  const { trouble } = node
  if (trouble?.expr !== undefined)
    return `(( ${printExpr(trouble.expr, { path: node.path(), stubPath: stubSteps(node.site.view.path) })} ))`
  const below = new Map(node.below().map((one) => [one.step, one.node]))
  const { value } = node.raw
  if (value instanceof Dict) return partialMap(value, below)
  return value instanceof List ? partialList(value, node) : value
}

function partialMap(value: Dict, below: ReadonlyMap<string | undefined, Live>): Dict {
  const cells = new Map<string, Cell>()
  for (const key of new Set([...value.keys, ...below.keys()])) {
    if (key === undefined) continue
    const node = below.get(key)
    const raw = value.get(key)
    if (node === undefined) {
      if (raw !== undefined) cells.set(key, raw)
    } else if (node.settle().kind !== 'gone') cells.set(key, { ...node.raw, value: partialValue(node) })
  }
  return new Dict(cells)
}

function partialList(value: List, node: Live): List {
  const below = node.below()
  if (below.length === 0) return value
  return new List(
    below.flatMap((one) =>
      one.node.settle().kind === 'gone' ? [] : [{ ...one.node.raw, value: partialValue(one.node) }],
    ),
  )
}
