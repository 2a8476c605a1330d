/** Every form of every secret, found by its first bytes: some words of memory for each, made into more only where one is met. */
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
  openRows,
  type Rows,
  worthHiding,
} from './redact-rows.ts'
import { growTree, type Tree } from './redact-tree.ts'
import { writings } from './redact-writings.ts'

export interface Index {
  /** A form that begins so near to the end of a text may be missed. */
  readonly span: number
  /** The first place from an index on where a form may begin, or -1; what is shorter than a form is not looked at. */
  next(text: Uint8Array, from: number): number
  /** The forms that begin with the six bytes there; undefined where there are only words that lead to patterns. */
  treeAt(text: Uint8Array, start: number): Tree | undefined
  /** Whether a form may begin with these last bytes of a text, which are too few to be looked up. */
  begins(text: Uint8Array, start: number): boolean
}

const gramBytes = 4
const strideMax = 8
/** After so many rows the builder lets others have their turn. */
const turnRows = 4096

/** Builds an index of values, and of words that are only looked for, step by step; between two steps others may have their turn. */
export function* buildIndex(
  values: Iterable<string>,
  words: readonly Uint8Array[],
): Generator<undefined, Index> {
  const texts = [...new Set([...values].map((value) => value.trim()).filter(worthHiding))]
  const rows = openRows()
  for (const head of words) rows.add({ value: 0, kind: kinds.word, from: 0, length: 0, head })
  let turn = turnRows
  for (const [value, text] of texts.entries()) {
    for (const _row of addForms(rows, value, text)) {
      if (rows.count < turn) continue
      turn = rows.count + turnRows
      yield
    }
    yield
  }
  return indexOver(yield* tablesOf(rows), texts, rows.data())
}

interface Tables {
  /** How far two looks at a text are apart. */
  readonly stride: number
  /** Whether four bytes, as one word, stand in the beginning of any form; wrong now and then, never when they do. */
  isNear(word: number): boolean
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
  const stride = strideFor(rows.shortest)
  const nearShift = 32 - bitsFor(count * stride * 8, 13, 27)
  const near = new Uint8Array(1 << (32 - nearShift - 3))
  const shift = 32 - bitsFor(count * 2, 8, 24)
  const first = new Int32Array(2 ** (32 - shift)).fill(-1)
  const chained = new Int32Array(count)
  const sorted = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    const base = row * columns + ofHead
    const [zero, one, two] = [data[base] as number, data[base + 1] as number, data[base + 2] as number]
    for (let place = 0; place < stride; place++) {
      const hash = gramHash(wordAt(zero, one, two, place)) >>> nearShift
      near[hash >> 3] = (near[hash >> 3] as number) | (1 << (hash & 7))
    }
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
    stride,
    sorted,
    rowOf,
    *rowsOf(four, two) {
      for (let row = rowOf(four, two); row >= 0; row = chained[row] as number)
        if (isAt(row, four, two)) yield row
    },
    isNear(word) {
      const hash = gramHash(word) >>> nearShift
      return ((near[hash >> 3] as number) & (1 << (hash & 7))) !== 0
    },
  }
}

/** The index over its tables; forms are made, and trees of them, where one is met. */
function indexOver(tables: Tables, texts: readonly string[], data: Int32Array): Index {
  const { stride, isNear, rowOf, sorted } = tables
  const makeForm = formMaker(texts, data)
  const trees = new Map<number, Tree | undefined>()
  const treeOf = (four: number, two: number): Tree | undefined => {
    const key = inOrder(four, two)
    if (trees.has(key)) return trees.get(key)
    const met = [...tables.rowsOf(four, two)].filter((row) => data[row * columns + ofKind] !== kinds.word)
    const tree = met.length === 0 ? undefined : growTree(met.map(makeForm))
    if (rowOf(four, two) >= 0) trees.set(key, tree)
    return tree
  }
  /** The first place from which a form may lead over the four bytes there. */
  const startNear = (text: Uint8Array, at: number, from: number): number => {
    for (let start = Math.max(from, at - stride + 1); start <= at; start++) {
      if (start + keyBytes > text.length) return -1
      if (rowOf(wordIn(text, start), shortIn(text, start + gramBytes)) >= 0) return start
    }
    return -1
  }
  /** The same over words of memory, each read at once. */
  const nextByWords = (text: Uint8Array, from: number): number => {
    const before = (gramBytes - ((text.byteOffset + from) % gramBytes)) % gramBytes
    const many = (text.length - from - before) >> 2
    if (many <= 0) return -1
    const words = new Int32Array(text.buffer, text.byteOffset + from + before, many)
    const step = stride / gramBytes
    for (let i = 0; i < many; i += step) {
      if (!isNear(words[i] as number)) continue
      const start = startNear(text, from + before + i * gramBytes, from)
      if (start >= 0) return start
    }
    return -1
  }
  return {
    span: stride + gramBytes - 1,
    treeAt: (text, start) => treeOf(wordIn(text, start), shortIn(text, start + gramBytes)),
    next(text, from) {
      if (stride % gramBytes === 0) return nextByWords(text, from)
      for (let at = from; at <= text.length - gramBytes; at += stride) {
        if (!isNear(wordIn(text, at))) continue
        const start = startNear(text, at, from)
        if (start >= 0) return start
      }
      return -1
    },
    begins: (text, start) => beginsInOrder(sorted, text, start),
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
    const which = kind - kinds.base64
    return base64(bytes, alphabets[which < 3 ? 0 : 1], which % 3)
  }
}

/** So many bytes lie between two looks; words of memory are read faster than single bytes. */
function strideFor(shortestForm: number): number {
  const most = Math.min(strideMax, shortestForm - gramBytes + 1)
  return most < gramBytes ? most : most - (most % gramBytes)
}

function bitsFor(count: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.ceil(Math.log2(count + 1))))
}

function wordIn(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

function shortIn(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}

/** Four bytes from a place within three words on. */
function wordAt(zero: number, one: number, two: number, place: number): number {
  const [low, high] = place < 4 ? [zero, one] : [one, two]
  const bits = (place & 3) * 8
  if (place === 8) return two
  return bits === 0 ? low : (low >>> bits) | (high << (32 - bits))
}

function gramHash(word: number): number {
  return Math.imul(word, 0x9e3779b1)
}

function keyHash(zero: number, one: number): number {
  return Math.imul(Math.imul(zero, 0x9e3779b1) ^ Math.imul(one, 0x85ebca6b), 0xc2b2ae35)
}

/** Six bytes as a number that is in the order of the bytes. */
function inOrder(zero: number, one: number): number {
  const swapped = ((zero & 0xff) << 24) | ((zero & 0xff00) << 8) | ((zero >>> 8) & 0xff00) | (zero >>> 24)
  return (swapped >>> 0) * 65_536 + (((one & 0xff) << 8) | (one >>> 8))
}
