/** The entries of a list by index and by name, while some of them may still vanish. */
import type { Run } from './env.ts'
import { exprOf } from './parse-text.ts'
import { stepInto } from './reference.ts'
import type { Live, Structure } from './site.ts'
import { canVanish } from './tree.ts'
import { type Cell, List, type Seen, type Shape, type Stuck } from './value.ts'

const pending: Stuck = { kind: 'stuck', failed: false, what: 'unresolved' }
const unknown: Seen = { kind: 'spot', shape: () => pending, settle: () => pending }

/** The structure over entries that are nodes or already settled. */
export function listStructure(entries: readonly (Live | Cell)[], run: Run, key: string): Structure {
  const present = presentEntries(entries, run)
  const names = new Map<string, NameIndex>()
  const shape: Shape = {
    kind: 'list',
    at: (index) => present().at(index),
    named: (field, name) => {
      const by = field ?? (key || 'name')
      let index = names.get(by)
      if (index === undefined) {
        index = { scanned: 0, found: new Map(), open: [] }
        names.set(by, index)
      }
      return findNamed(index, entries, { field: by, name })
    },
  }
  return {
    shape,
    settle: () => {
      run.budget.make(entries.length)
      const cells: Cell[] = []
      let whole = true
      for (const entry of entries) {
        const settled = entry.kind === 'spot' ? entry.settle() : entry
        if (settled.kind === 'stuck') whole = false
        if (settled.kind === 'cell') cells.push(settled)
      }
      return whole ? new List(cells) : undefined
    },
    below: () =>
      entries.flatMap((entry) =>
        entry.kind === 'spot' ? [{ step: entry.site.shownStep, node: entry }] : [],
      ),
    parts: () => entries.map((at, i) => ({ step: `[${i}]`, at })),
  }
}

/** The entries that are there; those that may turn out undefined are evaluated before they are counted. */
function presentEntries(entries: readonly (Live | Cell)[], run: Run): () => readonly (Live | Cell)[] {
  const doubtful = entries.filter((entry): entry is Live => entry.kind === 'spot' && mayVanish(entry, run))
  if (doubtful.length === 0) return () => entries
  return () => {
    const absent = new Set<Live | Cell>(doubtful.filter((entry) => entry.shape().kind === 'gone'))
    return absent.size === 0 ? entries : entries.filter((entry) => !absent.has(entry))
  }
}

function mayVanish(entry: Live, run: Run): boolean {
  const { value } = entry.raw
  if (typeof value !== 'string')
    return typeof value === 'object' && value !== null && 'live' in value && value.live
  const expr = exprOf(run, value)
  return expr !== undefined && canVanish(expr)
}

interface NameIndex {
  scanned: number
  readonly found: Map<string, Live | Cell>
  /** Entries whose name is not known yet. */
  readonly open: (Live | Cell)[]
}

/** Names are indexed as far as needed; an entry without a settled name holds back only what is not found. */
function findNamed(
  index: NameIndex,
  entries: readonly (Live | Cell)[],
  { field, name }: { field: string; name: string },
): Seen | undefined {
  const known = index.found.get(name)
  if (known !== undefined) return known
  while (index.scanned < entries.length) {
    const entry = entries[index.scanned]
    // Counted only when its name is known: evaluation may start again in between.
    const own = entry && nameOf(entry, field)
    index.scanned++
    if (entry === undefined) continue
    if (own === 'open') index.open.push(entry)
    else if (own !== undefined && !index.found.has(own.name)) index.found.set(own.name, entry)
    if (own !== undefined && own !== 'open' && own.name === name) return entry
  }
  for (const entry of index.open) {
    const own = nameOf(entry, field)
    if (own !== 'open' && own?.name === name) return entry
  }
  return index.open.some((entry) => nameOf(entry, field) === 'open') ? unknown : undefined
}

function nameOf(entry: Live | Cell, field: string): { name: string } | 'open' | undefined {
  const own = entry.kind === 'spot' ? entry.shape() : undefined
  // An entry that has failed will never have a name.
  if (own?.kind === 'stuck') return own.failed ? undefined : 'open'
  const seen = stepInto(entry, field)
  if (seen === undefined) return undefined
  const shape = seen.kind === 'cell' ? ({ kind: 'cell', cell: seen } as const) : seen.shape()
  if (shape.kind === 'stuck') return 'open'
  return shape.kind === 'cell' && typeof shape.cell.value === 'string'
    ? { name: shape.cell.value }
    : undefined
}
