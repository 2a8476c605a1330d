/** Corpus topic hil: tokens, trees, checks, results and casts, row by row. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { approximate, parseJson } from '../../../src/kit/exact.ts'
import { deepEqual, type Json, type JsonObject } from '../../../src/kit/json.ts'
import { budgetOf } from '../../../src/languages/hil/budget.ts'
import { type CastRules, castTo } from '../../../src/languages/hil/cast.ts'
import { checkTypes } from '../../../src/languages/hil/checker.ts'
import { converts } from '../../../src/languages/hil/conversions.ts'
import { evaluateTree } from '../../../src/languages/hil/evaluator.ts'
import { brokerFunctions } from '../../../src/languages/hil/functions.ts'
import { checkIdentifiers } from '../../../src/languages/hil/identifiers.ts'
import { parseTemplate } from '../../../src/languages/hil/parser.ts'
import { scanner, type Token } from '../../../src/languages/hil/scanner.ts'
import { type HilFunction, jsonScope, type Scope } from '../../../src/languages/hil/scope.ts'
import type { Node, Operator } from '../../../src/languages/hil/tree.ts'
import { fromJson, type Plain, text, toPlain, type Type, type Value } from '../../../src/languages/hil/values.ts'
import { Fault, placeOf } from '../../../src/languages/place.ts'
import type { Topic, Verdict } from '../topic.ts'

export interface Row {
  readonly id: string
  readonly [field: string]: unknown
}

interface Typed {
  readonly type: string
  readonly value?: unknown
}

const original = { chainedIndex: false, depthMax: 100 }

export const topic: Topic = {
  home: [
    'test/corpus/hil/differential.jsonl',
    'test/corpus/hil/casts.jsonl',
    '../shared/corpus/hil/upstream-cases.jsonl',
    '../shared/corpus/hil/generated.jsonl',
  ],
  async *run(files) {
    for (const row of files.flatMap(rowsOf)) yield judge(row)
  },
}

export function rowsOf(path: string): readonly Row[] {
  if (statSync(path).isDirectory()) {
    return readdirSync(path)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => rowsOf(join(path, name)))
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => parseJson(line) as Row)
}

/** The verdict on one row of any of the three files. */
export function judge(row: Row): Verdict {
  const [wanted, got] = 'input' in row ? ('kind' in row ? upstream(row) : differential(row)) : cast(row)
  const same =
    'anyOf' in wanted
      ? (wanted['anyOf'] as unknown[]).some((one) => deepEqual(one, got))
      : deepEqual(approximate(wanted), approximate(got))
  const name = `${row.id} ${JSON.stringify(row['input'] ?? [row['value'], row['type']])}`
  if (same || ('anyError' in wanted && 'error' in got)) return { name, outcome: 'passed' }
  return { name, outcome: 'failed', why: `want ${JSON.stringify(wanted)}\ngot  ${JSON.stringify(got)}` }
}

type Answer = { readonly [key: string]: unknown }

function differential(row: Row): readonly [Answer, Answer] {
  let count = 0n
  const ports = {
    nextCount: () => ++count,
    random: (bytes: number) => new Uint8Array(bytes),
    nanoseconds: () => 1_700_000_000_000_000_000n,
  }
  const functions = brokerFunctions(ports, { cutInsideCharacters: true })
  const scope = jsonScope((row['vars'] ?? {}) as JsonObject, functions)
  const got = answer(() => evaluated(String(row['input']), scope))
  if (row['error'] === null) return [{ anyError: true }, got]
  if (row['error_any_of']) return [{ anyOf: (row['error_any_of'] as string[]).map((error) => ({ error })) }, got]
  if ('error' in row) return [{ error: row['error'] }, got]
  return [{ value: row['expected'], type: row['type'] }, got]
}

function cast(row: Row): readonly [Answer, Answer] {
  const value = toPlain(fromJson(row['value'] as Json))
  const one = (rules: CastRules) =>
    answer(() => ({ value: special(castTo(value, String(row['type']), rules)) }))
  const wanted = (from: Answer) => ('error' in from ? { error: from['error'] } : { value: from['expected'] })
  const both = ['gcp', 'csb'].map((name) => wanted((row[name] ?? row) as Answer))
  return [{ both }, { both: [one('gcp'), one('csb')] }]
}

function special(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

/** All tokens of a text; an invalid one is the last before the end. */
function tokensOf(text: string): readonly Token[] {
  const next = scanner(text)
  const tokens = [next()]
  while (tokens.at(-1)?.kind !== 'end-of-text') tokens.push(next())
  return tokens
}

function upstream(row: Row): readonly [Answer, Answer] {
  const input = String(row['input'])
  const wanted = 'error' in row ? { error: row['error'] } : undefined
  switch (row['kind']) {
    case 'scan':
    case 'scanPos':
      return [{ tokens: row['tokens'] }, { tokens: tokensOf(input).map((token) => shownToken(token, input)) }]
    case 'parse':
      return [
        wanted ?? { ast: row['ast'] },
        answer(() => ({ ast: shownTree(parseTemplate(input, original), input) })),
      ]
    case 'eval':
    case 'evalInternal':
      return [
        wanted ?? ('expected' in row ? { value: row['expected'], type: row['type'] } : { type: 'unknown' }),
        answer(() => evaluated(input, scopeOf(row))),
      ]
    case 'identifiercheck':
      return [
        wanted ?? { ok: true },
        answer(() => {
          checkIdentifiers(parseTemplate(input, original), scopeOf(row), input)
          return { ok: true }
        }),
      ]
    default:
      return [wanted ?? { ok: true }, answer(() => typed(row, input))]
  }
}

function typed(row: Row, input: string): Answer {
  const none = () => false
  const intToString = (from: Type, to: Type) => from === 'int' && to === 'string'
  const rules = { converts: row['kind'] === 'typecheck' ? none : intToString, homogeneous: true }
  checkTypes(parseTemplate(input, original), input, scopeOf(row), rules)
  return { ok: true }
}

function evaluated(input: string, scope: Scope): Answer {
  const root = parseTemplate(input, original)
  checkIdentifiers(root, scope, input)
  const tree = checkTypes(root, input, scope, { converts, homogeneous: true })
  const value = evaluateTree(tree, input, budgetOf({ workMax: 1e7, millisecondsMax: 60_000, elapsed: () => performance.now() }))
  if (value.kind === 'fault') return { error: value.fault.message }
  return value.kind === 'unknown' ? { type: 'unknown' } : { value: toPlain(value) as Plain, type: value.kind }
}

function answer(work: () => Answer): Answer {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault) return { error: error.message }
    throw error
  }
}

function scopeOf(row: Row): Scope {
  const variables = (row['variables'] ?? {}) as Record<string, Typed>
  const functions = (row['functions'] ?? []) as Record<string, unknown>[]
  return {
    functions: new Map(functions.map((one) => [String(one['name']), functionOf(one)])),
    variable: (name) => (Object.hasOwn(variables, name) ? valueOf(variables[name]!) : undefined),
  }
}

function functionOf(row: Record<string, unknown>): HilFunction {
  return {
    args: row['args'] as Type[],
    ...('variadic' in row ? { variadic: row['variadic'] as Type } : {}),
    returns: row['returns'] as Type,
    doc: '',
    run: ([first]) => (first === undefined ? text('42') : text(String(first.kind === 'int' ? first.value : ''))),
  }
}

function valueOf({ type, value }: Typed): Value {
  switch (type) {
    case 'string':
      return text(String(value))
    case 'int':
      return { kind: 'int', value: BigInt(value as number) }
    case 'float':
      return { kind: 'float', value: value as number }
    case 'bool':
      return { kind: 'bool', value: value as boolean }
    case 'list':
      return { kind: 'list', items: (value as Typed[]).map(valueOf) }
    case 'map':
      return {
        kind: 'map',
        entries: new Map(Object.entries(value as Record<string, Typed>).map(([k, v]) => [k, valueOf(v)])),
      }
    default:
      return { kind: 'unknown' }
  }
}

const signNames: Readonly<Record<string, string>> = {
  '(': 'OPAREN',
  ')': 'CPAREN',
  '[': 'OBRACKET',
  ']': 'CBRACKET',
  ',': 'COMMA',
  '.': 'PERIOD',
  '+': 'PLUS',
  '-': 'MINUS',
  '*': 'STAR',
  '/': 'SLASH',
  '%': 'PERCENT',
  '?': 'QUESTION',
  ':': 'COLON',
  '!': 'BANG',
  '<': 'LT',
  '<=': 'LTE',
  '>': 'GT',
  '>=': 'GTE',
  '==': 'EQUAL',
  '!=': 'NOTEQUAL',
  '&&': 'AND',
  '||': 'OR',
}
const kindNames: Readonly<Record<string, string>> = {
  'open-quote': 'OQUOTE',
  'close-quote': 'CQUOTE',
  'end-of-text': 'EOF',
}

function shownToken({ kind, text: content, at, off = 0 }: Token, source: string): Answer {
  const type = kind === 'sign' ? signNames[content] : (kindNames[kind] ?? kind.toUpperCase())
  const [line = 0, column = 0] = position(source, at)
  return { content, pos: [line, column + off], type }
}

function position(source: string, at: number): readonly number[] {
  const { line, column } = placeOf(source, at)
  return [line, column]
}

function shownTree(node: Node, source: string): Answer {
  const pos = position(source, node.at)
  const show = (one: Node) => shownTree(one, source)
  switch (node.kind) {
    case 'literal':
      return {
        node: 'literal',
        pos,
        type: node.type,
        value: typeof node.value === 'bigint' ? Number(node.value) : node.value,
      }
    case 'variable':
      return { node: 'variable', pos, name: node.name }
    case 'call':
      return { node: 'call', pos, func: node.name, args: node.args.map(show) }
    case 'index':
      return { node: 'index', pos, target: show(node.target), key: show(node.key) }
    case 'chain': {
      let left = show(node.first)
      for (const { operator, operand } of node.links) left = arithmetic(operator, left, show(operand), pos)
      return left
    }
    case 'conditional':
      return {
        node: 'conditional',
        pos,
        cond: show(node.condition),
        true: show(node.whenTrue),
        false: show(node.whenFalse),
      }
    case 'output':
      return { node: 'output', pos, exprs: node.parts.map(show) }
  }
}

function arithmetic(op: Operator, left: Answer, right: Answer, pos: readonly number[]): Answer {
  return { node: 'arithmetic', op, pos, exprs: [left, right] }
}
