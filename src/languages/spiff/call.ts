/** Calls: a single plain name is always a builtin, everything else must be a lambda. */
import { type Env, isLambda } from './env.ts'
import { intrinsics } from './intrinsics.ts'
import { failure, Waiting } from './issue.ts'
import { applyLambda } from './lambda.ts'
import { printExpr } from './print.ts'
import type { Expr } from './tree.ts'
import { extentOfCode, type Lambda, List, type Value } from './value.ts'

type CallExpr = Extract<Expr, { kind: 'call' }>

/** Evaluates a call. */
export function callExpression(expr: CallExpr, env: Env): Value {
  const name = builtinName(expr.fn)
  if (name === undefined) return callValue(expr, env)
  const intrinsic = intrinsics.get(name)
  if (intrinsic !== undefined) {
    if (expr.curry) return failure(`no currying for intrinsic builtin function (${name})`)
    return intrinsic({ name, args: [], exprs: expr.args, env })
  }
  const { named, positional } = evaluateArguments(expr.args, env)
  if (named.size > 0) return failure(`no named arguments for builtin function (${name})`)
  if (expr.curry) return curriedBuiltin(name, positional, env)
  const fn = env.run.functions.get(name)
  if (fn === undefined) return failure(`unknown function '${name}'`)
  env.run.budget.given(positional)
  const value = contained(name, () => fn({ name, args: positional, exprs: expr.args, env }))
  env.run.budget.made(value)
  return value
}

/** Whatever a function throws that is not of this library is the failure of its call. */
function contained(name: string, call: () => Value): Value {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error
    return failure(`${name}: ${error.message}`)
  }
}

function builtinName(fn: Expr): string | undefined {
  const [name = '', ...rest] = fn.kind === 'ref' && fn.tag === '' ? fn.steps : ['']
  return name === '' || name === '_' || rest.length > 0 ? undefined : name
}

function callValue(expr: CallExpr, env: Env): Value {
  const args = orWaiting(() => evaluateArguments(expr.args, env))
  const fn = orWaiting(() => env.run.evaluate(expr.fn, env))
  if (args instanceof Waiting && (fn instanceof Waiting || isLambda(fn))) throw args
  if (fn instanceof Waiting) throw fn
  if (args instanceof Waiting || !isLambda(fn)) {
    env.run.budget.pass(extentOfCode(expr.fn))
    return failure(`function call '${printExpr(expr.fn)}' requires function name or lambda value`)
  }
  return applyLambda(fn, { ...args, curry: expr.curry, autoCurry: true }, env)
}

/** What waits is handed back, so that what fails beside it is told first. */
function orWaiting<T>(run: () => T): T | Waiting {
  try {
    return run()
  } catch (error) {
    if (error instanceof Waiting) return error
    throw error
  }
}

function evaluateArguments(
  exprs: readonly Expr[],
  env: Env,
): { named: ReadonlyMap<string, Value>; positional: readonly Value[] } {
  const named = new Map<string, Value>()
  const positional: Value[] = []
  for (const arg of exprs) {
    const value = env.run.evaluate(arg, env)
    if (arg.kind === 'named') named.set(arg.name, value)
    else if (arg.kind !== 'spread') positional.push(value)
    else if (value instanceof List) for (const cell of value.cells) positional.push(cell.value)
    else return failure('argument expansion required list argument')
  }
  env.run.budget.make(positional.length)
  return { named, positional }
}

/** `join*(",")`: a lambda with one variadic parameter. */
function curriedBuiltin(name: string, values: readonly Value[], env: Env): Lambda {
  const rest: Expr = { kind: 'spread', a: { kind: 'ref', tag: '', steps: ['__args'] } }
  const args: readonly Expr[] = [...values.map((value): Expr => ({ kind: 'held', value })), rest]
  return {
    kind: 'lambda',
    params: [{ name: '__args', preset: undefined }],
    variadic: true,
    body: { kind: 'call', fn: { kind: 'ref', tag: '', steps: [name] }, args, curry: false },
    locals: new Map(),
    home: env.scope,
    mergePath: env.stand.stubPath(),
  }
}
