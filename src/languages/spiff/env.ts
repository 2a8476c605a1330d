/** What an expression is evaluated in: the run, the place, the scopes, and what evaluation finds out on the way. */
import type { Budget } from './budget.ts'
import type { Issue, Waiting } from './issue.ts'
import type { Parsed } from './parser.ts'
import type { Ports } from './ports.ts'
import type { StubView } from './stubs.ts'
import type { Expr } from './tree.ts'
import {
  type Base,
  type Cell,
  cellOf,
  type Dict,
  type Lambda,
  type Scope,
  type Seen,
  type Template,
  type Value,
} from './value.ts'

/** One call of the library: shared by all documents in it. */
export interface Run {
  readonly budget: Budget
  readonly interpolation: boolean
  readonly control: boolean
  readonly ports: Ports
  readonly functions: ReadonlyMap<string, SpiffFunction>
  readonly tags: Tags
  readonly bindings: Dict
  /** Keeps where values came from. */
  readonly trace: boolean
  readonly parsed: Map<string, Parsed>
  /** How deep evaluation is nested right now. */
  depth: number
  evaluate(expr: Expr, env: Env): Value
  /** Processes a template with stubs inside of an expression: `merge(…)`. */
  cascade(template: Cell, stubs: readonly Cell[], env: Env): Cell
  /** Processes a tree in place: `*template`, `parse(…, "yaml")`; the message heads what stays unresolved. */
  fragment(tree: Cell, env: Env, options: FragmentOptions): FragmentResult
}

export interface FragmentOptions {
  readonly message: () => string
  readonly self?: Template
  /** Absolute references address the fragment itself. */
  readonly ownRoot?: boolean
}

export interface FragmentResult {
  readonly cell: Cell
  readonly undefined: boolean
}

/** The place an expression stands at. */
export interface Stand {
  path(): readonly string[]
  /** Adds the steps up to the document or fragment it is in, the last one first; answers where that stands. */
  climb(steps: string[]): Stand | undefined
  /** Its path is empty. */
  readonly isRoot: boolean
  stubPath(): readonly string[]
  /** The document it is written in, and the document being processed. */
  readonly source: string
  /** The source of what expressions make here. */
  readonly made: string
  readonly document: string
  readonly view: StubView
  /** No stub is visible here. */
  readonly noMerge: boolean
  findStub(path: readonly string[]): Cell | undefined
  /** Results of effects, so that starting again does not repeat them. */
  readonly effects: Effects
  readonly level: DocumentDepth
}

/** A document being processed, as far as calls in it need to know. */
export interface DocumentDepth {
  /** How deep evaluation was when it began. */
  readonly startDepth: number
  /** The document that everything is part of, where this one is processed inside of an expression. */
  readonly outermost: DocumentDepth | undefined
}

export interface Effects {
  readonly results: Value[]
  next: number
}

export interface Env {
  readonly run: Run
  readonly base: Base
  readonly scope: Scope | undefined
  readonly stand: Stand
  /** Where `merge` looks; a lambda keeps the path of its definition. */
  readonly mergePath: readonly string[] | undefined
  readonly info: Info
  /** The calls made so far by whatever is being evaluated. */
  readonly frame: Frame
  /** The element inside of a projection. */
  readonly projected?: Cell
}

/**
 * What is known of the calls made while one call, or the expression of a node, is evaluated: by their order, which is the
 * same each time. Documents that are processed inside of an expression count as calls.
 */
export interface Frame {
  next: number
  done: Map<number, CallOutcome> | undefined
  open: Map<number, Frame> | undefined
  /** Of a node. */
  effects: Effects | undefined
  /** Frames of the nodes below, or of the root of a document, that were left half evaluated: they are made anew when their parent starts again. */
  nodes: Map<string, Frame> | undefined
}

export type CallEnding =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly issue: Issue; readonly at: number | undefined }
  | { readonly kind: 'waits'; readonly waiting: Waiting }

/** How a call ended that was evaluated by itself. */
export interface CallOutcome {
  readonly ending: CallEnding
  /** What evaluation found out besides. */
  readonly info: Info
  readonly effects: number
}

/** What evaluation finds out besides the value. */
export interface Info {
  undefined: boolean
  flags: number
  redirect: readonly string[] | undefined
  replace: boolean
  merged: boolean
  preferred: boolean
  key: string
  source: string
  tag: string
  /** References saw something as it was before stubs changed it; and whether they must see it as it ends up. */
  early: boolean
  readonly final: boolean
}

export function newInfo(final = false): Info {
  return {
    undefined: false,
    flags: 0,
    redirect: undefined,
    replace: false,
    merged: false,
    preferred: false,
    key: '',
    source: '',
    tag: '',
    early: false,
    final,
  }
}

export interface Call {
  readonly name: string
  readonly args: readonly Value[]
  /** The argument expressions, for functions that look at them. */
  readonly exprs: readonly Expr[]
  readonly env: Env
}

export type SpiffFunction = (call: Call) => Value

/** Named values of documents. */
export interface Tags {
  /** The tag of that name and those below it, sorted by name. */
  find(name: string, env: Env): readonly { readonly name: string; readonly at: Seen }[]
  /** Names a value; fails when the name is taken. */
  define(name: string, seen: Seen, place: TagPlace): void
  /** A document of a stream is done; a level is done. */
  endDocument(cell: Cell): void
  endLevel(): void
}

export interface TagPlace {
  readonly path: string
  /** It only must not be taken: references do not see it. */
  readonly unseen?: boolean
}

/** A scope of local variables in front of the others. */
export function withLocals(env: Env, names: ReadonlyMap<string, Cell>): Env {
  const inherited = env.scope?.locals
  env.run.budget.pass(names.size + (inherited?.size ?? 0))
  const locals = inherited && inherited.size > 0 ? new Map([...inherited, ...names]) : names
  // Local scopes right on top of each other are one, so that a deep recursion has no long way to the names of the document.
  const below = env.scope
  const own = below?.own === undefined ? names : mergedNames(below.own, names, inherited, locals)
  const next = below?.own === undefined ? below : below.next
  const scope: Scope = { names: own, own, next, isInside: false, locals, base: env.base, map: undefined }
  return { ...env, scope }
}

function mergedNames(
  below: ReadonlyMap<string, Cell>,
  names: ReadonlyMap<string, Cell>,
  inherited: ReadonlyMap<string, Cell> | undefined,
  locals: ReadonlyMap<string, Cell>,
): ReadonlyMap<string, Cell> {
  return below === inherited ? locals : new Map([...below, ...names])
}

/** Evaluates an effect once per place, even if evaluation starts again. */
export function effect(env: Env, run: () => Value): Value {
  const { effects } = env.stand
  const known = effects.results[effects.next]
  if (known !== undefined) {
    effects.next++
    return known
  }
  const value = run()
  effects.results.push(value)
  effects.next++
  return value
}

/** A value that a list or map made here holds: all that is in it is looked at. */
export function keptCell(value: Value, { run, stand }: Env): Cell {
  if (typeof value === 'string') run.budget.look(value.length)
  return cellOf(value, stand.made)
}

export function isLambda(value: Value): value is Lambda {
  return typeof value === 'object' && value !== null && value.kind === 'lambda'
}

export function isTemplate(value: Value): value is Template {
  return typeof value === 'object' && value !== null && value.kind === 'template'
}
