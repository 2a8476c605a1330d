/** The structure of a map: its insert, its fields as nodes, what stubs inject, and its control. */
import { findControl, isControlKey, runControl } from './control.ts'
import { insertOf, marksOf } from './insert.ts'
import { issueOf } from './issue.ts'
import { templateOf as template } from './override.ts'
import {
  type Below,
  brokenStructure,
  type Host,
  type Live,
  type Part,
  type Shaped,
  type Structure,
} from './site.ts'
import { type StubView, stubChild, stubHere, stubRedirect } from './stubs.ts'
import {
  addsItself,
  byBytes,
  type Cell,
  Dict,
  flag,
  hasCode,
  isLive,
  overriddenFlags,
  type Scope,
  type Seen,
  type Stuck,
  typeName,
} from './value.ts'

const pending: Stuck = { kind: 'stuck', failed: false, what: 'unresolved' }
/** A field that is needed before its map is known. */
const notYet: Seen = { kind: 'spot', shape: () => pending, settle: () => pending }

/** A map under construction. */
interface Draft {
  readonly host: Host
  readonly cell: Cell
  readonly dict: Dict
  readonly scope: Scope
  readonly fields: Map<string, Live | Cell>
  view: StubView
  flags: number
  tag: string
  merged: boolean
  ready: boolean
  /** No more fields will come. */
  complete: boolean
}

/** Finds out the fields of a map. */
export function shapeMap(host: Host, cell: Cell, dict: Dict): Shaped {
  const draft = newDraft(host, cell, dict)
  const inserted = insert(draft)
  if (inserted !== undefined && 'kind' in inserted) return inserted
  addOwnFields(draft, inserted?.replaced ?? false)
  draft.ready = true
  const { run } = host.site.level
  const control = run.control ? findControl([...dict.keys]) : undefined
  draft.complete = control !== undefined
  if (control !== undefined) return controlled(draft, control)
  addInjected(draft)
  draft.complete = true
  return {
    kind: 'structure',
    structure: mapStructure(draft),
    cell: { ...cell, flags: draft.flags },
    tag: draft.tag,
    issue: inserted?.issue === undefined ? undefined : issueOf(inserted.issue),
  }
}

/** The fields of a map as names. A class, because every literal with a getter leaves the engine a shape of its own, which keeps the map. */
class FieldNames {
  draft: Draft | undefined
  get(name: string): Seen | undefined {
    return this.draft && lookUp(this.draft, name)
  }
  get mayGrow(): boolean {
    return this.draft?.complete !== true
  }
}

function newDraft(host: Host, cell: Cell, dict: Dict): Draft {
  const stub = stubHere(host.view)
  const fields = new Map<string, Live | Cell>()
  const { scope: outer, level } = host.site
  const names = new FieldNames()
  const scope: Scope = {
    names,
    next: outer,
    isInside: !host.isRoot,
    locals: outer?.locals ?? new Map(),
    base: level.base,
    map: host,
  }
  const draft: Draft = {
    host,
    cell,
    dict,
    scope,
    fields,
    view: host.view,
    flags: cell.flags | (stub ? stub.flags & (flag.temporary | flag.state) : 0),
    tag: '',
    merged: false,
    ready: false,
    complete: false,
  }
  names.draft = draft
  return draft
}

/** Names in the scope of a map; before the insert is known, only plain fields can be seen. */
function lookUp(draft: Draft, name: string): Seen | undefined {
  if (draft.ready) return draft.fields.get(name)
  const own = draft.dict.get(name)
  if (own === undefined) return undefined
  return isLive(own.value) ? notYet : own
}

interface Inserted {
  readonly replaced: boolean
  readonly issue?: string
}

function insert(draft: Draft): Shaped | Inserted | undefined {
  const { host, dict } = draft
  const found = insertOf(dict)
  if (found === undefined) return undefined
  if (found === 'both') {
    const issue = issueOf('multiple merge keys not allowed')
    return { kind: 'failed', issue, text: '<map>', structure: brokenStructure([]) }
  }
  const marks = marksOf(host.site.level.run, found.cell)
  draft.flags |= marks.flags
  if (marks.tag !== '') draft.tag = marks.tag
  if (marks.template !== undefined) return templateOf(draft, found.key, marks.template.rest)
  return insertValue(draft, found.key, found.cell)
}

/** A map marked as template: the tree without the mark. */
function templateOf(draft: Draft, key: string, rest: string | undefined): Shaped {
  const { host, cell, dict } = draft
  const cells = new Map(dict.cells)
  cells.delete(key)
  if (rest !== undefined) cells.set(key, { ...cell, value: rest, flags: 0 })
  const value = template(host, { ...cell, value: new Dict(cells) }, cell)
  return { kind: 'value', cell: { ...cell, value, flags: draft.flags }, tag: draft.tag }
}

function insertValue(draft: Draft, key: string, cell: Cell): Shaped | Inserted {
  const { host, scope } = draft
  // A plain map may hold inserts of its own; an expression belongs to this place.
  const isNested = cell.value instanceof Dict && insertOf(cell.value) !== undefined
  const node = host.site.level.make(cell, {
    level: host.site.level,
    parent: host,
    step: key,
    shownStep: key,
    scope,
    view: host.view,
    override: false,
    insert: true,
  })
  const plain = cell.value instanceof Dict && !isNested
  const base = plain ? cell : settleInsert(node, isNested)
  if (base === 'gone') return { kind: 'gone' }
  if (base === undefined) return { kind: 'incomplete', structure: brokenStructure([{ step: key, node }]) }
  return applyInsert(draft, base, node)
}

function settleInsert(node: Live, deep: boolean): Cell | 'gone' | undefined {
  const shape = node.shape()
  if (shape.kind === 'gone') return 'gone'
  if (shape.kind === 'stuck' || node.trouble !== undefined) return undefined
  if (shape.kind === 'cell' && !deep) return shape.cell
  const settled = node.settle()
  return settled.kind === 'cell' ? settled : undefined
}

function applyInsert(draft: Draft, base: Cell, node: Live): Inserted {
  const { redirect, merged, replace } = node.outcome
  if (redirect !== undefined) draft.view = stubRedirect(draft.host.view, redirect)
  draft.merged = merged
  if (base.value instanceof Dict) {
    for (const key of base.value.keys) {
      const cell = base.value.get(key)
      if (cell !== undefined) draft.fields.set(key, replace ? cell : field(draft, key, cell))
    }
    return { replaced: replace }
  }
  if (base.value === null) return { replaced: false }
  return {
    replaced: replace,
    issue: `require map value for '<<' insert, found '${typeName(base.value)}'`,
  }
}

function field(draft: Draft, key: string, cell: Cell, override = true): Live {
  const { host, scope } = draft
  return host.site.level.make(cell, {
    level: host.site.level,
    parent: host,
    step: key,
    shownStep: key,
    scope,
    view: stubChild(draft.view, key),
    override,
  })
}

function addOwnFields(draft: Draft, replaced: boolean): void {
  if (replaced) return
  const controls = draft.host.site.level.run.control && draft.dict.keys.some(isControlKey)
  for (const key of draft.dict.keys) {
    const cell = draft.dict.get(key)
    if (cell === undefined || key === '<<' || key === '<<<') continue
    draft.fields.set(key, field(draft, key, cell, !controls))
  }
}

/** Fields of the stub that add themselves, unless this map was merged as a whole. */
function addInjected(draft: Draft): void {
  const { host, fields } = draft
  const stub = draft.merged || (draft.cell.flags & flag.injected) !== 0 ? undefined : stubHere(host.view)
  if (!(stub?.value instanceof Dict)) return
  for (const [key, cell] of stub.value.cells)
    if (addsItself(cell.flags) && !fields.has(key)) fields.set(key, injectedField(draft, key, cell))
}

/** Once it has been added, a default is a field like any other, which travels on. */
function injectedField(draft: Draft, key: string, stub: Cell): Live | Cell {
  const cell = { ...stub, flags: overriddenFlags(stub.flags) }
  if (hasCode(cell.value)) return field(draft, key, cell, false)
  if ((cell.flags & flag.dynamic) === 0) return cell
  const { level } = draft.host.site
  return level.make(cell, { ...field(draft, key, cell, false).site, injected: true })
}

function mapStructure(draft: Draft): Structure {
  const { host, fields } = draft
  const implied = (draft.flags & (flag.implied | flag.default)) !== 0 ? flag.implied : 0
  return {
    shape: { kind: 'map', get: (name) => fields.get(name) },
    settle: () => {
      host.site.level.run.budget.make(fields.size)
      const cells = new Map<string, Cell>()
      let whole = true
      for (const key of [...fields.keys()].sort(byBytes)) {
        const entry = fields.get(key)
        const settled = entry?.kind === 'spot' ? entry.settle() : entry
        if (settled?.kind === 'stuck') whole = false
        if (settled?.kind === 'cell')
          cells.set(key, implied === 0 ? settled : { ...settled, flags: settled.flags | implied })
      }
      return whole ? new Dict(cells) : undefined
    },
    below: () => belowOf(fields),
    parts: () => partsOf(fields),
  }
}

function partsOf(fields: ReadonlyMap<string, Live | Cell>): readonly Part[] {
  return [...fields].map(([step, at]) => ({ step, at }))
}

function belowOf(fields: ReadonlyMap<string, Live | Cell>): readonly Below[] {
  const below: Below[] = []
  for (const key of [...fields.keys()].sort(byBytes)) {
    const node = fields.get(key)
    if (node?.kind === 'spot') below.push({ step: key, node })
  }
  return below
}

function controlled(draft: Draft, control: ReturnType<typeof findControl>): Shaped {
  const { host, fields, cell } = draft
  if (control === undefined) return { kind: 'gone' }
  if ('issue' in control)
    return { kind: 'failed', issue: issueOf(control.issue), text: '<map>', structure: brokenStructure([]) }
  const result = runControl(control, { host, fields, scope: draft.scope, view: draft.view })
  switch (result.kind) {
    case 'value':
      return {
        kind: 'chosen',
        cell: { ...cell, ...result.cell, flags: draft.flags | result.cell.flags },
        tag: draft.tag,
      }
    case 'gone':
      return { kind: 'chosen', cell: undefined, tag: '' }
    case 'stuck':
      return {
        kind: 'incomplete',
        structure: brokenStructure(result.below, partsOf(fields)),
        replaceable: result.failed,
      }
    default:
      return { ...result, structure: brokenStructure([], partsOf(fields)), replaceable: result.sign === '*' }
  }
}
