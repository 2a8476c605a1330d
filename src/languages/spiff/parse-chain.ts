/** What can be called, indexed and projected, and the forms in brackets: `chained` of the grammar. */
import { parseReference } from './parse-atom.ts'
import { attempt, blanks, type Cursor, firstOf, separated, take, takeMatch } from './scanner.ts'
import type { Expr } from './tree.ts'

const nameForm = /[A-Za-z0-9_]+/y

/** chained = head { call | curry | path | dynidx | projection } */
export function parseChained(c: Cursor): Expr | undefined {
  const start = firstOf(c, [
    mappingForm,
    sync,
    catching,
    sum,
    list,
    map,
    range,
    parseGroup,
    reference,
    rootIndex,
  ])
  return start && chain(c, start)
}

function chain(c: Cursor, start: Expr): Expr {
  let left = start
  for (;;) {
    const root = left
    const next = firstOf(c, [
      (at) => call(at, root, false),
      (at) => (take(at, '*') ? call(at, root, true) : undefined),
      (at) => path(at, root),
      (at) => dynamicIndex(at, root),
      (at) => projection(at, root),
    ])
    if (next === undefined) return left
    left = next
  }
}

/** call = "(" S [ args ] ")"; named arguments come first */
function call(c: Cursor, fn: Expr, curry: boolean): Expr | undefined {
  if (!take(c, '(')) return undefined
  blanks(c)
  const named = attempt(c, (at) => separated(at, namedArgument, ','))
  const rest =
    named === undefined ? attempt(c, items) : attempt(c, (at) => (take(at, ',') ? items(at) : undefined))
  if (!take(c, ')')) return undefined
  return { kind: 'call', fn, args: [...(named ?? []), ...(rest ?? [])], curry }
}

function namedArgument(c: Cursor): Expr | undefined {
  blanks(c)
  const name = takeMatch(c, nameForm, 'an argument')
  blanks(c)
  if (name === undefined || !take(c, '=')) return undefined
  const a = c.rules.expression(c)
  return a && { kind: 'named', name, a }
}

function items(c: Cursor): readonly Expr[] | undefined {
  return separated(c, item, ',')
}

function item(c: Cursor): Expr | undefined {
  const a = c.rules.expression(c)
  if (a === undefined) return undefined
  return attempt(c, parseDots) ? { kind: 'spread', a } : a
}

const stepForm = /(?:\.([A-Za-z0-9_][A-Za-z0-9_-]*(?::[A-Za-z0-9_][A-Za-z0-9_-]*)?)|\.?(\[-?[0-9]+\]))/y

function path(c: Cursor, root: Expr): Expr | undefined {
  const steps: string[] = []
  for (;;) {
    const step = takeMatch(c, stepForm, 'a path step')
    if (step === undefined) break
    steps.push(step.startsWith('.') ? step.slice(1) : step)
  }
  return steps.length > 0 ? { kind: 'qualified', root, steps } : undefined
}

function dynamicIndex(c: Cursor, root: Expr): Expr | undefined {
  attempt(c, (at) => (take(at, '.') ? true : undefined))
  if (!take(c, '[')) return undefined
  blanks(c)
  const steps = items(c)
  return steps && take(c, ']') ? { kind: 'index', root, steps } : undefined
}

function rootIndex(c: Cursor): Expr | undefined {
  if (!take(c, '.') || c.text[c.at] !== '[') return undefined
  return dynamicIndex(c, { kind: 'ref', tag: '', steps: [''] })
}

/** projection = ["."] ( "[*]" | slice ) [ " ()" ] and what follows, applied to each element; the original prints it with ` ()` */
function projection(c: Cursor, root: Expr): Expr | undefined {
  attempt(c, (at) => (take(at, '.') ? true : undefined))
  const from = take(c, '[*]') ? root : slice(c, root)
  if (from === undefined) return undefined
  take(c, ' ()')
  return { kind: 'projection', root: from, rest: chain(c, { kind: 'projected' }) }
}

function slice(c: Cursor, root: Expr): Expr | undefined {
  const bounds = range(c)
  return bounds && { kind: 'slice', root, range: bounds }
}

/** range = "[" [ expr ] ".." [ expr ] "]" */
function range(c: Cursor): Expr | undefined {
  if (!take(c, '[')) return undefined
  const from = attempt(c, c.rules.expression)
  if (!take(c, '..')) return undefined
  const to = attempt(c, c.rules.expression)
  return take(c, ']') ? { kind: 'range', from, to } : undefined
}

export function parseGroup(c: Cursor): Expr | undefined {
  const a = take(c, '(') ? c.rules.expression(c) : undefined
  return a && take(c, ')') ? { kind: 'group', a } : undefined
}

function reference(c: Cursor): Expr | undefined {
  const ref = parseReference(c)
  return ref && { kind: 'ref', ...ref }
}

function list(c: Cursor): Expr | undefined {
  if (!take(c, '[')) return undefined
  blanks(c)
  const found = attempt(c, items) ?? []
  return take(c, ']') ? { kind: 'list', items: found } : undefined
}

function map(c: Cursor): Expr | undefined {
  if (!take(c, '{')) return undefined
  blanks(c)
  const entries = attempt(c, c.rules.assigns) ?? []
  return take(c, '}') ? { kind: 'map', entries } : undefined
}

const mappingWord = /(map|select|filter)[[{]/y

function mappingForm(c: Cursor): Expr | undefined {
  const word = takeMatch(c, mappingWord, 'a mapping')
  if (word === undefined) return undefined
  const close = word.endsWith('[') ? ']' : '}'
  const source = c.rules.or(c)
  const fn = source && lambdaOr(c)
  if (source === undefined || fn === undefined || !take(c, close)) return undefined
  return { kind: 'mapping', form: `${word}${close}` as 'map[]', list: source, fn }
}

/** lambdaOr = lambda | "|" expr */
function lambdaOr(c: Cursor): Expr | undefined {
  return firstOf(c, [c.rules.lambda, (at) => (take(at, '|') ? at.rules.expression(at) : undefined)])
}

function sum(c: Cursor): Expr | undefined {
  if (!take(c, 'sum[')) return undefined
  const source = c.rules.or(c)
  if (source === undefined || !take(c, '|')) return undefined
  const start = c.rules.or(c)
  const fn = start && lambdaOr(c)
  if (start === undefined || fn === undefined || !take(c, ']')) return undefined
  return { kind: 'sum', list: source, start, fn }
}

function catching(c: Cursor): Expr | undefined {
  const a = take(c, 'catch[') ? c.rules.or(c) : undefined
  const fn = a && lambdaOr(c)
  return a && fn && take(c, ']') ? { kind: 'catch', a, fn } : undefined
}

/** sync: a condition, then perhaps a value, then perhaps a timeout */
function sync(c: Cursor): Expr | undefined {
  const a = take(c, 'sync[') ? c.rules.or(c) : undefined
  if (a === undefined) return undefined
  const both = firstOf(c, [conditionWithValue, conditionThenValue])
  if (both !== undefined) {
    const timeout = attempt(c, (at) => (take(at, '|') ? at.rules.expression(at) : undefined))
    return take(c, ']') ? { kind: 'sync', a, ...both, timeout } : undefined
  }
  const until = lambdaOr(c)
  return until && take(c, ']') ? { kind: 'sync', a, until, value: undefined, timeout: undefined } : undefined
}

function conditionWithValue(c: Cursor): { until: Expr; value: Expr } | undefined {
  const until = c.rules.lambda(c)
  const body = until?.kind === 'lambda' && take(c, ',') ? c.rules.expression(c) : undefined
  return until?.kind === 'lambda' && body ? { until, value: { ...until, body } } : undefined
}

function conditionThenValue(c: Cursor): { until: Expr; value: Expr } | undefined {
  const until = lambdaOr(c)
  const value = until && lambdaOr(c)
  return until && value ? { until, value } : undefined
}

/** The dots that spread a list or gather arguments. */
export function parseDots(c: Cursor): true | undefined {
  if (!take(c, '...')) return undefined
  blanks(c)
  return true
}
