/** Evaluates expressions: one exhaustive switch; failing and waiting are thrown, so that no operator can take them for values. */
import { never } from '../../kit/assert.ts'
import { stackMax } from './budget.ts'
import { callExpression } from './call.ts'
import { type Env, isTemplate, keptCell, withLocals } from './env.ts'
import { blamed, Failure, failure, Waiting } from './issue.ts'
import { lambdaFrom, makeLambda } from './lambda.ts'
import { evaluateCatch, evaluateMapping, evaluateSum, evaluateSync } from './mapping.ts'
import { evaluateAuto, evaluateMerge } from './merge.ts'
import { arithmetic, concat, equal, isArithmetic, isOrder, ordered } from './operators.ts'
import { evaluateIndex, evaluateProjection, evaluateQualified, evaluateRange, evaluateSlice } from './path.ts'
import { printExpr } from './print.ts'
import { resolveReference } from './reference.ts'
import { resolveTagged } from './tag-reference.ts'
import type { Assign, Expr } from './tree.ts'
import { type Cell, Dict, extentOf, extentOfCode, flag, isTrue, List, typeName, type Value } from './value.ts'

/** The value of an expression; throws Failure, Waiting, Suspended or Exhausted. */
export function evaluate(expr: Expr, env: Env): Value {
  const { run } = env
  run.budget.step()
  run.depth++
  if (run.depth > stackMax) run.budget.tooDeep()
  try {
    const value = evaluateKind(expr, env)
    if (value instanceof List || value instanceof Dict) run.budget.weigh(value)
    return value
  } catch (error) {
    if (error instanceof Failure) error.at ??= expr.at
    throw error
  } finally {
    run.depth--
  }
}

function evaluateKind(expr: Expr, env: Env): Value {
  switch (expr.kind) {
    case 'value':
      return expr.value
    case 'held':
      return expr.value as Value
    case 'undefined':
      env.info.undefined = true
      return null
    case 'ref':
      return evaluateReference(expr, env)
    case 'group':
      return evaluate(expr.a, env)
    case 'binary':
      return evaluateBinary(expr, env)
    case 'cond':
      return evaluate(isTrue(evaluate(expr.test, env)) ? expr.yes : expr.no, env)
    case 'not':
      return !isTrue(evaluate(expr.a, env))
    case 'list':
      return new List(evaluateItems(expr.items, env).map((value) => keptCell(value, env)))
    case 'map':
      return new Dict(evaluateAssigns(expr.entries, env))
    case 'scope':
      return evaluate(expr.body, withLocals(env, evaluateAssigns(expr.entries, env)))
    case 'call':
      return callExpression(expr, env)
    case 'lambda':
      return makeLambda(expr, env)
    case 'lambdaref':
      return lambdaFrom(evaluate(expr.a, env), env)
    case 'mapping':
      return evaluateMapping(expr, env)
    case 'sum':
      return evaluateSum(expr, env)
    case 'catch':
      return evaluateCatch(expr, env)
    case 'sync':
      return evaluateSync(expr, env)
    case 'index':
      return evaluateIndex(expr, env)
    case 'qualified':
      return evaluateQualified(expr, env)
    case 'slice':
      return evaluateSlice(expr, env)
    case 'range':
      return evaluateRange(expr, env)
    case 'projection':
      return evaluateProjection(expr, env)
    case 'projected':
      return env.projected?.value ?? null
    case 'merge':
      return evaluateMerge(expr.merge, env)
    case 'auto':
      return evaluateAuto(env)
    case 'subst':
      return evaluateSubstitution(expr.a, env)
    case 'prefer':
      env.info.preferred = true
      return evaluate(expr.a, env)
    case 'marker':
      return evaluateMarker(expr, env)
    case 'named':
    case 'spread':
      return evaluate(expr.a, env)
    default:
      return never(expr)
  }
}

function evaluateReference(expr: Extract<Expr, { kind: 'ref' }>, env: Env): Value {
  const { tag, steps } = expr
  const cell = tag === '' ? resolveReference(steps, env) : blamed(() => resolveTagged(tag, steps, env))
  if (cell.key) env.info.key = cell.key
  return cell.value
}

/** The values of list elements or arguments, with `list...` expanded. */
export function evaluateItems(items: readonly Expr[], env: Env): readonly Value[] {
  const values: Value[] = []
  for (const [i, item] of items.entries()) {
    const value = beforeFailing(item, () => items.slice(i + 1), env)
    if (item.kind !== 'spread') values.push(value)
    else if (value instanceof List) for (const cell of value.cells) values.push(cell.value)
    else return failure('argument expansion required list argument')
  }
  env.run.budget.make(values.length)
  return values
}

/** `k = v, …`: an undefined value becomes null. */
function evaluateAssigns(entries: readonly Assign[], env: Env): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>()
  for (const { key, value } of entries) {
    const name = evaluate(key, env)
    if (typeof name !== 'string') return failure('assignment target must evaluate to string')
    env.run.budget.look(name.length)
    const before = env.info.undefined
    cells.set(name, keptCell(evaluate(value, env), env))
    env.info.undefined = before
  }
  env.run.budget.make(cells.size)
  return cells
}

type Binary = Extract<Expr, { kind: 'binary' }>

function evaluateBinary(expr: Binary, env: Env): Value {
  const { op } = expr
  if (op === '||' || op === '//') return evaluateFallback(expr, env)
  if (op === '-or' || op === '-and') return evaluateLogic(expr, env)
  // Long rows of operators lean to the left; they are no reason for a deep stack.
  const row: Binary[] = [expr]
  let first = expr.a
  for (; first.kind === 'binary' && isStrict(first.op); first = first.a) row.push(first)
  const rest = row.toReversed().map(({ b }) => b)
  let value = beforeFailing(first, () => rest, env)
  for (const one of row.reverse()) {
    value = computed(one, value, evaluate(one.b, env), env)
    if (value instanceof List || value instanceof Dict) env.run.budget.weigh(value)
  }
  return value
}

/** An operand that only waits gives way to operands on its right that fail. */
function beforeFailing(first: Expr, rest: () => readonly Expr[], env: Env): Value {
  try {
    return evaluate(first, env)
  } catch (error) {
    if (error instanceof Waiting) for (const other of rest()) failIfFailing(other, env)
    throw error
  }
}

/** Lets a failure out; waiting and values do not count. */
function failIfFailing(expr: Expr, env: Env): void {
  try {
    evaluate(expr, env)
  } catch (error) {
    if (!(error instanceof Waiting)) throw error
  }
}

/** Whether both operands are always evaluated. */
function isStrict(op: Binary['op']): boolean {
  return op !== '||' && op !== '//' && op !== '-or' && op !== '-and'
}

function computed(expr: Binary, a: Value, b: Value, env: Env): Value {
  const { op } = expr
  if (op === 'concat') return concatenate(expr, a, b, env)
  if (op === '==' || op === '!=') {
    lookAtBoth(a, b, env)
    return equal(a, b) === (op === '==')
  }
  if (isOrder(op)) {
    lookAtBoth(a, b, env)
    return ordered(op, a, b)
  }
  return isArithmetic(op) ? arithmetic(op, a, b) : null
}

function lookAtBoth(a: Value, b: Value, { run: { budget } }: Env): void {
  budget.work(Math.min(extentOf(a), extentOf(b)))
  for (const value of [a, b]) if (typeof value === 'string') budget.look(value.length)
}

function concatenate(expr: Binary, a: Value, b: Value, env: Env): Value {
  const { budget } = env.run
  if (typeof a === 'string' || typeof b === 'string') budget.join(lengthOf(a), lengthOf(b))
  if (a instanceof List) budget.make(b instanceof List ? Math.min(a.size, b.size) + 1 : 1)
  if (a instanceof List && typeof b === 'string') budget.look(b.length)
  if (a instanceof Dict) budget.make(1)
  // Once a joined list or map is looked into, its elements are copied.
  if (a instanceof List || a instanceof Dict) budget.pass(extentOf(a) + extentOf(b))
  const joined = concat(a, b)
  if (joined !== undefined) return joined
  budget.pass(extentOfCode(expr.a) + extentOfCode(expr.b))
  const [left, right] = [`'${typeName(a)}'(${printExpr(expr.a)})`, `'${typeName(b)}'(${printExpr(expr.b)})`]
  return failure(`type ${right} cannot be concatenated with type ${left}`)
}

/** Of a text; what else can be joined with one is short. */
function lengthOf(value: Value): number {
  return typeof value === 'string' ? value.length : 0
}

/** `||` reacts to failing and to undefined, `//` also to nil; neither to waiting. */
function evaluateFallback(expr: Binary, env: Env): Value {
  const { info } = env
  const before = info.undefined
  info.undefined = false
  try {
    const value = expr.op === '//' ? blamed(() => evaluate(expr.a, env)) : evaluate(expr.a, env)
    if (!info.undefined && (expr.op === '||' || value !== null)) {
      info.undefined = before
      return value
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
  info.undefined = before
  return evaluate(expr.b, env)
}

/** Bitwise for two integers, otherwise booleans where the left operand may decide alone. */
function evaluateLogic(expr: Binary, env: Env): Value {
  const a = orNothing(() => evaluate(expr.a, env))
  const decided = typeof a !== 'bigint' && isTrue(a) === (expr.op === '-or')
  const { info } = env
  const before = info.undefined
  let b: Value
  try {
    b = evaluate(expr.b, env)
  } catch (error) {
    // Where the left operand decides, the right one may fail, but is waited for.
    if (decided && error instanceof Failure) return isTrue(a)
    throw error
  } finally {
    if (decided) info.undefined = before
  }
  if (typeof a === 'bigint' && typeof b === 'bigint') return expr.op === '-or' ? a | b : a & b
  return expr.op === '-or' ? isTrue(a) || isTrue(b) : isTrue(a) && isTrue(b)
}

/** A failing left operand fails the whole, without a message of its own. */
function orNothing(run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    if (error instanceof Failure) return failure('')
    throw error
  }
}

function evaluateSubstitution(expr: Expr, env: Env): Value {
  const template = evaluate(expr, env)
  if (!isTemplate(template)) return failure('template value required')
  const message = () => `resolution of template '${template.path}' failed`
  const { cell, undefined: gone } = env.run.fragment(template.prepared, env, { message, self: template })
  if (gone) env.info.undefined = true
  env.info.source = cell.source
  return cell.value
}

const markFlags: Readonly<Record<string, number>> = {
  '&temporary': flag.temporary,
  '&local': flag.local,
  '&inject': flag.inject,
  '&state': flag.state,
  '&default': flag.default,
  '&dynamic': flag.dynamic,
}

/** The flags and the tag that markers stand for. */
export function readMarks(marks: readonly string[]): { flags: number; tag: string; template: boolean } {
  let flags = 0
  for (const mark of marks) flags |= markFlags[mark] ?? 0
  const tag = marks.find((mark) => mark.startsWith('&tag:'))?.slice(5) ?? ''
  return { flags, tag, template: marks.includes('&template') }
}

function evaluateMarker(expr: Extract<Expr, { kind: 'marker' }>, env: Env): Value {
  const { flags, tag } = readMarks(expr.marks)
  env.info.flags |= flags
  if (tag !== '') env.info.tag = tag
  const value = expr.a === undefined ? null : evaluate(expr.a, env)
  if ((flags & flag.dynamic) !== 0 && expr.a !== undefined && !isTemplate(value))
    return failure('dynamic marker for non-template value node')
  return value
}
