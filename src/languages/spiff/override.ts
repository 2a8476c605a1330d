/** What stubs and markers make of a place: replacing it, instantiating dynamic templates, evaluating its expression once. */
import { type Info, isTemplate, newInfo } from './env.ts'
import { readMarks } from './evaluate.ts'
import { hasRawBytes } from './go-text.ts'
import { Failure, issueOf } from './issue.ts'
import { stubOrigin } from './origin.ts'
import { printExpr } from './print.ts'
import type { Host } from './site.ts'
import { stubHere } from './stubs.ts'
import type { Expr } from './tree.ts'
import {
  addsItself,
  type Cell,
  flag,
  onlyDefault,
  overriddenFlags,
  type Template,
  type Value,
} from './value.ts'

/** The stub's cell in place of a node. */
export function replacement(host: Host, flags: number, key: string): Cell | undefined {
  const stub = stubHere(host.view)
  if (stub === undefined || onlyDefault(stub.flags)) return undefined
  const cell = instantiated(host, stub)
  const merged = { ...cell, flags: cell.flags | overriddenFlags(flags), key: key || cell.key }
  return host.site.level.run.trace ? { ...merged, origin: stubOrigin(stub, host) } : merged
}

/** What a stub adds where nothing is. */
export function addedByStub(host: Host): Cell | undefined {
  const stub = stubHere(host.view)
  return stub !== undefined && addsItself(stub.flags) ? instantiated(host, stub) : undefined
}

/** A dynamic template becomes a value of this document, temporary or state as what it merges; it stays dynamic for the next. */
export function instantiated(host: Host, stub: Cell): Cell {
  const value = stub.dynamic ?? stub.value
  if ((stub.flags & flag.dynamic) === 0 || !isTemplate(value)) return stub
  const message = () => `resolution of template '${value.path}' failed`
  const { run } = host.site.level
  const { cell } = run.fragment(value.prepared, host.env(newInfo()), { message, self: value })
  const flags = stub.flags | (cell.flags & (flag.temporary | flag.state))
  return { ...stub, flags, value: cell.value, dynamic: value }
}

/** A template that is defined at a node. */
export function templateOf(host: Host, prepared: Cell, original: Cell): Template {
  return {
    kind: 'template',
    prepared: { ...prepared, flags: 0 },
    original,
    home: host.site.scope,
    path: host.path().join('.'),
  }
}

/** The value of a node's expression, or the template that it declares. */
export function evaluateNode(host: Host, expr: Expr, info: Info): Value {
  const declares = expr.kind === 'marker' && expr.marks.includes('&template')
  if (expr.kind === 'marker' && expr.a === undefined && !declares && expr.marks.includes('&dynamic'))
    throw new Failure(issueOf('dynamic marker for non-template value node'))
  if (expr.kind === 'marker' && declares) {
    const { flags, tag } = readMarks(expr.marks)
    info.flags |= flags
    if (expr.a === undefined) throw new Failure(issueOf('empty template value'))
    info.tag = tag
    const original = { ...host.raw, value: `(( ${printExpr(expr)} ))` }
    return templateOf(host, { ...host.raw, value: `((${expr.source}))` }, original)
  }
  const { run } = host.site.level
  const value = run.evaluate(expr, host.env(info))
  // It is looked through for expressions.
  if (typeof value === 'string') {
    run.budget.pass(value.length)
    run.budget.look(value.length)
  }
  if (typeof value === 'string' && hasRawBytes(value))
    throw new Failure(issueOf('value holds bytes that are no UTF-8 text; keep it as base64'))
  return value
}
