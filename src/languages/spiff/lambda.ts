/** Lambda values: making them, binding arguments, currying, and the chain of causes when a body fails. */
import { type Env, isLambda, keptCell, type Run, withLocals } from './env.ts'
import { framed } from './frame.ts'
import { Failure, failure, issueOf } from './issue.ts'
import { parseCode } from './parse-text.ts'
import { printLambda } from './print.ts'
import type { Expr, Param } from './tree.ts'
import { type Cell, cellOf, extentOf, type Lambda, List, type Scope, type Value } from './value.ts'
import { shortText } from './yaml-write.ts'

/** A closure over the local variables and the document scope; defaults are evaluated now. */
export function makeLambda(expr: Extract<Expr, { kind: 'lambda' }>, env: Env): Lambda {
  const params = expr.params.map(({ name, preset }): Param => {
    if (preset === undefined) return { name, preset }
    return { name, preset: { kind: 'held', value: env.run.evaluate(preset, env) } }
  })
  return {
    kind: 'lambda',
    params,
    variadic: expr.variadic,
    body: expr.body,
    locals: env.scope?.locals ?? new Map(),
    home: definitionScope(env),
    mergePath: env.mergePath ?? env.stand.stubPath(),
  }
}

/** Inside of a lambda the definition scope is that of the outer lambda. */
export function definitionScope(env: Env): Scope | undefined {
  const self = env.scope?.locals.get('_')?.value
  if (self !== null && typeof self === 'object' && (self.kind === 'lambda' || self.kind === 'template'))
    return self.home
  return (
    env.scope ?? {
      names: new Map(),
      next: undefined,
      isInside: false,
      locals: new Map(),
      base: env.base,
      map: undefined,
    }
  )
}

/** `lambda e`: a lambda, or a string that holds one. */
export function lambdaFrom(value: Value, env: Env): Lambda {
  if (isLambda(value)) return value
  if (typeof value !== 'string') return failure('lambda reference must resolve to lambda value or string')
  const parsed = parseCode(env.run, value)
  if ('fault' in parsed) return failure(`cannot parse lambda expression '${value}': ${parsed.fault.message}`)
  if (parsed.expr.kind !== 'lambda') return failure(`'${value}' is no lambda expression`)
  return makeLambda(parsed.expr, env)
}

export interface Arguments {
  readonly named?: ReadonlyMap<string, Value>
  readonly positional: readonly Value[]
  /** Explicit currying by `f*(…)`. */
  readonly curry?: boolean
  /** Too few arguments make a lambda of the rest, as older templates expect. */
  readonly autoCurry?: boolean
  /** Written in place: `_` is not rebound. */
  readonly inline?: boolean
}

/** Calls a lambda with values, in the scopes of the caller. */
export function callLambda(lambda: Lambda, args: readonly Value[], env: Env, inline = false): Value {
  return applyLambda(lambda, { positional: args, inline }, env)
}

/** Calls or curries a lambda. */
export function applyLambda(lambda: Lambda, args: Arguments, env: Env): Value {
  const names = lambda.params.map(({ name }) => name)
  const given = bindNamed(lambda, names, args)
  const rest = names.filter((name) => !given.has(name))
  const fixed = lambda.variadic && !given.has(names.at(-1) ?? '') ? rest.length - 1 : rest.length
  const { positional } = args
  if (positional.length > fixed && !(lambda.variadic && fixed < rest.length))
    return tooMany(lambda, names, given, positional)
  const bound = new Map<string, Value>(given)
  rest.slice(0, Math.min(fixed, positional.length)).forEach((name, i) => {
    bound.set(name, positional[i] ?? null)
  })
  const extra = positional.slice(fixed)
  const last = names.at(-1) ?? ''
  if (lambda.variadic && extra.length > 0)
    bound.set(last, new List(extra.map((value) => keptCell(value, env))))
  if (args.curry) return curried(lambda, bound, env)
  const missing = lambda.params.filter(({ name }) => !bound.has(name) && !(lambda.variadic && name === last))
  const required = missing.filter(({ preset }) => preset === undefined)
  if (required.length > 0) {
    const plain =
      args.autoCurry && given.size === 0 && !lambda.variadic && lambda.params.at(-1)?.preset === undefined
    return plain ? curried(lambda, bound, env) : tooFew(lambda, args)
  }
  for (const { name, preset } of missing)
    if (preset !== undefined) bound.set(name, env.run.evaluate(preset, env))
  if (lambda.variadic && !bound.has(last)) bound.set(last, new List([]))
  return run(lambda, bound, env, args.inline ?? false)
}

function bindNamed(lambda: Lambda, names: readonly string[], args: Arguments): ReadonlyMap<string, Value> {
  const given = new Map<string, Value>()
  for (const [label, value] of args.named ?? []) {
    let name = label
    if (!names.includes(label) && /^[0-9]+$/.test(label)) {
      const index = Number(label)
      if (index === 0) return failure(`invalid argument index ${label}`)
      if (index > names.length)
        return failure(`argument index ${index} too large for ${names.length} parameters`)
      name = names[index - 1] ?? ''
    }
    if (!names.includes(name)) return failure(`no lambda parameter found for named argument ${label}`)
    if (given.has(name)) return failure(`named argument ${name} given by name and index`)
    if (lambda.variadic && name === names.at(-1) && !(value instanceof List))
      return failure(`named varargs argument ${names.length} (${name}) must be a list`)
    given.set(name, value)
  }
  return given
}

function tooMany(
  lambda: Lambda,
  names: readonly string[],
  given: ReadonlyMap<string, Value>,
  positional: readonly Value[],
): never {
  const clash = names.findIndex((name, i) => given.has(name) && i < positional.length)
  if (clash >= 0)
    return failure(
      `both, positional (${clash + 1}) and named argument found for lambda parameter ${names[clash]}`,
    )
  return failure(`found ${positional.length} argument(s), but expects ${lambda.params.length}`)
}

function tooFew(lambda: Lambda, args: Arguments): never {
  const named = args.named ?? new Map()
  if (named.size > 0) {
    const missing = lambda.params.find(
      ({ name, preset }, i) => preset === undefined && !named.has(name) && i >= args.positional.length,
    )
    return failure(`missing named argument for ${missing?.name ?? ''}`)
  }
  const optional =
    lambda.params.filter(({ preset }) => preset !== undefined).length + (lambda.variadic ? 1 : 0)
  const needed = lambda.params.length - optional
  if (optional > 0)
    return failure(
      `expected at least ${needed} arguments (${optional} optional), but found ${args.positional.length}`,
    )
  return failure(`expected ${lambda.params.length} arguments, but found ${args.positional.length}`)
}

/** The rest of the parameters, with the given ones fixed. */
function curried(lambda: Lambda, bound: ReadonlyMap<string, Value>, env: Env): Lambda {
  const last = lambda.params.at(-1)?.name ?? ''
  const params = lambda.params.filter(({ name }) => !bound.has(name))
  return {
    ...lambda,
    params,
    variadic: lambda.variadic && !bound.has(last),
    locals: new Map([...lambda.locals, ...cellsOf(bound, env)]),
  }
}

function cellsOf(values: ReadonlyMap<string, Value>, env: Env): ReadonlyMap<string, Cell> {
  return new Map([...values].map(([name, value]) => [name, cellOf(value, env.stand.made)]))
}

function run(lambda: Lambda, bound: ReadonlyMap<string, Value>, env: Env, inline: boolean): Value {
  return framed(env, (own) => evaluateBody(lambda, bound, own, inline))
}

function evaluateBody(lambda: Lambda, bound: ReadonlyMap<string, Value>, env: Env, inline: boolean): Value {
  env.run.budget.pass(lambda.locals.size)
  const locals = new Map([...lambda.locals, ...cellsOf(bound, env)])
  if (!inline) locals.set('_', cellOf(lambda, env.stand.made))
  const inside: Env = { ...withLocals(env, locals), mergePath: lambda.mergePath }
  try {
    return env.run.evaluate(lambda.body, inside)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    env.run.budget.given([...locals.values()].map(({ value }) => value))
    const dump = [...locals].filter(([name]) => name !== '_').sort(([a], [b]) => (a < b ? -1 : 1))
    const shown = `{${dump.map(([name, cell]) => `${name}: ${shortText(cell.value)}`).join(', ')}}`
    const text = `evaluation of lambda expression failed: ${describe(lambda, env.run)}: ${shorten(shown)}`
    throw new Failure(issueOf(text, [error.issue], true))
  }
}

/** A lambda as messages show it: what it captured, then the lambda. */
export function describe(lambda: Lambda, { budget }: Run): string {
  for (const { value } of [cellOf(lambda, ''), ...lambda.locals.values()]) budget.pass(extentOf(value))
  const captured = [...lambda.locals].filter(([name]) => name !== '_').sort(([a], [b]) => (a < b ? -1 : 1))
  const shown = `{${captured.map(([name, cell]) => `${name}: ${shortText(cell.value)}`).join(', ')}}`
  return `${lambda.locals.size > 0 ? shorten(shown) : ''}lambda${printLambda(lambda)}`
}

/** Long dumps keep both ends. */
export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 17)} ... ${text.slice(-17)}` : text
}
