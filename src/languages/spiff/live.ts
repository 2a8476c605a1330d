/** A node of a document, evaluated on demand and once: first its kind, then everything in it. */
import { embedded } from './detect.ts'
import { type Effects, type Env, type Info, isTemplate, newInfo, type Stand } from './env.ts'
import { readMarks } from './evaluate.ts'
import { hasRawBytes } from './go-text.ts'
import { isOptionalInsert } from './insert.ts'
import { Failure, issueOf, Suspended, Waiting } from './issue.ts'
import { shapeList } from './live-list.ts'
import { shapeMap } from './live-map.ts'
import { isDirectMerge, mayOverride } from './merge.ts'
import { computedOrigin, describeRaw, literalOrigin, stubOrigin } from './origin.ts'
import { parseText } from './parse-text.ts'
import { printExpr } from './print.ts'
import {
  type Below,
  type Host,
  type Level,
  type Live,
  type Outcome,
  type Part,
  plainOutcome,
  type Shaped,
  type Site,
  type Structure,
  type Trouble,
} from './site.ts'
import { findStub, type StubView, stubHere, stubSteps } from './stubs.ts'
import type { Expr } from './tree.ts'
import {
  addsItself,
  type Cell,
  Dict,
  flag,
  isLive,
  List,
  looksLikeCode,
  onlyDefault,
  overriddenFlags,
  type Settled,
  type Shape,
  type Stuck,
  type Template,
  type Value,
} from './value.ts'

/** Deeper than this, evaluation starts again from the node that is needed. */
const softDepth = 200
/** How often the result of an expression may be an expression again. */
const roundsMax = 100

const gone = { kind: 'gone' } as const
const cyclic: Stuck = { kind: 'stuck', failed: false, what: 'unresolved' }

/** Makes the live node of a cell. */
export function makeLive(raw: Cell, site: Site): Live {
  return new LiveNode(raw, site)
}

class LiveNode implements Host, Stand {
  readonly kind = 'spot'
  readonly raw: Cell
  readonly site: Site
  readonly effects: Effects = { results: [], next: 0 }
  outcome: Outcome = plainOutcome
  trouble: Trouble | undefined
  queued = false
  referred: Cell | undefined
  private known: Shape | undefined
  private result: Settled | undefined
  private shaping = false
  private settling = false
  private structure: Structure | undefined
  private cell: Cell | undefined

  constructor(raw: Cell, site: Site) {
    this.raw = raw
    this.site = site
  }

  get level(): Level {
    return this.site.level
  }
  get source(): string {
    return this.raw.source
  }
  get made(): string {
    return `dynaml@${this.raw.source}`
  }
  get document(): string {
    return this.level.document
  }
  get view(): StubView {
    return this.site.view
  }
  get noMerge(): boolean {
    return this.site.view.noMerge
  }

  path(): readonly string[] {
    const { parent, step, start } = this.site
    if (parent === undefined) return start ?? []
    return this.site.nameless || this.site.insert ? parent.path() : [...parent.path(), step]
  }
  shownPath(): readonly string[] {
    const { parent, shownStep, start } = this.site
    return parent === undefined ? (start ?? []) : [...parent.shownPath(), shownStep]
  }
  stubPath(): readonly string[] {
    return stubSteps(this.site.view.path)
  }
  findStub(path: readonly string[]): Cell | undefined {
    return findStub(this.site.view.stubs, path)
  }

  shape(): Shape {
    if (this.known !== undefined) return this.known
    if (this.shaping || this.queued) return cyclic
    this.enter(false)
    this.shaping = true
    this.level.run.depth++
    try {
      this.known = this.computeOrFail()
    } finally {
      this.shaping = false
      this.level.run.depth--
    }
    return this.known
  }

  settle(): Settled {
    if (this.result !== undefined) return this.result
    if (this.settling || this.queued) return cyclic
    this.enter(true)
    this.settling = true
    this.level.run.depth++
    try {
      this.result = this.settleShape(this.shape())
    } finally {
      this.settling = false
      this.level.run.depth--
    }
    return this.result
  }

  private enter(deep: boolean): void {
    const { run, startDepth } = this.level
    if (run.depth > startDepth + softDepth) throw new Suspended(this, deep)
    if (run.depth > run.budget.limits.depthMax) run.budget.tooDeep()
  }

  private settleShape(shape: Shape): Settled {
    if (shape.kind === 'gone' || shape.kind === 'stuck') return shape
    if (shape.kind === 'cell') return shape.cell
    const value = this.structure?.settle()
    if (value === undefined) return cyclic
    const cell: Cell = literalOrigin({ ...(this.cell ?? this.raw), value }, this)
    return this.trouble === undefined ? cell : { kind: 'stuck', failed: true, what: 'unresolved' }
  }

  below(): readonly Below[] {
    return this.structure?.below() ?? []
  }

  parts(): readonly Part[] | undefined {
    return this.structure?.parts()
  }

  get flags(): number {
    return this.cell?.flags ?? 0
  }

  /** What stubs bring may be a template that fails where it is used. */
  private computeOrFail(): Shape {
    try {
      return this.site.injected ? { kind: 'cell', cell: this.instantiated(this.raw) } : this.compute()
    } catch (error) {
      const rest = { expr: undefined, text: describeRaw(this.raw) }
      if (!(error instanceof Failure || error instanceof Waiting)) throw error
      const issue = error instanceof Failure ? error.issue : issueOf(error.text)
      return this.fail({ sign: '*', issue, ...rest }, '<substitute>')
    }
  }

  private compute(): Shape {
    const { raw } = this
    const { value } = raw
    this.effects.next = 0
    if (typeof value === 'string') {
      const expr = this.parse(value)
      return expr === undefined ? this.plain(raw) : this.expression(expr, value)
    }
    return value instanceof Dict || value instanceof List ? this.walk(raw) : this.plain(raw)
  }

  private parse(text: string): Expr | undefined {
    const parsed = parseText(this.level.run, text)
    return parsed !== undefined && 'expr' in parsed ? parsed.expr : undefined
  }

  /** Whether a stub may replace what stands here. */
  private get open(): boolean {
    return this.site.override && !this.noMerge
  }

  /** Plain data, which a stub may replace; text that looks like an expression but is none is reported. */
  private plain(cell: Cell): Shape {
    const replaced = this.open ? this.replaced(cell.flags, cell.key ?? '') : undefined
    if (replaced !== undefined) return { kind: 'cell', cell: replaced }
    if (typeof cell.value === 'string' && looksLikeCode(cell.value)) {
      const parsed = parseText(this.level.run, cell.value)
      if (parsed !== undefined && 'fault' in parsed)
        this.fail({
          sign: '*',
          issue: issueOf(parsed.fault.message),
          expr: undefined,
          text: cell.value,
          code: { text: this.codeOf(cell.value), at: parsed.fault.offset },
        })
    }
    return { kind: 'cell', cell: literalOrigin(cell, this) }
  }

  private fail(trouble: Omit<Trouble, 'source'>, source = this.raw.source): Stuck {
    this.trouble = { ...trouble, source }
    this.level.troubled = true
    return { kind: 'stuck', failed: trouble.sign !== '@', what: 'unresolved' }
  }

  private expression(first: Expr, written: string, final = false): Shape {
    const info = newInfo(final)
    let expr = first
    let text = written
    try {
      for (let round = 0; ; round++) {
        const value = this.evaluateOnce(expr, info)
        const next = typeof value === 'string' ? this.parse(value) : undefined
        if (next !== undefined && round >= roundsMax)
          throw new Failure(issueOf('results are expressions without end'))
        if (next === undefined) return this.finish(value, info, expr)
        expr = next
        text = String(value)
      }
    } catch (error) {
      if (error instanceof Failure && info.early) return this.expression(first, written, true)
      return this.unsettled(error, { expr, text, flags: info.flags })
    }
  }

  /** What is left where an expression fails or waits. */
  private unsettled(
    error: unknown,
    { expr, text, flags }: { expr: Expr; text: string; flags: number },
  ): Shape {
    if (error instanceof Waiting)
      return this.fail({
        sign: error.failed ? '-' : '@',
        issue: issueOf(error.text),
        expr,
        text: '',
        waitsIn: error.level,
      })
    if (!(error instanceof Failure)) throw error
    const replaced = this.open ? this.replaced(this.raw.flags | flags, '') : undefined
    if (replaced !== undefined) return { kind: 'cell', cell: replaced }
    if (this.site.insert && isOptionalInsert(expr))
      return { kind: 'cell', cell: { ...this.raw, value: null } }
    const code = error.at === undefined ? undefined : { text: this.codeOf(text), at: error.at }
    return this.fail({ sign: '*', issue: error.issue, expr, text: '', code })
  }

  /** The text between the parentheses, or what an interpolated text was turned into. */
  private codeOf(text: string): string {
    return embedded(text, this.level.run.interpolation) ?? text
  }

  private evaluateOnce(expr: Expr, info: Info): Value {
    const isTemplate = expr.kind === 'marker' && expr.marks.includes('&template')
    if (expr.kind === 'marker' && this.site.insert && !isTemplate && expr.marks.includes('&dynamic'))
      throw new Failure(issueOf('dynamic marker for non-template value node'))
    if (expr.kind === 'marker' && isTemplate) {
      const { flags, tag } = readMarks(expr.marks)
      info.flags |= flags
      if (expr.a === undefined) throw new Failure(issueOf('empty template value'))
      info.tag = tag
      const original = { ...this.raw, value: `(( ${printExpr(expr)} ))` }
      return this.template({ ...this.raw, value: `((${expr.source}))` }, original)
    }
    const { run } = this.level
    const value = run.evaluate(expr, this.env(info))
    if (typeof value === 'string' && hasRawBytes(value))
      throw new Failure(issueOf('value holds bytes that are no UTF-8 text; keep it as base64'))
    return value
  }

  env(info: Info): Env {
    const { level, site } = this
    return {
      run: level.run,
      base: level.base,
      scope: site.scope,
      stand: this,
      mergePath: undefined,
      info,
    }
  }

  template(prepared: Cell, original: Cell): Template {
    return {
      kind: 'template',
      prepared: { ...prepared, flags: 0 },
      original,
      home: this.site.scope,
      path: this.path().join('.'),
    }
  }

  /** The stub's cell in place of this one. */
  replaced(flags: number, key: string): Cell | undefined {
    const stub = stubHere(this.site.view)
    if (stub === undefined || onlyDefault(stub.flags)) return undefined
    const cell = this.instantiated(stub)
    const merged = { ...cell, flags: cell.flags | overriddenFlags(flags), key: key || cell.key }
    return this.level.run.trace ? { ...merged, origin: stubOrigin(stub, this) } : merged
  }

  /** A dynamic template becomes a value of this document; it stays dynamic for the next. */
  instantiated(stub: Cell): Cell {
    const value = stub.dynamic ?? stub.value
    if ((stub.flags & flag.dynamic) === 0 || typeof value !== 'object' || value === null) return stub
    if (value.kind !== 'template') return stub
    const message = `resolution of template '${value.path}' failed`
    const { cell } = this.level.run.fragment(value.prepared, this.env(newInfo()), { message, self: value })
    return { ...stub, value: cell.value, dynamic: value }
  }

  private finish(value: Value, info: Info, expr: Expr): Shape {
    const direct = isDirectMerge(expr)
    info.replace = info.replace && direct
    this.outcome = {
      flags: info.flags,
      redirect: info.redirect,
      merged: info.merged,
      replace: info.replace,
      key: info.key,
      tag: info.tag,
    }
    const flags = this.raw.flags | info.flags
    const structured = value instanceof Dict || value instanceof List
    const dynamic = (flags & flag.dynamic) !== 0 && isTemplate(value) ? value : undefined
    // A dynamic template of the document itself is instantiated and then final.
    const open = dynamic === undefined && mayOverride(this.site, info, structured)
    const replaced = open ? this.replaced(flags, info.key) : undefined
    if (replaced !== undefined) return { kind: 'cell', cell: replaced }
    if (info.undefined) return this.vanish()
    const cell: Cell = {
      kind: 'cell',
      value: dynamic === undefined ? value : this.instantiated({ ...this.raw, value, flags }).value,
      dynamic,
      source: info.source || this.raw.source,
      flags,
      key: info.key || undefined,
      origin: this.level.run.trace ? computedOrigin(expr, info, this) : undefined,
    }
    if (info.tag !== '' && !this.site.insert) this.name(info.tag, cell)
    if (this.trouble !== undefined) return { kind: 'stuck', failed: true, what: 'unresolved' }
    if (this.site.insert || !structured || info.merged || !(isLive(value) || this.site.view.cells.length > 0))
      return { kind: 'cell', cell }
    return this.walk(cell)
  }

  /** Undefined: the place is not there, unless a stub adds itself. */
  private vanish(): Shape {
    const stub = this.site.override ? stubHere(this.site.view) : undefined
    return stub !== undefined && addsItself(stub.flags)
      ? { kind: 'cell', cell: this.instantiated(stub) }
      : gone
  }

  /** Gives the place its tag; the first place of a name keeps it. */
  name(tag: string, cell: Cell): void {
    const path = this.shownPath().join('.')
    try {
      this.level.run.tags.define(tag, this, path)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { value } = cell
      const text = value instanceof Dict || value instanceof List ? `<${value.kind}>` : undefined
      this.fail({ sign: '*', issue: error.issue, expr: undefined, text: text ?? describeRaw(this.raw) })
    }
  }

  /** What a control yields: a map is merged field by field like one of the document, all else is replaced as a whole. */
  private chosen({ cell, tag }: Extract<Shaped, { kind: 'chosen' }>): Shape {
    if (cell !== undefined && tag !== '') this.name(tag, cell)
    if (cell?.value instanceof Dict) {
      this.referred = cell
      return this.walk(cell)
    }
    if (cell !== undefined) return this.plain(this.instantiated(cell))
    const replaced = this.open ? this.replaced(0, '') : undefined
    return replaced === undefined ? this.vanish() : { kind: 'cell', cell: replaced }
  }

  /** Maps and lists: structure first, content on demand. */
  private walk(cell: Cell): Shape {
    const quiet = !this.level.run.trace && this.site.view.cells.length === 0 && !isLive(cell.value)
    if (quiet) return { kind: 'cell', cell }
    const { value } = cell
    const shaped = value instanceof List ? shapeList(this, cell, value) : shapeMap(this, cell, value as Dict)
    if ('replaceable' in shaped && shaped.replaceable === true && this.open) {
      const replaced = this.replaced(cell.flags, cell.key ?? '')
      if (replaced !== undefined) return { kind: 'cell', cell: replaced }
    }
    switch (shaped.kind) {
      case 'structure': {
        this.structure = shaped.structure
        this.cell = shaped.cell
        if (shaped.tag !== '') this.name(shaped.tag, shaped.cell)
        if (shaped.issue !== undefined)
          this.fail({
            sign: '*',
            issue: shaped.issue,
            expr: undefined,
            text: `<${value instanceof List ? 'list' : 'map'}>`,
          })
        return shaped.structure.shape
      }
      case 'value':
        if (shaped.tag !== '') this.name(shaped.tag, shaped.cell)
        this.referred = shaped.cell
        return this.plain(shaped.cell)
      case 'chosen':
        return this.chosen(shaped)
      case 'failed':
        this.structure = shaped.structure
        return this.fail({
          sign: shaped.sign ?? '*',
          issue: shaped.issue,
          expr: undefined,
          text: shaped.text,
        })
      case 'incomplete':
        this.structure = shaped.structure
        this.level.troubled = true
        return { kind: 'stuck', failed: false, what: 'not complete' }
      default:
        return this.vanish()
    }
  }
}
