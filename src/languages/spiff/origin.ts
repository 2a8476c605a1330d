/** Where values came from, kept while evaluating when the run asks for it. */
import type { Info } from './env.ts'
import { printExpr } from './print.ts'
import type { Host } from './site.ts'
import { stubSteps } from './stubs.ts'
import type { Expr } from './tree.ts'
import { type Cell, Dict, List, type Origin } from './value.ts'

/** Data of the document itself. */
export function literalOrigin(cell: Cell, node: Host): Cell {
  if (!node.site.level.run.trace || cell.origin !== undefined) return cell
  const origin: Origin = { source: cell.source, path: node.path(), how: 'literal' }
  return { ...cell, origin }
}

/** A stub's cell in place of what the document says. */
export function stubOrigin(stub: Cell, node: Host): Origin {
  return {
    source: stub.source,
    path: stubSteps(node.view.path),
    how: 'stub',
    from: stub.origin,
    instead: describeRaw(node.raw),
  }
}

/** The result of an expression; for a merge also where the stub had it from. */
export function computedOrigin(expr: Expr, info: Info, node: Host): Origin {
  const path = node.path()
  const stubPath = stubSteps(node.view.path)
  const merged = info.merged && info.source !== '' ? node.findStub(info.redirect ?? stubPath) : undefined
  return {
    source: node.raw.source,
    path,
    how: 'expression',
    expression: printExpr(expr, { path, stubPath }),
    from: merged?.origin,
  }
}

/** A raw cell in a word, for what was replaced. */
export function describeRaw({ value }: Cell): string {
  if (typeof value === 'string') return value
  return value instanceof Dict || value instanceof List ? value.kind : String(value)
}
