/** Expressions as text, in the canonical form that messages and printed lambdas use. */
import { never } from '../../kit/assert.ts'
import { floatText, goQuote } from './go-text.ts'
import type { Assign, Expr, Merge, Param } from './tree.ts'
import { type Cell, Dict, List, type Value } from './value.ts'

/** Where an expression stands; a plain `merge` under a redirection prints its target. */
export interface Standpoint {
  readonly path: readonly string[]
  readonly stubPath: readonly string[]
  /** The text is a part of a document: what messages show in the words of the original is written as it is read. */
  readonly readable?: boolean
}

const nowhere: Standpoint = { path: [], stubPath: [] }
/** Of a lambda in a document that is processed again. */
export const inDocument: Standpoint = { ...nowhere, readable: true }

/** Prints an expression. */
export function printExpr(expr: Expr, at: Standpoint = nowhere): string {
  const p = (e: Expr): string => printExpr(e, at)
  switch (expr.kind) {
    case 'value':
      return printLiteral(expr.value, at)
    case 'held':
      return printValue(expr.value as Value, at)
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
      return at.readable ? printSync(expr, p, fn) : `sync(${p(expr.a)})`
    case 'index':
      return `${printRoot(expr.root, at)}.[${expr.steps.map(p).join(', ')}]`
    case 'qualified':
      return `(${p(expr.root)}).${expr.steps.join('.')}`
    case 'slice':
      return at.readable
        ? `${printRoot(expr.root, at)}.${p(expr.range)}`
        : `${p(expr.root)}.[${p(expr.range)}]`
    case 'range':
      return `[${bound(expr.from, at)}..${bound(expr.to, at)}]`
    case 'projection':
      return printProjection(expr, at)
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

function printLiteral(value: string | number | bigint | boolean | null, { readable }: Standpoint): string {
  if (value === null) return 'nil'
  if (typeof value === 'string') return readable ? stringLiteral(value) : goQuote(value)
  if (typeof value !== 'number') return String(value)
  return readable ? floatLiteral(value) : floatText(value)
}

/** A string as the parser reads it: of JSON's escapes all but that of a backslash before a quote, which it takes for an end. */
function stringLiteral(text: string): string {
  return JSON.stringify(text).replaceAll('\\\\', '\\u005c')
}

/** A float as the parser reads one: with a point or an exponent, which has no plus. */
function floatLiteral(value: number): string {
  const text = String(value).replace('+', '')
  return /^-?[0-9]+$/.test(text) ? `${text}.0` : text
}

/** A value as an expression. */
function printValue(value: Value, at: Standpoint): string {
  const p = (cell: Cell | undefined): string => printValue(cell?.value ?? null, at)
  if (value instanceof List) return `[${value.cells.map(p).join(', ')}]`
  if (value instanceof Dict) {
    const entries = value.keys.map((key) => `${printLiteral(key, at)} = ${p(value.get(key))}`)
    return entries.length === 0 ? '{ }' : `{ ${entries.join(', ')} }`
  }
  if (value === null || typeof value !== 'object') return printLiteral(value, at)
  return value.kind === 'lambda' ? `lambda${printLambda(value, at)}` : `template ${value.path}`
}

/** What is indexed; the document itself has a dot already. */
function printRoot(root: Expr, at: Standpoint): string {
  return at.readable && root.kind === 'ref' && root.steps.length === 1 && root.steps[0] === ''
    ? printExpr(root, at).slice(0, -1)
    : printExpr(root, at)
}

/** A field behind ` ()` is how the original prints a projection; other forms of it say something else when they are read. */
function printProjection({ root, rest }: Extract<Expr, { kind: 'projection' }>, at: Standpoint): string {
  const [all, each] = [printRoot(root, at), printExpr(rest, at)]
  if (!at.readable) return `${all}.[*] ${each}`
  const from = root.kind === 'slice' ? all : `${all}.[*]`
  return each.startsWith('()') ? `${from} ${each}` : `${from}${each}`
}

function printSync(
  { a, until, value, timeout }: Extract<Expr, { kind: 'sync' }>,
  p: (e: Expr) => string,
  fn: (e: Expr) => string,
): string {
  return `sync[${p(a)}${fn(until)}${value ? fn(value) : ''}${timeout ? `|${p(timeout)}` : ''}]`
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

function bound(expr: Expr | undefined, at: Standpoint): string {
  if (expr !== undefined) return printExpr(expr, at)
  // The original prints a missing bound through a failing verb; messages are compared with it.
  return at.readable ? '' : '%!s(<nil>)'
}

function printMerge(merge: Merge, at: Standpoint): string {
  if (at.readable && merge.none) return 'merge none'
  const target = merge.path ?? (at.path.join('.') === at.stubPath.join('.') ? undefined : at.stubPath)
  const option = `${merge.replace ? ' replace' : ''}${merge.on === '' ? '' : ` on ${merge.on}`}`
  // Below a control the target has no path that could be written; what leads there is still in the document.
  if (target !== undefined && !(at.readable && !target.every(isStep)))
    return `merge${option} ${target.join('.')}`
  return merge.required && option !== '' ? 'merge required' : `merge${option}`
}

function isStep(step: string): boolean {
  return /^(?:|\[-?[0-9]+\]|[\w][\w-]*(?::[\w][\w-]*)?)$/.test(step)
}
