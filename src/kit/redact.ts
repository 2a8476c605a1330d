/** Takes secrets out of streams of bytes: known values however they are written, and what looks secret. */
import { isExact } from './exact.ts'
import { type Filter, makeFilter } from './redact-filter.ts'
import { formsOf } from './redact-forms.ts'
import { findPatterns } from './redact-patterns.ts'
import { beginWalk, follow, growTree, isAtEnd, partBytes, type Tree, type Walk } from './redact-tree.ts'

const mark = Buffer.from('[redacted]')

export interface Redactor {
  /** Gives back what can be shown of the bytes so far; what may be the beginning of a secret waits for the next piece. */
  push(bytes: Uint8Array): Uint8Array
  /** What is left at the end. */
  end(): Uint8Array
  /** How many bytes wait. */
  readonly held: number
}

/** Knows a set of secrets; made once, used for any number of streams and texts. */
export interface Mask {
  open(): Redactor
  /** A whole text without the secrets. */
  text(text: string): string
}

/** A mask for these values. Its work grows with the text alone, not with the number or the length of the values. */
export function maskOf(secrets: Iterable<string>): Mask {
  const forms = [...new Set(secrets)].flatMap((value) => [...formsOf(value)])
  const search: Search = { tree: growTree(forms), filter: makeFilter(forms), isEmpty: forms.length === 0 }
  const open = () => openRedactor(search)
  return {
    open,
    text(text) {
      const one = open()
      return Buffer.concat([one.push(Buffer.from(text)), one.end()]).toString()
    },
  }
}

/** A whole text without these values. */
export function redactText(text: string, secrets: Iterable<string>): string {
  return maskOf(secrets).text(text)
}

/** The texts and numbers in a JSON value. */
export function* secretTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number' || typeof value === 'bigint') yield String(value)
  else if (isExact(value)) yield value.rawJSON
  else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) yield* secretTexts(item)
  }
}

interface Search {
  readonly tree: Tree
  readonly filter: Filter
  readonly isEmpty: boolean
}

type Range = readonly [number, number]

interface Scanned {
  readonly ranges: readonly Range[]
  /** From here on the text waits. */
  readonly open: number
  /** A part of a long secret that goes on to the end of the text; nothing of it has to be kept. */
  readonly walk?: Walk
}

function openRedactor(search: Search): Redactor {
  let waiting: Uint8Array = new Uint8Array()
  let walk: Walk | undefined
  /** Line breaks behind what is sure of the walk. */
  let breaks: Uint8Array = new Uint8Array()

  /** What the bytes add to a secret that had begun before; the rest is for the search. */
  function goOn(
    current: Walk,
    bytes: Uint8Array,
  ): { readonly shown: readonly Uint8Array[]; readonly rest: Uint8Array } {
    const held = Buffer.concat([breaks, bytes])
    const stop = follow(current, bytes, 0)
    const isOpen = stop === bytes.length && !isAtEnd(current)
    const behind = held.subarray(held.length - (bytes.length - stop) - current.breaks)
    if (isOpen) {
      breaks = new Uint8Array(behind)
      return { shown: [], rest: new Uint8Array() }
    }
    walk = undefined
    breaks = new Uint8Array()
    return { shown: [mark], rest: behind }
  }

  function take(bytes: Uint8Array, isLast: boolean): Uint8Array {
    const before = walk === undefined ? undefined : goOn(walk, bytes)
    if (walk !== undefined && !isLast) return new Uint8Array()
    const shown: Uint8Array[] = [...(before?.shown ?? [])]
    if (walk !== undefined) {
      shown.push(mark, breaks)
      walk = undefined
      breaks = new Uint8Array()
    }
    const rest = before?.rest ?? bytes
    const text = waiting.length === 0 ? asBuffer(rest) : Buffer.concat([waiting, rest])
    const scanned = scan(search, text, isLast)
    const begin = shown.length
    let from = 0
    for (const [start, end] of scanned.ranges) {
      shown.push(text.subarray(from, start), mark)
      from = end
    }
    if (from < scanned.open) shown.push(text.subarray(from, scanned.open))
    walk = scanned.walk
    breaks = walk === undefined ? new Uint8Array() : new Uint8Array(text.subarray(text.length - walk.breaks))
    waiting = walk === undefined ? new Uint8Array(text.subarray(scanned.open)) : new Uint8Array()
    return shown.length === begin + 1 && begin === 0 ? (shown[0] as Uint8Array) : Buffer.concat(shown)
  }

  return {
    get held() {
      return walk === undefined ? waiting.length : walk.seen
    },
    push: (bytes) => take(bytes, false),
    end: () => take(new Uint8Array(), true),
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Everything to hide in a text, and from where on the next bytes decide. */
function scan(search: Search, text: Buffer, isLast: boolean): Scanned {
  const patterns = findPatterns(text, isLast)
  const values = search.isEmpty ? { ranges: [], open: text.length } : findValues(search, text, isLast)
  const ranges = merge([...values.ranges, ...patterns.ranges])
  if (values.walk !== undefined && patterns.open >= values.open)
    return { ranges: ranges.filter(([start]) => start < values.open), open: values.open, walk: values.walk }
  let open = Math.min(values.open, patterns.open)
  // What is hidden is not parted.
  for (const [start, end] of ranges.toReversed()) if (start < open && end > open) open = start
  return { ranges: ranges.filter(([start]) => start < open), open }
}

function findValues({ tree, filter }: Search, text: Buffer, isLast: boolean): Scanned {
  const ranges: Range[] = []
  for (let start = filter.next(text, 0); start >= 0; ) {
    const walk = beginWalk(tree)
    const stop = follow(walk, text, start)
    const isOpen = stop === text.length && !isAtEnd(walk) && !isLast
    if (isOpen) return { ranges, open: start, ...(walk.sure >= partBytes ? { walk } : {}) }
    if (walk.sure > 0) ranges.push([start, start + walk.sure])
    // Another secret may begin in the last part of this one and reach beyond it.
    start = filter.next(text, Math.max(start + 1, start + walk.sure - partBytes))
  }
  return { ranges, open: isLast ? text.length : openTail(tree, text, filter.span) }
}

/** Where the end of a text may be the beginning of a secret: its last bytes are too few to be looked up. */
function openTail(tree: Tree, text: Buffer, span: number): number {
  for (let start = Math.max(0, text.length - span + 1); start < text.length; start++) {
    if (follow(beginWalk(tree), text, start) === text.length) return start
  }
  return text.length
}

/** In order, joined where they overlap. */
function merge(ranges: readonly Range[]): readonly Range[] {
  if (ranges.length < 2) return ranges
  const merged: [number, number][] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}
