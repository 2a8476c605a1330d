/** A node of a document, evaluated on demand and once: first its kind, then everything in it. */
import { stackMax } from './budget.ts'
import { type Env, type Info, isTemplate, newInfo, type Stand } from './env.ts'
import { FramedNode } from './framed-node.ts'
import { isOptionalInsert } from './insert.ts'
import { extentOfIssue, Failure, issueOf, Suspended, signOf, Waiting } from './issue.ts'
import { shapeList } from './live-list.ts'
import { shapeMap } from './live-map.ts'
import { isDirectMerge, mayOverride } from './merge.ts'
import { computedOrigin, describeRaw, literalOrigin } from './origin.ts'
import { addedByStub, evaluateNode, instantiated, replacement } from './override.ts'
import { exprOf, parseText } from './parse-text.ts'
import {
  type Below,
  delegated,
  type Host,
  type Live,
  type Outcome,
  outcomeOf,
  type Part,
  plainOutcome,
  type Shaped,
  type Site,
  type Structure,
  type Trouble,
} from './site.ts'
import { type StubView, stubsGone } from './stubs.ts'
import type { Expr } from './tree.ts'
import {
  type Cell,
  Dict,
  flag,
  hasCode,
  isLive,
  List,
  looksLikeCode,
  type Settled,
  type Shape,
  type Stuck,
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

class LiveNode extends FramedNode implements Host, Stand {
  readonly kind = 'spot'
  outcome: Outcome = plainOutcome
  trouble: Trouble | undefined
  referred: Cell | undefined
  open: Cell | undefined
  private known: Shape | undefined
  private result: Settled | undefined
  private shaping = false
  private settling = false
  private structure: Structure | undefined
  /** It failed, and references see what it holds all the same. */
  private visible = false
  private cell: Cell | undefined

  shape(): Shape {
    if (this.known !== undefined) return this.known
    if (this.shaping || this.queued) return cyclic
    this.enter(false)
    this.shaping = true
    this.level.run.depth++
    try {
      this.known = this.computeOrFail()
    } catch (error) {
      this.leave(error)
      throw error
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
      const settled = this.settleShape(this.shape())
      // What is under way here or below may well settle: the circle is one of the asking place, not of this node.
      const isUnderWay = this.shaping || this.below().some(({ node }) => !node.isSettled)
      if (settled !== cyclic || !isUnderWay) this.result = settled
      return settled
    } catch (error) {
      this.leave(error)
      throw error
    } finally {
      this.settling = false
      this.level.run.depth--
    }
  }

  get isSettled(): boolean {
    return this.result !== undefined
  }

  private enter(deep: boolean): void {
    const { run, startDepth } = this.level
    // Whose parent is not known yet is made anew with it: to begin again here would have no end.
    const { parent } = this.site
    const lasts = !(parent instanceof LiveNode) || parent.known !== undefined
    if (lasts && run.depth > startDepth + softDepth) throw new Suspended({ kind: 'node', node: this, deep })
    if (run.depth > stackMax) run.budget.tooDeep()
  }

  private settleShape(shape: Shape): Settled {
    if (shape.kind === 'gone' || shape.kind === 'stuck') return shape
    if (shape.kind === 'cell') return shape.cell
    const value = this.structure?.settle()
    if (value === undefined) return cyclic
    const cell: Cell = literalOrigin({ ...(this.cell ?? this.raw), value }, this)
    return this.trouble === undefined || this.visible
      ? cell
      : { kind: 'stuck', failed: true, what: 'unresolved' }
  }

  below(): readonly Below[] {
    return this.structure?.below() ?? []
  }

  parts(): readonly Part[] | undefined {
    return this.structure?.parts()
  }

  get isList(): boolean {
    const kind = this.structure?.shape.kind
    return kind === 'list' || (kind !== 'map' && this.raw.value instanceof List)
  }

  get flags(): number {
    return this.cell?.flags ?? 0
  }

  /** What stubs bring may be a template that fails where it is used. */
  private computeOrFail(): Shape {
    this.restart()
    try {
      return this.site.injected ? { kind: 'cell', cell: instantiated(this, this.raw) } : this.compute()
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
    if (typeof value === 'string') {
      const expr = exprOf(this.level.run, value)
      return expr === undefined ? this.plain(raw) : this.expression(expr, value)
    }
    return value instanceof Dict || value instanceof List ? this.walk(raw) : this.plain(raw)
  }

  /** Whether a stub may replace what stands here. */
  private get replaceable(): boolean {
    return this.site.override && !this.noMerge
  }

  /** Plain data, which a stub may replace. */
  private plain(cell: Cell): Shape {
    const replaced = this.replaceable ? this.replaced(cell.flags, cell.key ?? '') : undefined
    if (replaced !== undefined) return replaced
    this.reportMisread(cell.value)
    return { kind: 'cell', cell: literalOrigin(cell, this) }
  }

  /** Text that looks like an expression but is none is at fault, be it written or a result. */
  private reportMisread(value: Value): void {
    const parsed = typeof value === 'string' && looksLikeCode(value) && parseText(this.level.run, value)
    if (typeof value !== 'string' || !parsed || !('fault' in parsed)) return
    const code = { text: this.codeOf(value), at: parsed.fault.offset }
    this.fail({ sign: '*', issue: issueOf(parsed.fault.message), expr: undefined, text: value, code })
  }

  private fail(trouble: Omit<Trouble, 'source'>, source = this.raw.source): Stuck {
    this.trouble = { ...trouble, source }
    this.level.troubled = true
    this.level.run.budget.tell(extentOfIssue(trouble.issue))
    return { kind: 'stuck', failed: trouble.sign !== '@', what: 'unresolved' }
  }

  private expression(first: Expr, written: string, final = false): Shape {
    const info = newInfo(final)
    let expr = first
    let text = written
    try {
      for (let round = 0; ; round++) {
        const value = evaluateNode(this, expr, info)
        const next = typeof value === 'string' ? exprOf(this.level.run, value) : undefined
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

  /** What the stub has for this place; what a partial run left open in it is evaluated here. */
  private replaced(flags: number, key: string): Shape | undefined {
    const cell = replacement(this, flags, key)
    return cell === undefined || !hasCode(cell.value) ? cell && { kind: 'cell', cell } : this.leftOpen(cell)
  }

  private leftOpen(cell: Cell): Shape {
    this.open = cell
    // An expression of a stub stands in for whatever it would become here.
    return typeof cell.value === 'string'
      ? this.fail({ sign: '@', issue: issueOf(''), expr: undefined, text: cell.value }, cell.source)
      : this.standIn(cell, this.site.view)
  }

  private standIn(cell: Cell, view: StubView): Shape {
    const node = this.level.make(cell, { ...this.site, override: false, view })
    const shape = node.shape()
    if (shape.kind === 'cell') return shape
    this.cell = cell
    this.structure = delegated(node, shape)
    return shape
  }

  /** What is left where an expression fails or waits. */
  private unsettled(
    error: unknown,
    { expr, text, flags }: { expr: Expr; text: string; flags: number },
  ): Shape {
    if (error instanceof Waiting)
      return this.fail({
        sign: signOf(error),
        issue: issueOf(error.text),
        expr,
        text: '',
        waitsIn: error.level,
      })
    if (!(error instanceof Failure)) throw error
    const replaced = this.replaceable ? this.replaced(this.raw.flags | flags, '') : undefined
    if (replaced !== undefined) return replaced
    if (this.site.insert && isOptionalInsert(expr))
      return { kind: 'cell', cell: { ...this.raw, value: null } }
    const code = error.at === undefined ? undefined : { text: this.codeOf(text), at: error.at }
    return this.fail({ sign: '*', issue: error.issue, expr, text: '', code })
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
      frame: this.ownFrame,
    }
  }

  private finish(value: Value, info: Info, expr: Expr): Shape {
    const direct = isDirectMerge(expr)
    info.replace = info.replace && direct
    this.outcome = outcomeOf(info)
    const flags = this.raw.flags | info.flags
    const structured = value instanceof Dict || value instanceof List
    const dynamic = (flags & flag.dynamic) !== 0 && isTemplate(value) ? value : undefined
    // A dynamic template of the document itself is instantiated and then final.
    const open = dynamic === undefined && mayOverride(this.site, info, structured)
    const replaced = open ? this.replaced(flags, info.key) : undefined
    if (replaced !== undefined) return replaced
    if (info.undefined) return this.vanish()
    const cell: Cell = {
      kind: 'cell',
      value,
      dynamic,
      source: info.source || this.raw.source,
      flags,
      key: info.key || undefined,
      origin: this.level.run.trace ? computedOrigin(expr, info, this) : undefined,
    }
    if (dynamic !== undefined) return this.instance(cell, expr)
    if (info.tag !== '' && !this.site.insert) this.name(info.tag, cell)
    if (this.trouble !== undefined) return { kind: 'stuck', failed: true, what: 'unresolved' }
    this.reportMisread(value)
    if (this.site.insert || !structured || info.merged || !(isLive(value) || this.site.view.cells.length > 0))
      return { kind: 'cell', cell }
    return this.walk(cell)
  }

  /** A dynamic template of the document itself is instantiated where it stands; no stub stands in when that fails. */
  private instance(cell: Cell, expr: Expr): Shape {
    try {
      return { kind: 'cell', cell: instantiated(this, cell) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return this.fail({ sign: '*', issue: error.issue, expr, text: '' })
    }
  }

  /** Undefined: the place is not there, unless a stub adds itself. */
  private vanish(): Shape {
    const cell = this.site.override && addedByStub(this)
    return cell ? { kind: 'cell', cell } : gone
  }

  /** Gives the place its tag; the first place of a name keeps it. */
  name(tag: string, cell: Cell, unseen = false): void {
    const path = this.shownPath().join('.')
    try {
      this.level.run.tags.define(tag, this, { path, unseen })
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
    if (cell !== undefined) return this.chosenValue(instantiated(this, cell))
    const replaced = this.replaceable ? this.replaced(0, '') : undefined
    return replaced ?? this.vanish()
  }

  /** What a control yields besides maps; texts in a list that are no expressions after all are at fault. */
  private chosenValue(cell: Cell): Shape {
    const shape = this.plain(cell)
    const open = shape.kind === 'cell' && shape.cell.value instanceof List && hasCode(shape.cell.value)
    return open ? this.standIn(shape.cell, stubsGone(this.site.view)) : shape
  }

  /** Maps and lists: structure first, content on demand. */
  private walk(cell: Cell): Shape {
    const quiet = !this.level.run.trace && this.site.view.cells.length === 0 && !isLive(cell.value)
    if (quiet) return { kind: 'cell', cell }
    const { value } = cell
    const shaped = value instanceof List ? shapeList(this, cell, value) : shapeMap(this, cell, value as Dict)
    if ('replaceable' in shaped && shaped.replaceable === true && this.replaceable) {
      const replaced = this.replaced(cell.flags, cell.key ?? '')
      if (replaced !== undefined) return replaced
    }
    switch (shaped.kind) {
      case 'structure': {
        this.structure = shaped.structure
        this.cell = shaped.cell
        // The tag of a list is not seen by references, as in the original.
        if (shaped.tag !== '') this.name(shaped.tag, shaped.cell, value instanceof List)
        this.visible = shaped.issue !== undefined && this.trouble === undefined
        const text = `<${value instanceof List ? 'list' : 'map'}>`
        if (shaped.issue !== undefined) this.fail({ sign: '*', issue: shaped.issue, expr: undefined, text })
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
