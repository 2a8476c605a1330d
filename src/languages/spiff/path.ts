/** Going into values: dynamic indices, paths behind any expression, ranges, slices and projections. */
import { type Env, keptCell } from './env.ts'
import { blamed, Failure, failure } from './issue.ts'
import { resolveTop, settled, stepInto, walkTo } from './reference.ts'
import type { Expr } from './tree.ts'
import { type Cell, cellOf, Dict, List, type Seen, type Value } from './value.ts'

/** `root[e, …]`: strings are keys, integers are indices, lists are several steps. */
export function evaluateIndex(expr: Extract<Expr, { kind: 'index' }>, env: Env): Value {
  const { root } = expr
  const plain = root.kind === 'ref' && root.tag === ''
  const top = plain ? resolveTop(root.steps, env) : cellOf(env.run.evaluate(root, env), env.stand.made)
  const steps = expr.steps.flatMap((step) => stepsOf(env.run.evaluate(step, env)))
  if (steps.length === 0) return failure('at least one index or field name required for reference qualifier')
  const shown = plain ? [...root.steps] : []
  let at: Seen = top
  for (const step of steps) {
    if (typeof step === 'string') env.run.budget.look(step.length)
    if (typeof step === 'bigint' && !isList(at)) return failure('index requires array expression')
    const text = typeof step === 'bigint' ? `[${step}]` : step
    shown.push(text)
    const next = typeof step === 'bigint' ? stepInto(at, text) : keyOf(at, step)
    if (next === undefined) return failure(`'${shown.join('.')}' not found`)
    at = walkTo(next, [], { shown, env })
  }
  // Inside of computed values, text that looks like an expression is evaluated where it is used.
  const cell = at.kind === 'cell' && !plain ? at : settled(at, { shown, env })
  if (cell.key) env.info.key = cell.key
  return cell.value
}

function stepsOf(value: Value): readonly (string | bigint)[] {
  if (typeof value === 'string' || typeof value === 'bigint') return [value]
  if (value instanceof List) return value.cells.flatMap((cell) => stepsOf(cell.value))
  return failure('index or field name required for reference qualifier')
}

function isList(seen: Seen): boolean {
  if (seen.kind === 'cell') return seen.value instanceof List
  const shape = seen.shape()
  return shape.kind === 'list' || (shape.kind === 'cell' && shape.cell.value instanceof List)
}

/** A key is taken literally; elements of lists are found by name. */
function keyOf(seen: Seen, key: string): Seen | undefined {
  if (seen.kind === 'cell' && seen.value instanceof Dict) return seen.value.get(key)
  return stepInto(seen, key)
}

/** `(e).a.b` */
export function evaluateQualified(expr: Extract<Expr, { kind: 'qualified' }>, env: Env): Value {
  const root = cellOf(env.run.evaluate(expr.root, env), env.stand.made)
  const at = walkTo(root, expr.steps, { shown: [], env })
  return at.kind === 'cell' ? at.value : settled(at, { shown: expr.steps, env }).value
}

/** `[a..b]`, both ends included. */
export function evaluateRange(expr: Extract<Expr, { kind: 'range' }>, env: Env): Value {
  if (expr.from === undefined || expr.to === undefined)
    return failure('range expression requires start and end index')
  const from = integerOf(expr.from, env)
  const to = integerOf(expr.to, env)
  const count = Number(from < to ? to - from : from - to) + 1
  env.run.budget.make(count)
  const step = from <= to ? 1n : -1n
  const cells: Cell[] = []
  for (let value = from; cells.length < count; value += step) cells.push(cellOf(value, env.stand.made))
  return new List(cells)
}

function integerOf(expr: Expr, env: Env): bigint {
  const value = env.run.evaluate(expr, env)
  return typeof value === 'bigint' ? value : failure('integer operand required')
}

/** Shorter rests of lists are copied. */
const restMin = 32

/** `l.[a..b]`: inclusive; both bounds from the start, or both from the end; a start behind the end is an empty list. */
export function evaluateSlice(expr: Extract<Expr, { kind: 'slice' }>, env: Env): Value {
  const list = blamed(() => env.run.evaluate(expr.root, env))
  if (!(list instanceof List)) return failure('slice requires array expression')
  const { range } = expr
  if (range.kind !== 'range' || (range.from === undefined && range.to === undefined)) return failure('')
  const length = BigInt(list.size)
  const given = range.from && integerOf(range.from, env)
  const to = range.to === undefined ? lastIndex(given, length) : integerOf(range.to, env)
  const from = given ?? (to < 0n ? -length : 0n)
  if (from > to) return new List([])
  if (from < 0n && to >= 0n) return failure('mixed negative and non-negative range not possible for slice')
  const end = position(to, length)
  const start = position(from, length)
  const { budget } = env.run
  // A recursion over the rests of a list takes what it looks at, not what all of them hold.
  if (end === list.size - 1 && end - start >= restMin) return List.rest(list, start, budget)
  budget.share(end - start)
  return new List(list.cells.slice(start, end + 1))
}

function lastIndex(from: bigint | undefined, length: bigint): bigint {
  return from !== undefined && from < 0n ? -1n : length - 1n
}

function position(index: bigint, length: bigint): number {
  if (index >= length) return failure(`slice out of range (${index} >= length ${length})`)
  if (index < -length) return failure(`slice out of range (${index} < -length ${length})`)
  return Number(index < 0n ? index + length : index)
}

/** `e.[*].rest`: the rest applied to every element. */
export function evaluateProjection(expr: Extract<Expr, { kind: 'projection' }>, env: Env): Value {
  const source = blamed(() => env.run.evaluate(expr.root, env))
  const whole = expr.rest.kind === 'projected'
  if (whole && source instanceof List) return source
  const cells = elements(source)
  env.run.budget.pass(cells.length)
  if (whole) return new List(cells)
  env.run.budget.make(cells.length)
  try {
    return new List(
      cells.map((projected) => keptCell(env.run.evaluate(expr.rest, { ...env, projected }), env)),
    )
  } catch (error) {
    // Elements without the path fail the whole, without saying more.
    if (error instanceof Failure) return failure('')
    throw error
  }
}

function elements(value: Value): readonly Cell[] {
  if (value instanceof List) return value.cells
  if (value instanceof Dict) return value.keys.map((key) => value.get(key) as Cell)
  return failure('only map or list allowed for projection')
}
