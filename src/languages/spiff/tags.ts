/** Named values: those of the document under way are found where they stand, those of finished documents are kept. */
import { drive } from './drive.ts'
import type { Env, TagPlace, Tags } from './env.ts'
import { marksOf } from './insert.ts'
import { failure } from './issue.ts'
import { exprOf } from './parse-text.ts'
import type { Live } from './site.ts'
import { type Cell, Dict, List, type Seen, type Value } from './value.ts'

interface Named {
  readonly seen: Seen
  readonly path: string
  readonly global: boolean
  /** Names a list: nothing but its uniqueness counts. */
  readonly unseen: boolean
}

/** A tag of a document that is done. */
interface Kept {
  readonly cell: Cell
  readonly path: string
  readonly global: boolean
}

export class TagTable implements Tags {
  /** Of this document, by name; globals marked. */
  private readonly current = new Map<string, Named>()
  /** Of earlier documents of the same level. */
  private readonly stream = new Map<string, Kept>()
  /** Global ones of earlier levels; the same place may set them anew. */
  private readonly globals = new Map<string, Kept>()
  private readonly documents: Cell[] = []
  private scanned = new Set<Live>()

  /** Tags that the caller sets are known to all documents. */
  constructor(given: ReadonlyMap<string, Cell> = new Map()) {
    for (const [tag, cell] of given) this.globals.set(bare(tag), { cell, path: '', global: true })
  }

  define(tag: string, seen: Seen, { path, unseen = false }: TagPlace): void {
    const global = tag.startsWith('*')
    const name = (global ? tag.slice(1) : tag).replaceAll(':', '.')
    const earlier = this.globals.get(name)
    if (!unseen && (this.stream.has(name) || (earlier !== undefined && earlier.path !== path)))
      failure(`duplicate tag "${name}": ${path} in foreign document`)
    const known = this.current.get(name)
    if (known !== undefined && known.path !== path)
      failure(`duplicate tag "${name}": ${path} <-> ${known.path}`)
    this.current.set(name, { seen, path, global, unseen })
  }

  find(tag: string, env: Env): readonly { readonly name: string; readonly at: Seen }[] {
    const name = tag.replaceAll(':', '.')
    if (name.startsWith('doc.')) return this.document(Number(name.slice(4)), env)
    env.run.budget.pass(this.globals.size + this.stream.size + this.current.size)
    const { root } = env.base
    if (root.kind === 'spot') this.scan(root as Live)
    const found = new Map<string, Seen>()
    for (const kept of [this.globals, this.stream])
      for (const [known, { cell }] of kept) if (within(known, name)) found.set(known, cell)
    for (const [known, { seen, unseen }] of this.current)
      if (!unseen && within(known, name)) found.set(known, seen)
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([known, at]) => ({ name: known, at }))
  }

  private document(number: number, env: Env): readonly { readonly name: string; readonly at: Seen }[] {
    if (number === 0) return [{ name: 'doc.0', at: env.base.root }]
    const at = number > 0 ? number : this.documents.length + 1 + number
    const cell = at > 0 ? this.documents[at - 1] : undefined
    return cell === undefined ? [] : [{ name: `doc.${at}`, at: cell }]
  }

  /** Tags must be found wherever they stand, so all places that could define one are evaluated as far as needed. */
  private scan(node: Live): void {
    if (this.scanned.has(node) || !mentionsTag(node.raw.value)) return
    const shape = node.shape()
    const tag = tagOf(node)
    if (tag !== '' && shape.kind !== 'stuck' && node.trouble === undefined)
      this.current.has(bare(tag)) || this.define(tag, node, { path: node.shownPath().join('.') })
    if (typeof node.raw.value === 'string' && node.raw.value.includes('tagdef')) node.settle()
    if (shape.kind !== 'stuck') this.scanned.add(node)
    for (const below of node.below()) this.scan(below.node)
  }

  /** Ends a document of a stream; its tags stay visible to the next. */
  endDocument(cell: Cell): void {
    for (const [name, { seen, path, global, unseen }] of this.current) {
      const cell = unseen ? undefined : settledCell(seen)
      if (cell !== undefined) this.stream.set(name, { cell, path, global })
    }
    this.current.clear()
    this.scanned = new Set()
    this.documents.push(cell)
  }

  /** Ends a level: only global tags stay. */
  endLevel(): void {
    for (const [name, { global, seen, path, unseen }] of this.current) {
      const cell = global && !unseen ? settledCell(seen) : undefined
      if (cell !== undefined) this.globals.set(name, { cell, path, global })
    }
    for (const [name, kept] of this.stream) if (kept.global) this.globals.set(name, kept)
    this.current.clear()
    this.stream.clear()
    this.documents.length = 0
    this.scanned = new Set()
  }
}

function settledCell(seen: Seen): Cell | undefined {
  const settled = seen.kind === 'cell' ? seen : drive(seen as Live)
  return settled.kind === 'cell' ? settled : undefined
}

function bare(tag: string): string {
  return (tag.startsWith('*') ? tag.slice(1) : tag).replaceAll(':', '.')
}

function within(known: string, name: string): boolean {
  return known === name || known.startsWith(`${name}.`)
}

/** The tag a place declares by its own marker. */
function tagOf(node: Live): string {
  const { value } = node.raw
  const { run } = node.site.level
  if (typeof value === 'string') {
    const expr = exprOf(run, value)
    if (expr?.kind !== 'marker') return ''
    return expr.marks.find((mark) => mark.startsWith('&tag:'))?.slice(5) ?? ''
  }
  if (value instanceof Dict) {
    const insert = value.get('<<') ?? value.get('<<<')
    return insert === undefined ? '' : marksOf(run, insert).tag
  }
  return ''
}

const mentions = new WeakMap<object, boolean>()

/** Whether a tag is declared anywhere below. */
function mentionsTag(value: Value): boolean {
  if (typeof value === 'string') return value.includes('&tag:') || value.includes('tagdef')
  if (!(value instanceof List || value instanceof Dict)) return false
  const known = mentions.get(value)
  if (known !== undefined) return known
  const cells = value instanceof List ? value.cells : [...value.cells.values()]
  const found = cells.some((cell) => mentionsTag(cell.value))
  mentions.set(value, found)
  return found
}
