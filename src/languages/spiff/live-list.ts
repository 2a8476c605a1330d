/** The structure of a list: its inserts, key declarations, controls in entries, and the entries as nodes. */
import { isControlKey } from './control.ts'
import { insertOf, marksOf } from './insert.ts'
import { listStructure } from './list-structure.ts'
import { templateOf } from './override.ts'
import { parseText } from './parse-text.ts'
import { brokenStructure, type Host, type Live, type Shaped } from './site.ts'
import { type StubView, stubChild, stubHere, stubRedirect, stubsGone } from './stubs.ts'
import { addsItself, type Cell, cellOf, Dict, flag, hasCode, List } from './value.ts'

/** An entry on its way into the list. */
interface Entry {
  readonly cell: Cell
  /** Spliced in or injected: nothing more happens to it. */
  readonly final: boolean
  /** A control that is already evaluated. */
  readonly node?: Live
}

interface Draft {
  readonly host: Host
  readonly cell: Cell
  readonly list: List
  readonly entries: Entry[]
  readonly declared: Set<string>
  /** The key values of the list as it is written, by key field. */
  readonly own: Map<string, ReadonlySet<string>>
  view: StubView
  key: string
  flags: number
  tag: string
  merged: boolean
  replaced: boolean
}

/** Finds out the entries of a list. */
export function shapeList(host: Host, cell: Cell, list: List): Shaped {
  const draft = newDraft(host, cell, list)
  for (let i = 0; i < list.cells.length; i++) {
    const raw = list.cells[i]
    if (raw === undefined) continue
    const shaped = addRaw(draft, raw, i)
    if (shaped !== undefined) return shaped
    if (draft.replaced) break
  }
  const [declared, second] = draft.declared
  if (declared !== undefined) draft.key = second === undefined ? declared : '!'
  const injected = injectedEntries(draft)
  const nodes = toNodes(draft, injected.length)
  const key = draft.key.startsWith('!') ? '' : draft.key
  return {
    kind: 'structure',
    structure: listStructure([...injected, ...nodes], host.site.level.run, key),
    cell: { ...cell, flags: draft.flags, key: key || undefined },
    tag: draft.tag,
  }
}

function newDraft(host: Host, cell: Cell, list: List): Draft {
  const stub = stubHere(host.view)
  return {
    host,
    cell,
    list,
    entries: [],
    declared: new Set(),
    own: new Map(),
    view: host.view,
    key: cell.key ?? '',
    flags: cell.flags | (stub ? stub.flags & (flag.temporary | flag.state) : 0),
    tag: '',
    merged: false,
    replaced: false,
  }
}

function addRaw(draft: Draft, raw: Cell, index: number): Shaped | undefined {
  if (!(raw.value instanceof Dict)) {
    draft.entries.push({ cell: raw, final: false })
    return undefined
  }
  const insert = raw.value.cells.size === 1 ? insertOf(raw.value) : undefined
  if (insert !== undefined && insert !== 'both') return addInsert(draft, insert, index)
  if (draft.host.site.level.run.control && raw.value.keys.some(isControlKey))
    return addControl(draft, raw, index)
  draft.entries.push({ cell: withoutDeclaration(draft, raw, raw.value), final: false })
  return undefined
}

function site(draft: Draft, step: string, view: StubView): Live['site'] {
  const { host } = draft
  return {
    level: host.site.level,
    parent: host,
    step,
    shownStep: step,
    scope: host.site.scope,
    view,
    override: false,
  }
}

function addInsert(draft: Draft, insert: { key: string; cell: Cell }, index: number): Shaped | undefined {
  const { host, cell, list } = draft
  const { run } = host.site.level
  const marks = marksOf(run, insert.cell)
  draft.flags |= marks.flags
  if (marks.tag !== '') draft.tag = marks.tag
  if (marks.template !== undefined) {
    const { rest } = marks.template
    const entry =
      rest === undefined
        ? []
        : [cellOf(new Dict(new Map([[insert.key, cellOf(rest, cell.source)]])), cell.source)]
    const cells = list.cells.flatMap((one, i) => (i === index ? entry : [one]))
    const value = templateOf(host, { ...cell, value: new List(cells) }, cell)
    return { kind: 'value', cell: { ...cell, value, flags: draft.flags }, tag: draft.tag }
  }
  const shownStep = `[${index}].${insert.key}`
  const node = host.site.level.make(insert.cell, {
    ...site(draft, insert.key, host.view),
    shownStep,
    insert: true,
  })
  const shape = node.shape()
  const settled = shape.kind === 'cell' ? shape.cell : node.settle()
  const base = settled.kind === 'gone' ? cellOf(null, '') : settled
  if (base.kind !== 'cell' || node.trouble !== undefined)
    return { kind: 'incomplete', structure: brokenStructure([{ step: shownStep, node }]) }
  splice(draft, base, node)
  return undefined
}

function splice(draft: Draft, base: Cell, node: Live): void {
  const { redirect, merged, replace, key } = node.outcome
  if (key !== '') draft.key = key
  if (redirect !== undefined) draft.view = stubRedirect(draft.host.view, redirect)
  if (merged) draft.merged = true
  if (!(base.value instanceof List)) return
  if (replace) {
    draft.replaced = true
    draft.entries.length = 0
  }
  const field = draft.key === '' ? (base.key ?? 'name') : draft.key
  const own = ownValues(draft, field)
  for (const cell of base.value.cells) {
    const name = keyValue(cell, field)
    if (name === undefined || !own.has(name)) draft.entries.push({ cell, final: merged || replace })
  }
}

function ownValues({ own, list }: Draft, field: string): ReadonlySet<string> {
  const known = own.get(field)
  if (known !== undefined) return known
  const values = new Set(list.cells.flatMap((cell) => keyValue(cell, field) ?? []))
  own.set(field, values)
  return values
}

function keyValue(cell: Cell, field: string): string | undefined {
  if (!(cell.value instanceof Dict)) return undefined
  const value = (cell.value.get(field) ?? cell.value.get(`key:${field}`))?.value
  return typeof value === 'string' ? value : undefined
}

/** A control in an entry: a list it results in is spliced, undefined leaves nothing. */
function addControl(draft: Draft, raw: Cell, index: number): Shaped | undefined {
  const step = `[${index}]`
  const node = draft.host.site.level.make(raw, {
    ...site(draft, step, stubChild(draft.view, step)),
    nameless: true,
  })
  const settled = node.settle()
  if (settled.kind === 'gone') return undefined
  if (settled.kind === 'stuck') return { kind: 'incomplete', structure: brokenStructure([{ step, node }]) }
  if (settled.value instanceof List)
    for (const cell of settled.value.cells) draft.entries.push({ cell, final: true })
  else draft.entries.push({ cell: settled, final: true })
  return undefined
}

/** `key:<field>` declares the key field and is taken off. */
function withoutDeclaration(draft: Draft, cell: Cell, dict: Dict): Cell {
  const declaration = dict.keys.find((key) => key.startsWith('key:') && key.length > 4)
  if (declaration === undefined) return cell
  const field = declaration.slice(4)
  draft.declared.add(field)
  const plain = field.startsWith('!') ? field.slice(1) : field
  const cells = new Map<string, Cell>()
  for (const [key, value] of dict.cells) cells.set(key === declaration ? plain : key, value)
  return { ...cell, value: new Dict(cells) }
}

/** Entries of the stub that add themselves stand in front. */
function injectedEntries(draft: Draft): readonly (Live | Cell)[] {
  const { host } = draft
  const stub = draft.merged || (draft.cell.flags & flag.injected) !== 0 ? undefined : stubHere(host.view)
  if (!(stub?.value instanceof List)) return []
  const added = stub.value.cells.filter((cell) => addsItself(cell.flags))
  return added.map((cell, i) => {
    const isOpen = hasCode(cell.value)
    if (!isOpen && (cell.flags & flag.dynamic) === 0) return cell
    return host.site.level.make(cell, { ...site(draft, `[${i}]`, draft.view), injected: !isOpen })
  })
}

function toNodes(draft: Draft, offset: number): readonly (Live | Cell)[] {
  const { host, entries } = draft
  const names = entryNames(draft)
  // Merging by index into a list that was merged as a whole would hit the wrong entries.
  const blind = draft.merged && names === undefined
  const field = draft.key === '' ? 'name' : draft.key
  return entries.map(({ cell, final, node }, i) => {
    if (node !== undefined) return node
    if (final) return hasCode(cell.value) ? finalNode(draft, cell, `[${i + offset}]`) : cell
    const step = names === undefined ? `[${i}]` : `${field}:${names[i] ?? ''}`
    const view = stubChild(draft.view, step)
    return host.site.level.make(cell, {
      ...site(draft, step, blind ? stubsGone(view) : view),
      shownStep: `[${i + offset}]`,
    })
  })
}

/** What nothing more happens to, except that a text in it which is no expression after all is at fault. */
function finalNode(draft: Draft, cell: Cell, step: string): Live {
  const { host, view } = draft
  return host.site.level.make(cell, site(draft, step, stubsGone(view)))
}

/** The key values of all entries, if every one has its own. */
function entryNames(draft: Draft): readonly string[] | undefined {
  if (draft.key.startsWith('!') || draft.entries.length === 0) return undefined
  const field = draft.key === '' ? 'name' : draft.key
  const names: string[] = []
  for (const { cell } of draft.entries) {
    const name = entryName(draft, cell, field)
    if (name === undefined) return undefined
    names.push(name)
  }
  return new Set(names).size === names.length ? names : undefined
}

/** Expressions in key fields are settled first, where merging depends on them. */
function entryName(draft: Draft, cell: Cell, field: string): string | undefined {
  if (!(cell.value instanceof Dict)) return undefined
  const key = cell.value.get(field)
  if (typeof key?.value !== 'string') return undefined
  const parsed = parseText(draft.host.site.level.run, key.value)
  if (parsed === undefined) return key.value
  if (draft.view.cells.length === 0) return undefined
  const settled = draft.host.site.level.make(key, site(draft, field, draft.view)).settle()
  return settled.kind === 'cell' && typeof settled.value === 'string' ? settled.value : undefined
}
