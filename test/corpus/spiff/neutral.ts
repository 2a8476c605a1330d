/** Syntax trees in the neutral form of the spiff corpus. */
import type { Assign, Expr } from '../../../src/languages/spiff/tree.ts'

/** The tree of an expression that stands at a path. */
export function neutral(expr: Expr, path: readonly string[]): unknown {
  const n = (e: Expr | undefined): unknown => (e === undefined ? null : neutral(e, path))
  const pairs = (entries: readonly Assign[]): unknown[] => entries.map(({ key, value }) => [n(key), n(value)])
  switch (expr.kind) {
    case 'value':
      return literal(expr.value)
    case 'undefined':
      return ['undefined']
    case 'ref':
      return ['ref', expr.tag, expr.steps]
    case 'binary':
      return [expr.op, n(expr.a), n(expr.b)]
    case 'cond':
      return ['?:', n(expr.test), n(expr.yes), n(expr.no)]
    case 'not':
      return ['!', n(expr.a)]
    case 'group':
    case 'subst':
    case 'prefer':
    case 'lambdaref':
      return [expr.kind, n(expr.a)]
    case 'spread':
      return ['...', n(expr.a)]
    case 'list':
      return ['list', ...expr.items.map(n)]
    case 'map':
      return ['map', ...pairs(expr.entries)]
    case 'scope':
      return ['scope', pairs(expr.entries), n(expr.body)]
    case 'call':
      return ['call', n(expr.fn), expr.args.map(n), expr.curry]
    case 'named':
      return ['named', expr.name, n(expr.a)]
    case 'lambda':
      return ['lambda', expr.params.map((p) => [p.name, n(p.preset)]), expr.variadic, n(expr.body)]
    case 'mapping':
      return ['mapping', expr.form, n(expr.list), n(expr.fn)]
    case 'sum':
      return ['sum', n(expr.list), n(expr.start), n(expr.fn)]
    case 'catch':
      return ['catch', n(expr.a), n(expr.fn)]
    case 'sync':
      return ['sync', n(expr.a), n(expr.until), expr.value ? n(expr.value) : ['default'], expr.timeout ? n(expr.timeout) : ['default']]
    case 'index':
      return ['index', n(expr.root), ['list', ...expr.steps.map(n)]]
    case 'qualified':
      return ['qualified', n(expr.root), expr.steps]
    case 'slice':
      return ['slice', n(expr.root), n(expr.range)]
    case 'range':
      return ['range', n(expr.from), n(expr.to)]
    case 'projection':
      return ['projection', n(expr.root), n(expr.rest)]
    case 'projected':
      return ['projected']
    case 'merge': {
      const { path: target, ...rest } = expr.merge
      return ['merge', { ...rest, path: target ?? path, redirect: target !== undefined }]
    }
    case 'auto':
      return ['auto', path]
    case 'marker':
      return ['marker', expr.marks, n(expr.a)]
    case 'held':
      return ['held']
  }
}

function literal(value: string | number | bigint | boolean | null): unknown {
  if (value === null) return ['nil']
  if (typeof value === 'string') return ['string', value]
  if (typeof value === 'boolean') return ['bool', value]
  return typeof value === 'bigint' ? ['int', Number(value)] : ['float', value]
}
