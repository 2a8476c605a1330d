/** The door of HIL: text and variables in, a value or one fault out; knows no broker and touches nothing. */
import { systemClock } from '../../kit/clock.ts'
import { Fault } from '../place.ts'
import { budgetOf } from './budget.ts'
import { checkTypes } from './checker.ts'
import { converts } from './conversions.ts'
import { evaluateTree } from './evaluator.ts'
import { checkIdentifiers } from './identifiers.ts'
import { parseTemplate } from './parser.ts'
import type { Scope } from './scope.ts'
import type { Node } from './tree.ts'
import { type Plain, toPlain } from './values.ts'

export type { Json, JsonObject } from '../../kit/json.ts'
export { excerpt, Fault, type Place } from '../place.ts'
export type { Budget } from './budget.ts'
export { type CastRules, castTo } from './cast.ts'
export { brokerFunctions, type FunctionOptions, type Ports } from './functions.ts'
export { quote } from './quote.ts'
export { type Functions, type HilFunction, jsonScope, type Scope } from './scope.ts'
export type {
  Call,
  Chain,
  Conditional,
  Index,
  Link,
  Literal,
  LiteralValue,
  Node,
  Operator,
  Output,
  Variable,
} from './tree.ts'
export type { Plain, Type, Value } from './values.ts'

export interface Options {
  /** original: refuse what the original refuses; extended: also chained indexes and mixed containers. */
  readonly dialect?: 'extended' | 'original'
  /** Characters of a text; 1 MiB unless told. */
  readonly textMax?: number
  /** Expressions inside each other; 100 unless told, and never more than 500. */
  readonly depthMax?: number
  /** Characters and elements read and written by one evaluation. */
  readonly workMax?: number
  /** The time one evaluation may take; 5,000 unless told. */
  readonly millisecondsMax?: number
  /** Milliseconds that only grow; the clock of this machine if absent. */
  readonly elapsed?: () => number
}

/** A parsed text, to be evaluated as often as one likes. */
export interface Template {
  readonly source: string
  readonly root: Node
}

export type Parsing =
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'fault'; readonly fault: Fault }

export type Result =
  | { readonly kind: 'value'; readonly value: Plain }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'fault'; readonly fault: Fault }

const limits = { textMax: 1 << 20, depthMax: 100, workMax: 1 << 24, millisecondsMax: 5_000 }

/** What the stack holds below any caller. */
const depthEver = 500

/** Reads a text; the fault is the first one, with the original's message and its place. */
export function parse(source: string, options: Options = {}): Parsing {
  return guarded(() => {
    const { textMax = limits.textMax } = options
    const depthMax = Math.min(options.depthMax ?? limits.depthMax, depthEver)
    if (source.length > textMax) throw new Fault(`the text is longer than ${textMax} characters`)
    const root = parseTemplate(source, { chainedIndex: options.dialect !== 'original', depthMax })
    return { kind: 'template', template: { source, root } }
  })
}

/** The value of a template: a text, or a list or map where it is one interpolation of it. */
export function evaluate(template: Template, scope: Scope, options: Options = {}): Result {
  return guarded(() => {
    const { source, root } = template
    if (root.kind === 'literal' && root.type === 'string') return { kind: 'value', value: root.value }
    checkIdentifiers(root, scope, source)
    const rules = { converts, homogeneous: options.dialect === 'original' }
    const checked = checkTypes(root, source, scope, rules)
    const budget = budgetOf({
      workMax: options.workMax ?? limits.workMax,
      millisecondsMax: options.millisecondsMax ?? limits.millisecondsMax,
      elapsed: options.elapsed ?? systemClock.monotonic,
    })
    const value = evaluateTree(checked, source, budget)
    if (value.kind === 'fault') return value
    return value.kind === 'unknown' ? { kind: 'unknown' } : { kind: 'value', value: toPlain(value) }
  })
}

/** Reads and evaluates at once. */
export function evaluateText(source: string, scope: Scope, options: Options = {}): Result {
  const parsed = parse(source, options)
  return parsed.kind === 'fault' ? parsed : evaluate(parsed.template, scope, options)
}

/** Whether a text asks to be evaluated; one that does not parse is no template, and fails when it is evaluated. */
export function isTemplate(source: string): boolean {
  if (!source.includes('$')) return false
  const parsed = parse(source)
  if (parsed.kind === 'fault') return false
  const { root } = parsed.template
  // An expression cannot print itself, so all but a lone text differ from their source.
  return root.kind !== 'literal' || root.type !== 'string' || root.value !== source
}

function guarded<T>(work: () => T): T | { readonly kind: 'fault'; readonly fault: Fault } {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault) return { kind: 'fault', fault: error }
    throw error
  }
}
