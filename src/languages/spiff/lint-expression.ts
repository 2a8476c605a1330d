/** Names in one expression: references that lead nowhere, functions that do not exist. */
import { nearest } from '../../kit/text.ts'
import type { Expr } from './tree.ts'

export interface Names {
  known(name: string): boolean
  knownAtRoot(name: string): boolean
  candidates(): readonly string[]
  isFunction(name: string): boolean
  functions(): readonly string[]
  judge(name: string, args: readonly Expr[]): string | undefined
  mention(name: string): void
  tag(tag: string): void
  report(severity: 'error' | 'warning', message: string): void
}

/** What surrounds a part of an expression. */
interface Inside {
  readonly locals: ReadonlySet<string>
  /** A failure here is expected: the left of `||`, the argument of `defined`. */
  readonly guarded: boolean
  /** In a lambda names may be the caller's. */
  readonly lambda: boolean
}

/** Reports what is doubtful. */
export function lintExpression(expr: Expr, names: Names): void {
  visit(expr, names, { locals: new Set(), guarded: false, lambda: false })
}

const guarding = new Set(['defined', 'valid', 'catch', 'optional', 'require', 'stub'])

function visit(expr: Expr, names: Names, inside: Inside): void {
  switch (expr.kind) {
    case 'ref':
      visitReference(expr, names, inside)
      return
    case 'value':
      if (typeof expr.value === 'string') names.mention(expr.value)
      return
    case 'binary': {
      const fallback = expr.op === '||' || expr.op === '//'
      visit(expr.a, names, fallback ? { ...inside, guarded: true } : inside)
      visit(expr.b, names, inside)
      return
    }
    case 'call':
      visitCall(expr, names, inside)
      return
    case 'lambda': {
      const locals = new Set([...inside.locals, ...expr.params.map(({ name }) => name)])
      for (const { preset } of expr.params) if (preset) visit(preset, names, inside)
      visit(expr.body, names, { ...inside, locals, lambda: true })
      return
    }
    case 'scope':
      visitScope(expr, names, inside)
      return
    case 'catch':
      visit(expr.a, names, { ...inside, guarded: true })
      visit(expr.fn, names, inside)
      return
    case 'merge':
      for (const step of expr.merge.path ?? []) names.mention(step)
      return
    case 'qualified':
      for (const step of expr.steps) names.mention(step)
      visit(expr.root, names, inside)
      return
    default:
      for (const part of parts(expr)) visit(part, names, inside)
  }
}

type Rest = Exclude<
  Expr,
  { kind: 'ref' | 'value' | 'binary' | 'call' | 'lambda' | 'scope' | 'catch' | 'merge' | 'qualified' }
>

function parts(expr: Rest): readonly Expr[] {
  switch (expr.kind) {
    case 'cond':
      return [expr.test, expr.yes, expr.no]
    case 'list':
      return expr.items
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value])
    case 'mapping':
      return [expr.list, expr.fn]
    case 'sum':
      return [expr.list, expr.start, expr.fn]
    case 'sync':
      return [expr.a, expr.until, expr.value, expr.timeout].filter((part) => part !== undefined)
    case 'index':
      return [expr.root, ...expr.steps]
    case 'slice':
      return [expr.root, expr.range]
    case 'range':
      return [expr.from, expr.to].filter((part) => part !== undefined)
    case 'projection':
      return [expr.root, expr.rest]
    case 'held':
    case 'undefined':
    case 'projected':
    case 'auto':
      return []
    default:
      return expr.a === undefined ? [] : [expr.a]
  }
}

function visitReference(expr: Extract<Expr, { kind: 'ref' }>, names: Names, inside: Inside): void {
  for (const step of expr.steps) names.mention(step)
  if (expr.tag !== '') {
    names.tag(expr.tag)
    return
  }
  const [first = '', second] = expr.steps
  if (first === '') {
    if (
      second !== undefined &&
      !second.startsWith('[') &&
      second !== '__map' &&
      !inside.guarded &&
      !names.knownAtRoot(second)
    )
      names.report('warning', `'.${second}' is not a field of this document`)
    return
  }
  // What a lambda does not know may be known where it is called.
  if (inside.locals.has(first) || inside.guarded || inside.lambda || names.known(first)) return
  const meant = nearest(first, [...names.candidates(), ...inside.locals])
  names.report(
    'warning',
    `'${first}' is not defined here${meant === undefined ? '' : `; did you mean '${meant}'?`}`,
  )
}

function visitCall(expr: Extract<Expr, { kind: 'call' }>, names: Names, inside: Inside): void {
  const { fn } = expr
  const name = fn.kind === 'ref' && fn.tag === '' && fn.steps.length === 1 ? (fn.steps[0] ?? '') : ''
  if (name === '' || name === '_') visit(fn, names, inside)
  else if (!names.isFunction(name)) {
    const meant = nearest(name, names.functions())
    const called = inside.locals.has(name) || names.known(name)
    const hint = called ? `; call a lambda as .${name}(…) or (${name})(…)` : didYouMean(meant)
    names.report('error', `unknown function '${name}'${hint}`)
  } else {
    const verdict = names.judge(name, expr.args)
    if (verdict !== undefined) names.report('error', verdict)
  }
  const guarded = inside.guarded || guarding.has(name)
  const locals = name === 'sync' ? new Set([...inside.locals, 'value', 'valid', 'error']) : inside.locals
  for (const arg of expr.args) visit(arg, names, { ...inside, guarded, locals })
}

function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : `; did you mean ${name}()?`
}

function visitScope(expr: Extract<Expr, { kind: 'scope' }>, names: Names, inside: Inside): void {
  const locals = new Set(inside.locals)
  let computed = false
  for (const { key, value } of expr.entries) {
    if (key.kind === 'value' && typeof key.value === 'string') locals.add(key.value)
    else computed = true
    visit(key, names, inside)
    visit(value, names, inside)
  }
  visit(expr.body, names, { ...inside, locals, lambda: inside.lambda || computed })
}
