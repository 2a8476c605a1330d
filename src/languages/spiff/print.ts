/** Expressions as text, in the canonical form that messages and printed lambdas use. */
import { never } from '../../kit/assert.ts'
import { floatText, goQuote } from './go-text.ts'
import type { Assign, Expr, Merge, Param } from './tree.ts'
import { Dict, List, type Value } from './value.ts'

/** Where an expression stands; a plain `merge` under a redirection prints its target. */
export interface Standpoint {
  readonly path: readonly string[]
  readonly stubPath: readonly string[]
}

const nowhere: Standpoint = { path: [], stubPath: [] }

/** Prints an expression. */
export function printExpr(expr: Expr, at: Standpoint = nowhere): string {
  const p = (e: Expr): string => printExpr(e, at)
  switch (expr.kind) {
    case 'value':
      return printLiteral(expr.value)
    case 'held':
      return printValue(expr.value as Value)
    case 'undefined':
      return '~~'
    case 'ref':
      return `${expr.tag === '' ? '' : `${expr.tag}::`}${printSteps(expr.steps)}`
    case 'binary':
      return printRow(expr, p)
    case 'cond':
      return `${p(expr.test)} ? ${p(expr.yes)} : ${p(expr.no)}`
    case 'not':
      return `!(${p(expr.a)})`
    case 'group':
      return `( ${p(expr.a)} )`
    case 'subst':
      return `*(${p(expr.a)})`
    case 'prefer':
      return `prefer ${p(expr.a)}`
    case 'spread':
      return `${p(expr.a)}...`
    case 'lambdaref':
      return `lambda ${p(expr.a)}`
    case 'list':
      return `[${expr.items.map(p).join(', ')}]`
    case 'map':
      return expr.entries.length === 0 ? '{ }' : `{ ${printAssigns(expr.entries, p)} }`
    case 'scope':
      return `(${printAssigns(expr.entries, p)} ) ${p(expr.body)}`
    case 'named':
      return `${expr.name}=${p(expr.a)}`
    case 'lambda':
      return `lambda${printLambda(expr, at)}`
    default:
      return printLong(expr, at)
  }
}

/** A row of operators, which leans to the left, without deep recursion. */
function printRow(expr: Extract<Expr, { kind: 'binary' }>, p: (e: Expr) => string): string {
  const parts: string[] = []
  let at: Expr = expr
  for (; at.kind === 'binary'; at = at.a) parts.push(at.op === 'concat' ? p(at.b) : `${at.op} ${p(at.b)}`)
  return [p(at), ...parts.reverse()].join(' ')
}

type Long = Exclude<
  Expr,
  {
    kind:
      | 'value'
      | 'held'
      | 'undefined'
      | 'ref'
      | 'binary'
      | 'cond'
      | 'not'
      | 'group'
      | 'subst'
      | 'prefer'
      | 'spread'
      | 'lambdaref'
      | 'list'
      | 'map'
      | 'scope'
      | 'named'
      | 'lambda'
  }
>

function printLong(expr: Long, at: Standpoint): string {
  const p = (e: Expr): string => printExpr(e, at)
  const fn = (e: Expr): string => (e.kind === 'lambda' ? printLambda(e, at) : `|${p(e)}`)
  switch (expr.kind) {
    case 'call':
      return `${p(expr.fn)}${expr.curry ? '*' : ''}(${expr.args.map(p).join(', ')})`
    case 'mapping': {
      const [word = '', close = ''] = [expr.form.slice(0, -1), expr.form.slice(-1)]
      return `${word}${p(expr.list)}${fn(expr.fn)}${close}`
    }
    case 'sum':
      return `sum[${p(expr.list)}|${p(expr.start)}${fn(expr.fn)}]`
    case 'catch':
      return `catch[${p(expr.a)}${fn(expr.fn)}]`
    case 'sync':
      return `sync(${p(expr.a)})`
    case 'index':
      return `${p(expr.root)}.[${expr.steps.map(p).join(', ')}]`
    case 'qualified':
      return `(${p(expr.root)}).${expr.steps.join('.')}`
    case 'slice':
      return `${p(expr.root)}.[${p(expr.range)}]`
    case 'range':
      return `[${bound(expr.from, p)}..${bound(expr.to, p)}]`
    case 'projection':
      return `${p(expr.root)}.[*] ${p(expr.rest)}`
    case 'projected':
      return ''
    case 'merge':
      return printMerge(expr.merge, at)
    case 'auto':
      return 'auto'
    case 'marker':
      return expr.marks.join(' ') + (expr.a === undefined ? '' : ` (${expr.source})`)
    default:
      return never(expr)
  }
}

function printLiteral(value: string | number | bigint | boolean | null): string {
  if (value === null) return 'nil'
  if (typeof value === 'string') return goQuote(value)
  return typeof value === 'number' ? floatText(value) : String(value)
}

/** A value as an expression. */
export function printValue(value: Value): string {
  if (value instanceof List) return `[${value.cells.map((cell) => printValue(cell.value)).join(', ')}]`
  if (value instanceof Dict) {
    const entries = value.keys.map((key) => `${goQuote(key)} = ${printValue(value.get(key)?.value ?? null)}`)
    return entries.length === 0 ? '{ }' : `{ ${entries.join(', ')} }`
  }
  if (value === null || typeof value !== 'object') return printLiteral(value)
  return value.kind === 'lambda' ? `lambda${printLambda(value)}` : `template ${value.path}`
}

function printSteps(steps: readonly string[]): string {
  return steps.length === 1 && steps[0] === '' ? '.' : steps.join('.')
}

function printAssigns(entries: readonly Assign[], p: (e: Expr) => string): string {
  return entries.map(({ key, value }) => `${p(key)} = ${p(value)}`).join(', ')
}

/** The parameters and body of a lambda, without the word. */
export function printLambda(
  lambda: { readonly params: readonly Param[]; readonly variadic: boolean; readonly body: Expr },
  at: Standpoint = nowhere,
): string {
  const params = lambda.params.map(({ name, preset }, i) => {
    const value = preset === undefined ? '' : `=${printExpr(preset, at)}`
    return `${name}${value}${lambda.variadic && i === lambda.params.length - 1 ? '...' : ''}`
  })
  return `|${params.join(',')}|->${printExpr(lambda.body, at)}`
}

function bound(expr: Expr | undefined, p: (e: Expr) => string): string {
  // The original prints a missing bound through a failing verb; messages are compared with it.
  return expr === undefined ? '%!s(<nil>)' : p(expr)
}

function printMerge(merge: Merge, at: Standpoint): string {
  const target = merge.path ?? (at.path.join('.') === at.stubPath.join('.') ? undefined : at.stubPath)
  const option = `${merge.replace ? ' replace' : ''}${merge.on === '' ? '' : ` on ${merge.on}`}`
  if (target !== undefined) return `merge${option} ${target.join('.')}`
  return merge.required && option !== '' ? 'merge required' : `merge${option}`
}
