/** The syntax tree of an expression: one union told apart by `kind`; places are offsets into the expression's text. */

/** Where an expression begins is known for what was parsed. */
export type Expr = Form & { readonly at?: number }

export type Form =
  | { readonly kind: 'value'; readonly value: string | number | bigint | boolean | null }
  /** A value put in place of an expression: evaluated defaults, arguments of a curried builtin. */
  | { readonly kind: 'held'; readonly value: unknown }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'ref'; readonly tag: string; readonly steps: readonly string[] }
  | { readonly kind: 'binary'; readonly op: BinaryOp; readonly a: Expr; readonly b: Expr }
  | { readonly kind: 'cond'; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
  | { readonly kind: 'not' | 'group' | 'subst' | 'prefer' | 'spread' | 'lambdaref'; readonly a: Expr }
  | { readonly kind: 'list'; readonly items: readonly Expr[] }
  | { readonly kind: 'map'; readonly entries: readonly Assign[] }
  | { readonly kind: 'scope'; readonly entries: readonly Assign[]; readonly body: Expr }
  | { readonly kind: 'call'; readonly fn: Expr; readonly args: readonly Expr[]; readonly curry: boolean }
  | { readonly kind: 'named'; readonly name: string; readonly a: Expr }
  | {
      readonly kind: 'lambda'
      readonly params: readonly Param[]
      readonly variadic: boolean
      readonly body: Expr
    }
  | { readonly kind: 'mapping'; readonly form: MappingForm; readonly list: Expr; readonly fn: Expr }
  | { readonly kind: 'sum'; readonly list: Expr; readonly start: Expr; readonly fn: Expr }
  | { readonly kind: 'catch'; readonly a: Expr; readonly fn: Expr }
  | {
      readonly kind: 'sync'
      readonly a: Expr
      readonly until: Expr
      readonly value: Expr | undefined
      readonly timeout: Expr | undefined
    }
  | { readonly kind: 'index'; readonly root: Expr; readonly steps: readonly Expr[] }
  | { readonly kind: 'qualified'; readonly root: Expr; readonly steps: readonly string[] }
  | { readonly kind: 'slice'; readonly root: Expr; readonly range: Expr }
  | { readonly kind: 'range'; readonly from: Expr | undefined; readonly to: Expr | undefined }
  | { readonly kind: 'projection'; readonly root: Expr; readonly rest: Expr }
  | { readonly kind: 'projected' }
  | { readonly kind: 'merge'; readonly merge: Merge }
  | { readonly kind: 'auto' }
  | {
      readonly kind: 'marker'
      readonly marks: readonly string[]
      readonly a: Expr | undefined
      readonly source: string
    }

export type BinaryOp =
  | 'concat'
  | '||'
  | '//'
  | '-or'
  | '-and'
  | '=='
  | '!='
  | '<='
  | '>='
  | '<'
  | '>'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'

export type MappingForm = 'map[]' | 'map{}' | 'select[]' | 'select{}' | 'filter[]' | 'filter{}'

export interface Assign {
  readonly key: Expr
  readonly value: Expr
}

export interface Param {
  readonly name: string
  readonly preset: Expr | undefined
}

export interface Merge {
  /** Where to look; absent for the place itself. */
  readonly path: readonly string[] | undefined
  readonly replace: boolean
  readonly required: boolean
  readonly none: boolean
  readonly on: string
}

/** Builtins whose result may be undefined although no argument is. */
const vanishing = new Set(['optional', 'eval', 'parse', 'read', 'read_uncached', 'sync'])
/** Builtins that answer even for what is undefined. */
const steady = new Set(['defined', 'valid', 'catch', 'type', 'require', 'stub'])

/** Whether an expression may turn out to be undefined, which removes its place. */
export function canVanish(expr: Expr): boolean {
  switch (expr.kind) {
    case 'value':
    case 'ref':
    case 'lambda':
    case 'range':
    case 'auto':
    case 'map':
    case 'merge':
      return false
    case 'list':
      return expr.items.some(canVanish)
    case 'binary':
      return expr.op === '||' || expr.op === '//' ? canVanish(expr.b) : canVanish(expr.a) || canVanish(expr.b)
    case 'cond':
      return canVanish(expr.test) || canVanish(expr.yes) || canVanish(expr.no)
    case 'group':
    case 'not':
    case 'prefer':
    case 'spread':
      return canVanish(expr.a)
    case 'mapping':
      return canVanish(expr.list)
    case 'index':
    case 'qualified':
    case 'slice':
    case 'projection':
      return canVanish(expr.root)
    case 'call':
      return callCanVanish(expr)
    default:
      return true
  }
}

function callCanVanish({ fn, args }: Extract<Expr, { kind: 'call' }>): boolean {
  const name = fn.kind === 'ref' && fn.steps.length === 1 ? (fn.steps[0] ?? '') : ''
  if (name === '' || name === '_' || vanishing.has(name)) return true
  return !steady.has(name) && args.some(canVanish)
}

const extents = new WeakMap<Expr, number>()

/** About how many characters an expression has when it is printed; what it holds as values is counted by those. */
export function extentOfExpr(expr: Expr, held: (value: unknown) => number): number {
  const known = extents.get(expr)
  if (known !== undefined) return known
  let extent = 0
  const open: unknown[] = [expr]
  // Rows of operators lean to the left as deep as they are long.
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') extent += next.length + 2
    else if (typeof next !== 'object' || next === null) extent++
    else if ('kind' in next && next.kind === 'held' && 'value' in next) extent += held(next.value)
    else for (const part of Object.values(next)) open.push(part)
  }
  extents.set(expr, extent)
  return extent
}
