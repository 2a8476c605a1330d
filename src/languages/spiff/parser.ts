/** The grammar of dynaml as the parsing expression grammar it is: ordered choice, one function per rule. */
import { parseAtom, parseReference } from './parse-atom.ts'
import { parseChained, parseDots, parseGroup } from './parse-chain.ts'
import {
  attempt,
  blanks,
  type Cursor,
  cursor,
  expecting,
  firstOf,
  once,
  type Rules,
  separated,
  take,
  takeMatch,
} from './scanner.ts'
import type { Assign, BinaryOp, Expr, Param } from './tree.ts'

/** Why a text is no expression; line and column count characters from 1. */
export interface SyntaxFault {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

export type Parsed = { readonly expr: Expr } | { readonly fault: SyntaxFault }

/** Parses the text between `((` and `))`; a long one lets its caller look at the clock now and then. */
export function parseExpression(text: string, pause?: () => void): Parsed {
  const c = cursor(text, { rules, explains: false, pause })
  const expr = whole(c)
  if (c.overflow === undefined && expr !== undefined && c.at === text.length) return { expr }
  return { fault: explained(text, pause) }
}

const whole = (c: Cursor): Expr | undefined => firstOf(c, [prefer, marked, expression])

/** Reads a text that is no expression once more, to tell what would have helped. */
function explained(text: string, pause: (() => void) | undefined): SyntaxFault {
  const c = cursor(text, { rules, explains: true, pause })
  const expr = whole(c)
  if (c.overflow !== undefined) {
    c.furthest = c.overflow
    c.expected = new Set(['a number in range'])
  } else if (expr !== undefined) expecting(c, 'the end of the expression')
  return faultOf(c)
}

function faultOf(c: Cursor): SyntaxFault {
  const offset = Math.max(c.furthest, 0)
  const before = c.text.slice(0, offset).split('\n')
  const line = before.length
  const column = [...(before.at(-1) ?? '')].length + 1
  const rest = [...c.text.slice(offset, offset + 20)][0]
  const found = rest === undefined ? 'the expression ends' : `found ${JSON.stringify(rest)}`
  const wanted = [...c.expected].filter((what) => what !== 'a blank')
  const list = (wanted.length > 0 ? wanted : [...c.expected]).sort().slice(0, 8).join(', ')
  const message = `parse error near line ${line} column ${column}: ${found}, expected ${list || 'an expression'}`
  return { message, offset, line, column }
}

/** prefer = S "prefer" RS expr */
function prefer(c: Cursor): Expr | undefined {
  blanks(c)
  if (!take(c, 'prefer') || !blanks(c)) return undefined
  const a = expression(c)
  return a && { kind: 'prefer', a }
}

/** marked = S marker { RS marker } S [ "(" expr ")" ] S */
function marked(c: Cursor): Expr | undefined {
  blanks(c)
  const first = marker(c)
  if (first === undefined) return undefined
  const marks = [first]
  for (;;) {
    const next = attempt(c, (at) => (blanks(at) ? marker(at) : undefined))
    if (next === undefined) break
    marks.push(next)
  }
  blanks(c)
  const from = c.at
  const a = attempt(c, parseGroup)
  const source = c.text.slice(from, c.at)
  blanks(c)
  return { kind: 'marker', marks, a, source }
}

const markerForm =
  /&(?:template|temporary|local|inject|state|default|dynamic|tag:\*?[A-Za-z_][A-Za-z0-9_]*(?:[.:][A-Za-z_][A-Za-z0-9_]*)*)/y

function marker(c: Cursor): string | undefined {
  return takeMatch(c, markerForm, 'a marker')
}

/** expr = ( scoped | lambda | or ) S */
function expression(c: Cursor): Expr | undefined {
  return once(c, 'expr', (at) => {
    const expr = firstOf(at, [scoped, lambda, or])
    if (expr !== undefined) blanks(at)
    return expr
  })
}

/** scoped = S "(" S [ assigns ] ")" S expr */
function scoped(c: Cursor): Expr | undefined {
  blanks(c)
  if (!take(c, '(')) return undefined
  blanks(c)
  const entries = attempt(c, assigns) ?? []
  if (!take(c, ')')) return undefined
  blanks(c)
  const body = expression(c)
  return body && { kind: 'scope', entries, body }
}

function assigns(c: Cursor): readonly Assign[] | undefined {
  return separated(c, assign, ',')
}

function assign(c: Cursor): Assign | undefined {
  const key = expression(c)
  if (key === undefined || !take(c, '=')) return undefined
  const value = expression(c)
  return value && { key, value }
}

/** or = S cond { RS ("||" | "//") RS cond } (level 7) */
function or(c: Cursor): Expr | undefined {
  return once(c, 'or', (at) => {
    blanks(at)
    return leftward(at, conditional, /\|\||\/\//y)
  })
}

/** cond = concat S "?" expr ":" expr | concat (level 6) */
function conditional(c: Cursor): Expr | undefined {
  const test = concatenation(c)
  if (test === undefined) return undefined
  const whole = attempt(c, (at): Expr | undefined => {
    blanks(at)
    if (!take(at, '?')) return undefined
    const yes = expression(at)
    if (yes === undefined || !take(at, ':')) return undefined
    const no = expression(at)
    return no && { kind: 'cond', test, yes, no }
  })
  return whole ?? test
}

/** concat = logic { RS logic } (level 5) */
function concatenation(c: Cursor): Expr | undefined {
  const start = c.at
  let left = logic(c)
  if (left === undefined) return undefined
  for (;;) {
    const right = attempt(c, (at) => (blanks(at) ? logic(at) : undefined))
    if (right === undefined) return left
    left = { kind: 'binary', op: 'concat', a: left, b: right, at: start }
  }
}

/** logic = cmp { RS ("-or" | "-and") RS cmp } (level 4) */
const logic = (c: Cursor): Expr | undefined => leftward(c, comparison, /-or|-and/y)
/** cmp = add { RS op RS add } (level 3) */
const comparison = (c: Cursor): Expr | undefined => leftward(c, addition, /==|!=|<=|>=|>|</y)
/** add = mul { RS ("+" | "-") RS mul } (level 2) */
const addition = (c: Cursor): Expr | undefined => leftward(c, multiplication, /[+-]/y)
/** mul = prim { RS ("*" | "/" | "%") RS prim } (level 1) */
const multiplication = (c: Cursor): Expr | undefined => leftward(c, primary, /[*/%]/y)

/** Left associative operators of one level, with blanks on both sides. */
function leftward(c: Cursor, operand: (c: Cursor) => Expr | undefined, operators: RegExp): Expr | undefined {
  const start = c.at
  let left = operand(c)
  if (left === undefined) return undefined
  for (;;) {
    const next = attempt(c, (at) => {
      if (!blanks(at)) return undefined
      const op = takeMatch(at, operators, 'an operator')
      if (op === undefined || !blanks(at)) return undefined
      const b = operand(at)
      return b && { op: op as BinaryOp, b }
    })
    if (next === undefined) return left
    left = { kind: 'binary', op: next.op, a: left, b: next.b, at: start }
  }
}

/** prim: literals win over everything else and leave their rest; there are no keyword boundaries (level 0). */
function primary(c: Cursor): Expr | undefined {
  return once(c, 'prim', (at) => {
    const start = at.at
    const expr = firstOf(at, [parseAtom, not, substitution, mergeOrAuto, lambdaWord, parseChained])
    return expr && { ...expr, at: start }
  })
}

/** not = "!" S prim */
function not(c: Cursor): Expr | undefined {
  if (!take(c, '!')) return undefined
  blanks(c)
  const a = primary(c)
  return a && { kind: 'not', a }
}

/** subst = "*" prim */
function substitution(c: Cursor): Expr | undefined {
  if (!take(c, '*')) return undefined
  const a = primary(c)
  return a && { kind: 'subst', a }
}

function mergeOrAuto(c: Cursor): Expr | undefined {
  return firstOf(c, [mergeFrom, mergeHere, (at) => (take(at, 'auto') ? { kind: 'auto' } : undefined)])
}

const nameForm = /[A-Za-z0-9_]+/y

/** "merge" [ RS ( "replace" | "on" RS NAME ) ] RS reference, not when followed by RS "required" */
function mergeFrom(c: Cursor): Expr | undefined {
  if (!take(c, 'merge') || attempt(c, (at) => (blanks(at) && take(at, 'required') ? true : undefined)))
    return undefined
  const option = attempt(c, (at) => (blanks(at) ? mergeOption(at) : undefined))
  if (!blanks(c)) return undefined
  const ref = parseReference(c)
  if (ref === undefined) return undefined
  const none = ref.tag === '' && ref.steps.length === 1 && ref.steps[0] === 'none'
  const { replace = false, on = '' } = option ?? {}
  return { kind: 'merge', merge: { path: none ? [] : ref.steps, replace, required: !none, none, on } }
}

function mergeOption(c: Cursor): { replace: boolean; on: string } | undefined {
  return firstOf<{ replace: boolean; on: string }>(c, [
    (at) => (take(at, 'replace') ? { replace: true, on: '' } : undefined),
    (at) => {
      const on = take(at, 'on') && blanks(at) ? takeMatch(at, nameForm, 'a key field') : undefined
      return on === undefined ? undefined : { replace: false, on }
    },
  ])
}

/** "merge" [ RS ( "replace" | "required" | "on" RS NAME ) ], not when followed by "(" */
function mergeHere(c: Cursor): Expr | undefined {
  if (!take(c, 'merge') || c.text[c.at] === '(') return undefined
  const option = attempt(c, (at) => {
    if (!blanks(at)) return undefined
    return mergeOption(at) ?? (take(at, 'required') ? 'required' : undefined)
  })
  const { replace = false, on = '' } = typeof option === 'object' ? option : {}
  const required = replace || option === 'required'
  return { kind: 'merge', merge: { path: undefined, replace, required, none: false, on } }
}

/** "lambda" ( RS expr | lambda ) */
function lambdaWord(c: Cursor): Expr | undefined {
  if (!take(c, 'lambda')) return undefined
  return firstOf(c, [
    (at): Expr | undefined => {
      const a = blanks(at) ? expression(at) : undefined
      return a?.kind === 'lambda' ? a : a && { kind: 'lambdaref', a }
    },
    lambda,
  ])
}

/** lambda = S "|" S [ params ] "|" S "->" expr */
function lambda(c: Cursor): Expr | undefined {
  blanks(c)
  if (!take(c, '|')) return undefined
  blanks(c)
  const { params, variadic } = attempt(c, parameters) ?? { params: [], variadic: false }
  if (!take(c, '|')) return undefined
  blanks(c)
  if (!take(c, '->')) return undefined
  const body = expression(c)
  return body && { kind: 'lambda', params, variadic, body }
}

/** params = NAME { "," NAME } [ "=" expr ] { "," NAME "=" expr } [ "..." ] */
function parameters(c: Cursor): { params: readonly Param[]; variadic: boolean } | undefined {
  const names = separated(c, parameterName, ',')
  if (names === undefined) return undefined
  const params: Param[] = names.map((name) => ({ name, preset: undefined }))
  const preset = attempt(c, presetValue)
  if (preset !== undefined) params.push({ name: params.pop()?.name ?? '', preset })
  for (;;) {
    const next = attempt(c, (at): Param | undefined => {
      const name = take(at, ',') ? parameterName(at) : undefined
      const value = name === undefined ? undefined : presetValue(at)
      return name === undefined || value === undefined ? undefined : { name, preset: value }
    })
    if (next === undefined) break
    params.push(next)
  }
  const variadic = attempt(c, parseDots) !== undefined
  return { params, variadic }
}

function parameterName(c: Cursor): string | undefined {
  blanks(c)
  const name = takeMatch(c, nameForm, 'a parameter')
  blanks(c)
  return name
}

function presetValue(c: Cursor): Expr | undefined {
  return take(c, '=') ? expression(c) : undefined
}

const rules: Rules = { expression, or, lambda, assigns }
