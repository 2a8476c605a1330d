/** Every form of every secret, found by its first bytes: some words of memory for each, made into more only where one is met. */
import { choicesFor, type Filter, type View, viewOf, wordAt } from './redact-filter.ts'
import { alphabets, base64, type Form, hex, hexStyles, plain, written } from './redact-forms.ts'
import {
  addForms,
  columns,
  keyBytes,
  kinds,
  ofFrom,
  ofHead,
  ofKind,
  ofLength,
  ofTogether,
  openRows,
  type Rows,
  worthHiding,
} from './redact-rows.ts'
import { growTree, type Tree } from './redact-tree.ts'
import { inDocuments, writings } from './redact-writings.ts'

export interface Index {
  /** A form that begins so near to the end of a text may be missed. */
  readonly span: number
  /** Looks through a text, from its beginning to its end. */
  open(text: Uint8Array): Looking
  /** The forms that begin with the six bytes there; undefined where there are only words that lead to patterns. */
  treeAt(text: Uint8Array, start: number): Tree | undefined
  /** Whether a form may begin with these last bytes of a text, fewer than are looked up. */
  begins(text: Uint8Array, start: number): boolean
}

export interface Looking {
  /** The first place from an index on where a form may begin, or -1; what is shorter than a form is not looked at. */
  next(from: number): number
}

/** After so many rows the builder lets others have their turn. */
const turnRows = 4096

/** What an index leads to. */
export interface Sought {
  readonly values: Iterable<string>
  /** Sought only where they are encoded. */
  readonly files: Iterable<string>
  /** Sought as they are, and not hidden. */
  readonly words: readonly Uint8Array[]
}

/** Builds an index step by step; between two steps others may have their turn. */
export function* buildIndex({ values, files, words }: Sought): Generator<undefined, Index> {
  const whole = new Set([...values].flatMap((value) => composedForms(value.trim())).filter(worthHiding))
  const others = new Set([...files].flatMap((file) => composedForms(file.trimStart())).filter(worthHiding))
  const texts = [...whole, ...[...others].filter((text) => !whole.has(text))]
  const rows = openRows()
  for (const head of words) rows.add({ value: 0, kind: kinds.word, from: 0, length: 0, head })
  let turn = turnRows
  for (const [value, text] of texts.entries()) {
    for (const _row of addForms(rows, value, text, value < whole.size)) {
      if (rows.count < turn) continue
      turn = rows.count + turnRows
      yield
    }
    yield
  }
  return indexOver(yield* tablesOf(rows), texts, rows.data())
}

/** A text with its accents as they are given, joined with their letters, and apart from them: programs bring texts into one of these. */
function composedForms(text: string): readonly string[] {
  return /[^\0-\x7f]/.test(text) ? [text, text.normalize('NFC'), text.normalize('NFD')] : [text]
}

interface Tables {
  /** How forms are met in a text: each of them by one of these. */
  readonly filters: readonly Filter[]
  /** The latest row that begins with these six bytes, as four and two; -1 without one. */
  rowOf(four: number, two: number): number
  /** All rows that do. */
  rowsOf(four: number, two: number): Generator<number>
  /** The first six bytes of all rows, as numbers in order. */
  readonly sorted: Float64Array
}

/** The tables that lead from the bytes of a text to rows. */
function* tablesOf(rows: Rows): Generator<undefined, Tables> {
  const { count } = rows
  const data = rows.data()
  const filters = yield* filtersOf(rows)
  const shift = 32 - Math.min(24, Math.max(8, Math.ceil(Math.log2(count * 2 + 1))))
  const first = new Int32Array(2 ** (32 - shift)).fill(-1)
  const chained = new Int32Array(count)
  const sorted = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    const base = row * columns + ofHead
    const [zero, one] = [data[base] as number, data[base + 1] as number]
    const slot = keyHash(zero, one & 0xffff) >>> shift
    chained[row] = first[slot] as number
    first[slot] = row
    sorted[row] = inOrder(zero, one & 0xffff)
    if (row % turnRows === turnRows - 1) yield
  }
  sorted.sort()
  yield
  const isAt = (row: number, four: number, two: number): boolean => {
    const base = row * columns + ofHead
    return data[base] === four && ((data[base + 1] as number) & 0xffff) === two
  }
  const rowOf = (four: number, two: number): number => {
    let row = first[keyHash(four, two) >>> shift] as number
    while (row >= 0 && !isAt(row, four, two)) row = chained[row] as number
    return row
  }
  return {
    filters,
    sorted,
    rowOf,
    *rowsOf(four, two) {
      for (let row = rowOf(four, two); row >= 0; row = chained[row] as number)
        if (isAt(row, four, two)) yield row
    },
  }
}

/** Enters each row into the first filter that meets it. */
function* filtersOf(rows: Rows): Generator<undefined, readonly Filter[]> {
  const data = rows.data()
  const bytes = new Uint8Array(data.buffer)
  const choices = choicesFor(rows.count)
  const chosen = new Uint8Array(rows.count)
  const tally = choices.map(() => ({ count: 0, least: Number.POSITIVE_INFINITY }))
  for (let row = 0; row < rows.count; row++) {
    const base = row * columns
    const many = data[base + ofTogether] as number
    chosen[row] = choices.findIndex(({ meets }) => meets(bytes, (base + ofHead) * 4, many))
    const one = tally[chosen[row] as number]
    if (one !== undefined) {
      one.count++
      one.least = Math.min(one.least, many)
    }
    if (row % turnRows === turnRows - 1) yield
  }
  const filters = choices.map(({ open }, index) => open(tally[index]?.count ?? 0, tally[index]?.least ?? 0))
  for (let row = 0; row < rows.count; row++) {
    filters[chosen[row] as number]?.add(bytes, (row * columns + ofHead) * 4)
    if (row % turnRows === turnRows - 1) yield
  }
  return filters.filter((_, index) => tally[index]?.count !== 0)
}

/** The index over its tables; forms are made, and trees of them, where one is met. */
function indexOver(tables: Tables, texts: readonly string[], data: Int32Array): Index {
  const { filters, rowOf, sorted } = tables
  const makeForm = formMaker(texts, data)
  const trees = new Map<number, Tree | undefined>()
  const treeOf = (four: number, two: number): Tree | undefined => {
    if (rowOf(four, two) < 0) return undefined
    const key = inOrder(four, two)
    if (trees.has(key)) return trees.get(key)
    const met = [...tables.rowsOf(four, two)].filter((row) => data[row * columns + ofKind] !== kinds.word)
    const tree = met.length === 0 ? undefined : growTree(met.map(makeForm))
    trees.set(key, tree)
    return tree
  }
  /** The first of the places before a look where a form begins. */
  const startNear = (text: Uint8Array, first: number, last: number): number => {
    for (let start = first; start <= last; start++) {
      if (start + keyBytes > text.length) return -1
      if (rowOf(wordAt(text, start), shortIn(text, start + 4)) >= 0) return start
    }
    return -1
  }
  const nextBy =
    (filter: Filter): Next =>
    (view, from, until) => {
      const end = until + filter.reach
      for (let at = filter.next(view, from, end); at >= 0; at = filter.next(view, at + 1, end)) {
        const start = startNear(view.text, Math.max(from, at - filter.reach), Math.min(at, until - 1))
        if (start >= 0) return start
      }
      return -1
    }
  const searches = filters.map(nextBy)
  return {
    span: Math.max(...filters.map(({ span }) => span)),
    treeAt: (text, start) => treeOf(wordAt(text, start), shortIn(text, start + 4)),
    open: (text) => lookThrough(text, searches),
    begins: (text, start) => beginsInOrder(sorted, text, start),
  }
}

/** The first place from `from` on and before `until` where a form may begin, or -1. */
type Next = (view: View, from: number, until: number) => number

/** Where a secret begins, all that was searched beyond is searched in vain; a stretch that fits into the nearest cache is little. */
const stretchBytes = 4096

/** The first place of those that several searches find: they go through the text side by side, stretch by stretch. */
function lookThrough(text: Uint8Array, searches: readonly Next[]): Looking {
  const view = viewOf(text)
  let until = 0
  let found: number[] = []
  return {
    next(from) {
      for (let at = from; at < text.length; at = until) {
        if (at >= until) {
          until = Math.min(text.length, at + stretchBytes)
          found = searches.map((next) => next(view, at, until))
        }
        let first = -1
        for (const [index, next] of searches.entries()) {
          const known = found[index] as number
          const place = known >= 0 && known < at ? next(view, at, until) : known
          found[index] = place
          if (place >= 0 && (first < 0 || place < first)) first = place
        }
        if (first >= 0) return first
      }
      return -1
    },
  }
}

/** Whether one of the sorted keys begins with the bytes from there to the end, six at most. */
function beginsInOrder(sorted: Float64Array, text: Uint8Array, start: number): boolean {
  let key = 0
  const many = Math.min(keyBytes, text.length - start)
  for (let i = 0; i < many; i++) key = key * 256 + (text[start + i] as number)
  const unit = 256 ** (keyBytes - many)
  const least = key * unit
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low < sorted.length && (sorted[low] as number) < least + unit
}

/** Makes the form of a row; values become bytes when the first form of one is met. */
function formMaker(texts: readonly string[], data: Int32Array): (row: number) => Form {
  const known = new Map<number, Buffer>()
  const bytesOf = (value: number): Buffer => {
    const bytes = known.get(value) ?? Buffer.from(texts[value] ?? '')
    known.set(value, bytes)
    return bytes
  }
  return (row) => {
    const base = row * columns
    const value = data[base] as number
    const kind = data[base + ofKind] as number
    const from = data[base + ofFrom] as number
    const bytes = bytesOf(value).subarray(from, from + (data[base + ofLength] as number))
    if (kind === kinds.line) return plain(bytes)
    if (kind === kinds.wrapped) return base64(bytes, 'base64', 0)
    const writing = writings[kind - kinds.written]
    if (writing !== undefined) return written(texts[value] ?? '', writing)
    const style = hexStyles[kind - kinds.hex]
    if (style !== undefined) return hex(bytes, style)
    if (kind >= kinds.document) {
      const which = kind - kinds.document
      const text = inDocuments[Math.floor(which / 3)]?.write(texts[value] ?? '') ?? ''
      return base64(Buffer.from(text), 'base64', which % 3)
    }
    const which = kind - kinds.base64
    return base64(bytes, alphabets[which < 3 ? 0 : 1], which % 3)
  }
}

function shortIn(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}

function keyHash(zero: number, one: number): number {
  return Math.imul(Math.imul(zero, 0x9e3779b1) ^ Math.imul(one, 0x85ebca6b), 0xc2b2ae35)
}

/** Six bytes as a number that is in the order of the bytes. */
function inOrder(zero: number, one: number): number {
  const swapped = ((zero & 0xff) << 24) | ((zero & 0xff00) << 8) | ((zero >>> 8) & 0xff00) | (zero >>> 24)
  return (swapped >>> 0) * 65_536 + (((one & 0xff) << 8) | (one >>> 8))
}
