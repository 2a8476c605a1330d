/** What spiff computes with: immutable values, the cells that hold them, and the flags cells carry. */
import type { Place } from '../place.ts'
import { type Costs, type Facts, factsFromTheEnd, factsOfBoth, nothing, partsOf, Summed } from './facts.ts'
import { type Expr, extentOfExpr, type Param } from './tree.ts'

export { addsItself, flag, isImplied, onlyDefault, overriddenFlags } from './flags.ts'

export type Value = null | boolean | bigint | number | string | List | Dict | Lambda | Template

/** A value at a place of a document, with what is known about it. */
export interface Cell {
  readonly kind: 'cell'
  readonly value: Value
  /** The document it came from. */
  readonly source: string
  readonly flags: number
  /** The key field of a keyed list. */
  readonly key?: string | undefined
  /** Instantiated anew wherever it overrides or is injected. */
  readonly dynamic?: Template | undefined
  readonly origin?: Origin | undefined
  /** Where it was written in the text of its document. */
  readonly place?: Place | undefined
}

/** Where a value came from; kept only when asked for. */
export interface Origin {
  readonly source: string
  readonly path: readonly string[]
  readonly how: 'literal' | 'expression' | 'stub' | 'control'
  readonly expression?: string
  readonly from?: Origin | undefined
  /** What stood there before a stub replaced it. */
  readonly instead?: string
}

/** A place of a document that is being evaluated, as references see it. */
export interface Spot {
  readonly kind: 'spot'
  /** Evaluates as far as needed to know what kind of thing it is. */
  shape(): Shape
  /** Evaluates everything in it. */
  settle(): Settled
  /** What references see although stubs change it afterwards: templates and maps of controls. */
  readonly referred?: Cell | undefined
}

export type Seen = Cell | Spot

export type Shape =
  | { readonly kind: 'cell'; readonly cell: Cell }
  | { readonly kind: 'map'; get(name: string): Seen | undefined }
  | {
      readonly kind: 'list'
      at(index: number): Seen | undefined
      named(field: string | undefined, name: string): Seen | undefined
    }
  | Gone
  | Stuck

export type Settled = Cell | Gone | Stuck

/** Undefined on purpose: the place does not exist. */
export interface Gone {
  readonly kind: 'gone'
}

/** Does not settle: it failed, or waits for what failed or for itself. */
export interface Stuck {
  readonly kind: 'stuck'
  readonly failed: boolean
  readonly what: 'unresolved' | 'not complete'
}

/** Names visible from a place, inner ones first. */
export interface Scope {
  /** A map that is still being shaped may get more of them. */
  readonly names: { get(name: string): Seen | undefined; readonly mayGrow?: boolean }
  readonly next: Scope | undefined
  /** The next scope that has a name, or may have it later. */
  skips?: Map<string, Scope | undefined>
  readonly isInside: boolean // of a map below the root of its document
  /** The names, where they are local variables. */
  readonly own?: ReadonlyMap<string, Cell>
  /** Local variables visible here: what a lambda captures. */
  readonly locals: ReadonlyMap<string, Cell>
  readonly base: Base
  /** The map this scope stands for. */
  readonly map: Seen | undefined
}

/** One processed document, seen from inside. */
export interface Base {
  readonly root: Seen
  /** Where the run that contains this one stands: the document of a nested merge, or the bindings. */
  readonly outer: Scope | undefined
}

function factsOf(cells: Iterable<Cell>): Facts {
  let { flagged, code, live, weight, extent, height } = nothing
  for (const { value, flags } of cells) {
    flagged ||= flags !== 0 || isFlagged(value)
    code ||= hasCode(value)
    live ||= isLive(value)
    weight += weightOf(value)
    extent += extentOf(value)
    if (typeof value === 'object') height = Math.max(height, heightOf(value) + 1)
  }
  return { flagged, code, live, weight, extent, height }
}

function copyOf({ whole, from, costs }: Rest): readonly Cell[] {
  costs.share(whole.size - from)
  return whole.cells.slice(from)
}

/** The rest of a longer list: its elements are copied when all of them are asked for. */
export interface Rest {
  readonly whole: List
  readonly from: number
  readonly costs: Costs
}

export class List extends Summed {
  readonly kind = 'list'
  /** Two lists one after the other, until the elements are asked for. */
  joined: readonly [List, List] | undefined
  readonly size: number
  private readonly rest: Rest | undefined
  private own: readonly Cell[] | undefined
  private facts: Facts | undefined
  /** What every rest of this list holds, by where it begins. */
  private factsOfRests: readonly Facts[] | undefined
  private named: Map<string, Map<string, Cell>> | undefined

  constructor(cells: readonly Cell[], lazy: { joined?: readonly [List, List]; rest?: Rest } = {}) {
    super()
    const { joined, rest } = lazy
    this.joined = joined
    this.rest = rest
    this.own = joined === undefined && rest === undefined ? cells : undefined
    if (joined !== undefined) {
      this.size = joined[0].size + joined[1].size
      this.facts = factsOfBoth(joined[0].known, joined[1].known)
    } else if (rest !== undefined) {
      this.size = rest.whole.size - rest.from
      this.facts = rest.whole.knownOfRest(rest)
    } else this.size = cells.length
  }

  /** One list behind the other; many in a row cost no more than their elements. */
  static joined(a: List, b: List): List {
    return new List([], { joined: [a, b] })
  }

  /** The elements from an index on; rests of rests cost no more than the list that they are of. */
  static rest(list: List, from: number, costs: Costs): List {
    const { whole, from: before } = list.rest ?? { whole: list, from: 0 }
    return new List([], { rest: { whole, from: before + from, costs } })
  }

  get cells(): readonly Cell[] {
    if (this.own === undefined) {
      this.own =
        this.rest === undefined ? partsOf<List>(this).flatMap((part) => part.cells) : copyOf(this.rest)
      this.joined = undefined
    }
    return this.own
  }

  /** One element, from the end where the index is negative; a rest stays one. */
  at(index: number): Cell | undefined {
    if (this.rest === undefined) return this.cells.at(index)
    if (index < -this.size) return undefined
    return this.rest.whole.cells.at(index < 0 ? index : this.rest.from + index)
  }

  protected get known(): Facts {
    this.facts ??= factsOf(this.cells)
    return this.facts
  }

  private knownOfRest({ from, costs }: Rest): Facts {
    if (this.factsOfRests === undefined) {
      costs.make(this.size)
      this.factsOfRests = factsFromTheEnd(this.cells, (cell) => factsOf([cell]))
    }
    return this.factsOfRests[from] ?? nothing
  }

  /** The first element map whose key field has this value. */
  byName(field: string, name: string): Cell | undefined {
    this.named ??= new Map()
    let index = this.named.get(field)
    if (index === undefined) {
      index = new Map()
      for (const cell of this.cells) {
        const key = cell.value instanceof Dict ? cell.value.get(field)?.value : undefined
        if (typeof key === 'string' && !index.has(key)) index.set(key, cell)
      }
      this.named.set(field, index)
    }
    return index.get(name)
  }
}

export class Dict extends Summed {
  readonly kind = 'map'
  /** Two maps of which the second wins, until the fields are asked for. */
  joined: readonly [Dict, Dict] | undefined
  private own: ReadonlyMap<string, Cell> | undefined
  private facts: Facts | undefined
  private sorted: readonly string[] | undefined

  constructor(cells: ReadonlyMap<string, Cell>, joined?: readonly [Dict, Dict]) {
    super()
    this.own = joined === undefined ? cells : undefined
    this.joined = joined
    if (joined !== undefined) this.facts = factsOfBoth(joined[0].known, joined[1].known)
  }

  /** The fields of both; many in a row cost no more than their fields. */
  static joined(a: Dict, b: Dict): Dict {
    return new Dict(new Map(), [a, b])
  }

  get cells(): ReadonlyMap<string, Cell> {
    if (this.own === undefined) {
      const cells = new Map<string, Cell>()
      for (const part of partsOf<Dict>(this)) for (const [key, cell] of part.cells) cells.set(key, cell)
      this.own = cells
      this.joined = undefined
      this.facts = undefined
    }
    return this.own
  }
  get(key: string): Cell | undefined {
    return this.cells.get(key)
  }

  protected get known(): Facts {
    this.facts ??= this.look()
    return this.facts
  }

  private look(): Facts {
    const facts = factsOf(this.cells.values())
    let { live, extent } = facts
    for (const key of this.cells.keys()) {
      live ||= key.startsWith('<<') || key.startsWith('key:')
      extent += key.length
    }
    return { ...facts, live, extent }
  }
  /** The keys in byte order. */
  get keys(): readonly string[] {
    this.sorted ??= [...this.cells.keys()].sort(byBytes)
    return this.sorted
  }
}

export interface Lambda {
  readonly kind: 'lambda'
  readonly params: readonly Param[]
  readonly variadic: boolean
  readonly body: Expr
  readonly locals: ReadonlyMap<string, Cell>
  /** The scopes of its definition, for `_.name`. */
  readonly home: Scope | undefined
  /** Where `merge` in the body looks: the definition's path. */
  readonly mergePath: readonly string[]
}

export interface Template {
  readonly kind: 'template'
  /** What is instantiated. */
  readonly prepared: Cell
  /** What is printed. */
  readonly original: Cell
  readonly home: Scope | undefined
  readonly path: string
}

/** Whether a string is one expression by its form: `((…))` and not escaped. */
export function looksLikeCode(text: string): boolean {
  return text.length >= 4 && text.startsWith('((') && text.endsWith('))') && text[2] !== '!'
}

/** Whether a value still holds something that would be evaluated. */
export function hasCode(value: Value): boolean {
  if (typeof value === 'string') return looksLikeCode(value)
  return value instanceof List || value instanceof Dict ? value.code : false
}

function isFlagged(value: Value): boolean {
  return value instanceof List || value instanceof Dict ? value.flagged : false
}

function heightOf(value: Value): number {
  if (value instanceof List || value instanceof Dict) return value.height
  return typeof value === 'object' && value?.kind === 'template' ? heightOf(value.original.value) : 0
}

function weightOf(value: Value): number {
  if (value instanceof List || value instanceof Dict) return value.weight
  return typeof value === 'object' && value?.kind === 'template' ? weightOf(value.original.value) : 1
}

/** How many characters and values there are to look at or to print. */
export function extentOf(value: Value): number {
  if (typeof value === 'string') return value.length + 1
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof List || value instanceof Dict) return value.extent
  return value.kind === 'template' ? extentOf(value.original.value) : extentOfLambda(value)
}

/** How much an expression is to print. */
export const extentOfCode = (expr: Expr): number => extentOfExpr(expr, (held) => extentOf(held as Value))

function extentOfLambda({ params, body }: Lambda): number {
  const of = (preset: Expr | undefined): number => (preset ? extentOfCode(preset) : 1)
  return params.reduce((sum, { name, preset }) => sum + name.length + of(preset), extentOfCode(body))
}

/** Whether processing a value in place could change it. */
export function isLive(value: Value): boolean {
  if (typeof value === 'string') return value.includes('((')
  return value instanceof List || value instanceof Dict ? value.live : false
}

/** A cell without annotations. */
export function cellOf(value: Value, source: string): Cell {
  return { kind: 'cell', value, source, flags: 0 }
}

export function dictOf(entries: Iterable<readonly [string, Value]>, source: string): Dict {
  const cells = new Map<string, Cell>()
  for (const [key, value] of entries) cells.set(key, cellOf(value, source))
  return new Dict(cells)
}

export function listOf(values: readonly Value[], source: string): List {
  return new List(values.map((value) => cellOf(value, source)))
}

/** The word that `type()` and messages use. */
export function typeName(value: Value): string {
  if (value === null) return 'nil'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    case 'string':
      return 'string'
    default:
      return value.kind
  }
}

/** Nothing, false, integer zero and empty things are false; all else is true, even 0.0. */
export function isTrue(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === '') return false
  if (value instanceof List) return value.size > 0
  if (value instanceof Dict) return value.cells.size > 0
  return true
}

/** Order of UTF-8 bytes; that of code units differs only where surrogates meet the end of the basic plane. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
