/** Functions that look at their arguments before they are values: defined, valid, require, optional, stub, catch, sync. */
import { type Call, type Env, keptCell, type SpiffFunction, withLocals } from './env.ts'
import { Failure, failure, Waiting } from './issue.ts'
import { syncRounds, tryEvaluate } from './mapping.ts'
import { stubFunction } from './merge.ts'
import { printExpr } from './print.ts'
import type { Expr } from './tree.ts'
import { cellOf, dictOf, extentOfCode, isTrue, type Value } from './value.ts'

/** The table of intrinsics. */
export const intrinsics: ReadonlyMap<string, SpiffFunction> = new Map<string, SpiffFunction>([
  ['defined', ({ exprs, env }) => exprs.every((expr) => probe(expr, env) !== undefined)],
  ['valid', ({ exprs, env }) => exprs.every((expr) => (probe(expr, env) ?? { value: null }).value !== null)],
  ['require', requireFunction],
  ['optional', optionalFunction],
  ['stub', stubFunction],
  ['catch', catchFunction],
  ['sync', syncFunction],
])

/** The value if it evaluates and is not undefined; what waits waits, without saying for what. */
function probe(expr: Expr, env: Env): { value: Value } | undefined {
  const before = env.info.undefined
  env.info.undefined = false
  try {
    const value = env.run.evaluate(expr, env)
    return env.info.undefined ? undefined : { value }
  } catch (error) {
    if (error instanceof Waiting) throw new Waiting('', false)
    if (error instanceof Failure) return undefined
    throw error
  } finally {
    env.info.undefined = before
  }
}

function requireFunction({ exprs, env }: Call): Value {
  const [expr] = exprs
  if (expr === undefined || exprs.length !== 1) return failure("one argument expected for 'require'")
  const found = probe(expr, env)
  if (found === undefined || found.value === null) {
    env.run.budget.pass(extentOfCode(expr))
    return failure(`required expression "${printExpr(expr)}" undefined`)
  }
  return found.value
}

function optionalFunction({ exprs, env }: Call): Value {
  const [condition, value] = exprs
  if (condition === undefined || value === undefined || exprs.length !== 2)
    return failure('condition and template required for optional()')
  const found = probe(condition, env)
  if (found !== undefined && isTrue(found.value)) return env.run.evaluate(value, env)
  env.info.undefined = true
  return null
}

function catchFunction({ exprs, env }: Call): Value {
  const [expr] = exprs
  if (expr === undefined || exprs.length !== 1) return failure('catch requires a single argument')
  const { value, error } = tryEvaluate(expr, env)
  const entries: (readonly [string, Value])[] = [
    ['error', error ?? ''],
    ['valid', error === undefined],
  ]
  if (error === undefined) entries.push(['value', keptCell(value, env).value])
  return dictOf(entries, env.stand.made)
}

/** `sync(e, condition[, value[, timeout]])`: condition and value see `value`, `valid` and `error`. */
function syncFunction({ exprs, env }: Call): Value {
  const [expr, condition, value, timeout] = exprs
  if (expr === undefined || condition === undefined || exprs.length > 4)
    return failure('2 or 3 arguments required for sync')
  const seconds = timeout ? env.run.evaluate(timeout, env) : 300n
  if (typeof seconds !== 'bigint') return failure('sync timeout must be an integer')
  const inside = (tried: { value: Value; error: string | undefined }): Env =>
    withLocals(
      env,
      new Map([
        ['value', cellOf(tried.value, env.stand.made)],
        ['valid', cellOf(tried.error === undefined, env.stand.made)],
        ['error', cellOf(tried.error ?? null, env.stand.made)],
      ]),
    )
  return syncRounds(() => tryEvaluate(expr, env), env, {
    done: (tried) => {
      const result = env.run.evaluate(condition, inside(tried))
      return typeof result === 'boolean' ? result : failure('condition must evaluate to bool')
    },
    result: (tried) => {
      if (value !== undefined) return env.run.evaluate(value, inside(tried))
      return tried.error === undefined ? tried.value : failure(tried.error)
    },
    seconds: Number(seconds),
  })
}
