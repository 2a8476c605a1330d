/** A document in which something is unresolved, with the expressions that are left as text. */
import { drive } from './drive.ts'
import { exprOf } from './parse-text.ts'
import { inDocument, printExpr, printLambda } from './print.ts'
import type { Live } from './site.ts'
import { stubSteps } from './stubs.ts'
import { type Cell, Dict, List, type Value } from './value.ts'

/** What is known of a node, and expressions where it is not. */
export function partialCell(node: Live): Cell | undefined {
  const settled = drive(node)
  if (settled.kind === 'cell') return settled
  if (settled.kind === 'gone') return undefined
  const { raw, outcome, open } = node
  if (typeof open?.value === 'string') return open
  const parts = node.parts()
  const [moved] = node.below()
  if (parts === undefined && moved !== undefined && moved.step === undefined) return partialCell(moved.node)
  if (parts === undefined)
    return { ...raw, flags: raw.flags | outcome.flags, value: leftOver(raw.value, node) }
  const cells = parts.flatMap(({ step, at }): readonly (readonly [string, Cell])[] => {
    const cell = at.kind === 'spot' ? partialCell(at) : at
    return cell === undefined ? [] : [[step, cell]]
  })
  const value = node.isList ? new List(cells.map(([, cell]) => cell)) : new Dict(new Map(cells))
  return { ...raw, flags: raw.flags | node.flags, value }
}

/** What was evaluated in vain is printed anew; what was not reached stays as it was written. */
function leftOver(value: Value, node: Live): Value {
  if (typeof value === 'string') return printed(value, node)
  const insert = node.below().find(({ step }) => step?.endsWith('<<'))
  const left = (at: string, key: string, cell: Cell): Cell =>
    insert?.step === `${at}${key}` && typeof cell.value === 'string'
      ? { ...cell, value: printed(cell.value, insert.node) }
      : cell
  const fields = (dict: Dict, at: string): Dict =>
    new Dict(new Map([...dict.cells].map(([key, cell]) => [key, left(at, key, cell)])))
  if (value instanceof Dict) return fields(value, '')
  if (!(value instanceof List)) return value
  return new List(
    value.cells.map((cell, i) =>
      cell.value instanceof Dict ? { ...cell, value: fields(cell.value, `[${i}].`) } : cell,
    ),
  )
}

function printed(text: string, node: Live): string {
  const expr = exprOf(node.site.level.run, text)
  if (expr === undefined) return text
  const at = { path: node.path(), stubPath: stubSteps(node.site.view.path), readable: true }
  return `(( ${printExpr(expr, at)} ))`
}

/** The same with lambdas as text that is read as lambdas again. */
export function readable(value: Value): Value {
  const inside = (cell: Cell): Cell => ({ ...cell, value: readable(cell.value) })
  if (value instanceof List) return new List(value.cells.map(inside))
  if (value instanceof Dict)
    return new Dict(new Map([...value.cells].map(([key, cell]) => [key, inside(cell)])))
  if (value === null || typeof value !== 'object' || value.kind !== 'lambda') return value
  return `(( lambda${printLambda(value, inDocument)} ))`
}
