/** Forms with a function part: map, select, filter, sum, catch and sync. */
import { type Env, isLambda, keptCell } from './env.ts'
import { Failure, failure } from './issue.ts'
import { callLambda } from './lambda.ts'
import type { Expr } from './tree.ts'
import { type Cell, cellOf, Dict, isTrue, type Lambda, List, typeName, type Value } from './value.ts'

interface Entry {
  readonly index: Value
  readonly cell: Cell
}

/** A lambda, and whether it was written in place. */
interface Fn {
  readonly lambda: Lambda
  readonly inline: boolean
}

function functionPart(expr: Expr, env: Env, message: string): Fn {
  const value = env.run.evaluate(expr, env)
  return isLambda(value) ? { lambda: value, inline: expr.kind === 'lambda' } : failure(message)
}

function entriesOf(value: Value): readonly Entry[] | undefined {
  if (value instanceof List) return value.cells.map((cell, i) => ({ index: BigInt(i), cell }))
  if (value instanceof Dict) return value.keys.map((key) => ({ index: key, cell: value.get(key) as Cell }))
  return undefined
}

/** Calls with the value, or with index or key and value; undefined is told apart. */
function callEntry(fn: Fn, entry: Entry, env: Env): { value: Value; undefined: boolean } {
  const count = fn.lambda.params.length
  const args = count === 1 ? [entry.cell.value] : [entry.index, entry.cell.value]
  const before = env.info.undefined
  env.info.undefined = false
  const { value } = keptCell(callLambda(fn.lambda, args, env, fn.inline), env)
  const gone = env.info.undefined
  env.info.undefined = before
  return { value, undefined: gone }
}

/** Where the function part fails the original says nothing. */
function mappingFunction(expr: Expr, env: Env): Fn {
  const fn = anyFunction(expr, env)
  const count = fn.lambda.params.length
  if (count === 0) return failure('mapping expression requires at least one argument')
  if (count > 2) return failure('mapping expression takes a maximum of 2 arguments')
  return fn
}

function anyFunction(expr: Expr, env: Env): Fn {
  if (expr.kind !== 'ref') return functionPart(expr, env, 'mapping requires a lambda value')
  const { value, error } = tryEvaluate(expr, env)
  if (error !== undefined) return failure('')
  return isLambda(value) ? { lambda: value, inline: false } : failure('mapping requires a lambda value')
}

/** `map[…]`, `map{…}`, `select…`, `filter…` */
export function evaluateMapping(expr: Extract<Expr, { kind: 'mapping' }>, env: Env): Value {
  const source = env.run.evaluate(expr.list, env)
  const fn = mappingFunction(expr.fn, env)
  const { form } = expr
  const entries = supports(form, source) ? entriesOf(source) : undefined
  if (entries === undefined) return failure(`${form} does not support ${typeName(source)} values`)
  env.run.budget.make(entries.length)
  if (form === 'map[]') {
    const results = entries.map((entry) => callEntry(fn, entry, env))
    return new List(
      results.filter((r) => r.value !== null && !r.undefined).map((r) => cellOf(r.value, env.stand.made)),
    )
  }
  if (form === 'map{}') return mappedToMap(source, entries, { fn, env })
  const chosen = entries.filter((entry) => isTrue(callEntry(fn, entry, env).value))
  return form.endsWith('[]')
    ? new List(chosen.map(({ cell }) => cell))
    : new Dict(new Map(chosen.map(({ index, cell }) => [index as string, cell])))
}

function supports(form: string, source: Value): boolean {
  if (form === 'select{}' || form === 'filter{}') return source instanceof Dict
  return form === 'filter[]' ? source instanceof List : true
}

/** Keys stay, or the strings of a list become the keys. */
function mappedToMap(source: Value, entries: readonly Entry[], { fn, env }: { fn: Fn; env: Env }): Dict {
  const cells = new Map<string, Cell>()
  for (const entry of entries) {
    const key = source instanceof List ? entry.cell.value : entry.index
    if (typeof key !== 'string')
      return failure(`list element must be string, but found ${typeName(entry.cell.value)}`)
    env.run.budget.look(key.length)
    const { value, undefined: gone } = callEntry(fn, entry, env)
    if (value !== null && !gone) cells.set(key, cellOf(value, env.stand.made))
  }
  return new Dict(cells)
}

/** `sum[s|start|acc, x|->e]` */
export function evaluateSum(expr: Extract<Expr, { kind: 'sum' }>, env: Env): Value {
  const source = env.run.evaluate(expr.list, env)
  const before = env.info.undefined
  let total = env.run.evaluate(expr.start, env)
  env.info.undefined = before
  const fn = functionPart(expr.fn, env, 'sum requires a lambda value')
  const entries = entriesOf(source)
  if (entries === undefined) return failure('map or list required for sum')
  const count = fn.lambda.params.length
  if (count > 3) return failure('mapping expression take a maximum of 3 arguments')
  if (count < 2) return failure('mapping expression take a minimum of 2 arguments')
  for (const { index, cell } of entries) {
    const args = count === 2 ? [total, cell.value] : [total, index, cell.value]
    total = callLambda(fn.lambda, args, env, fn.inline)
  }
  return total
}

interface Tried {
  readonly value: Value
  readonly error: string | undefined
}

/** Evaluates; failing becomes a message, waiting stays waiting. */
export function tryEvaluate(expr: Expr, env: Env): Tried {
  const before = env.info.undefined
  try {
    const value = env.run.evaluate(expr, env)
    return { value, error: undefined }
  } catch (error) {
    if (error instanceof Failure) return { value: null, error: error.issue.text }
    throw error
  } finally {
    env.info.undefined = before
  }
}

/** `catch[e|value, message|->r]` */
export function evaluateCatch(expr: Extract<Expr, { kind: 'catch' }>, env: Env): Value {
  const { value, error } = tryEvaluate(expr.a, env)
  const fn = functionPart(expr.fn, env, 'catch requires a lambda value')
  const count = fn.lambda.params.length
  if (count > 2) return failure('catch function takes a maximum of 2 arguments')
  if (count === 0) return failure('catch function requires at least one argument')
  return callLambda(fn.lambda, [value, error ?? null].slice(0, count), env, fn.inline)
}

/** `sync[e|condition|value|timeout]`: evaluates again until the condition holds; a budget bounds the rounds. */
export function evaluateSync(expr: Extract<Expr, { kind: 'sync' }>, env: Env): Value {
  const until = functionPart(expr.until, env, 'sync condition must evaluate to a lambda value')
  const seconds = expr.timeout ? env.run.evaluate(expr.timeout, env) : 300n
  if (typeof seconds !== 'bigint') return failure('sync timeout must be an integer')
  return syncRounds(() => tryEvaluate(expr.a, env), env, {
    done: ({ value: v, error }) => {
      const result = callLambda(
        until.lambda,
        [v, error ?? null].slice(0, until.lambda.params.length),
        env,
        until.inline,
      )
      return typeof result === 'boolean' ? result : failure('condition must evaluate to bool')
    },
    result: (tried) => {
      if (expr.value === undefined) return tried.error === undefined ? tried.value : failure(tried.error)
      const value = functionPart(expr.value, env, 'sync value must evaluate to a lambda value')
      return callLambda(
        value.lambda,
        [tried.value, tried.error ?? null].slice(0, value.lambda.params.length),
        env,
        value.inline,
      )
    },
    seconds: Number(seconds),
  })
}

interface Rounds {
  done(tried: Tried): boolean
  result(tried: Tried): Value
  readonly seconds: number
}

/** The rounds of both forms of sync. */
export function syncRounds(round: () => Tried, env: Env, { done, result, seconds }: Rounds): Value {
  const { budget, ports } = env.run
  const end = ports.now === undefined ? Number.POSITIVE_INFINITY : ports.now() + seconds * 1000
  for (let rounds = 1; ; rounds++) {
    const tried = round()
    if (done(tried)) return result(tried)
    if (rounds >= budget.limits.syncRoundsMax || (ports.now !== undefined && ports.now() >= end))
      return failure(tried.error ?? 'sync timeout reached')
    budget.checkTime()
  }
}
