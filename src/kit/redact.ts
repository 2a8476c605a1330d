/** Takes secrets out of streams of bytes: known values however they are written, and what looks secret. */
import type { Clock } from './clock.ts'
import { isExact } from './exact.ts'
import { buildIndex, type Index } from './redact-index.ts'
import { type Left, leftAt, leftBy, openSince, placeOf } from './redact-left.ts'
import { openPatterns, type Patterns, triggers } from './redact-patterns.ts'
import { keyBytes } from './redact-rows.ts'
import { beginWalk, follow, isAtEnd, partBytes, type Walk, walkOn } from './redact-tree.ts'

const mark = Buffer.from('[redacted]')
const turnMs = 5

/** A stretch of a text that is shown as it is, or hidden. */
export interface Stretch {
  /** What is shown in its place. */
  readonly shown: Uint8Array
  /** What stands there, where it is hidden. */
  readonly hidden?: Uint8Array
}

export interface Redactor {
  /** Gives back the bytes so far, in stretches; what may be the beginning of a secret waits for the next piece. The bytes stay as they are. */
  push(bytes: Uint8Array): readonly Stretch[]
  /** What is left at the end. */
  end(): readonly Stretch[]
  /** How many bytes wait. */
  readonly held: number
}

/** Knows a set of secrets; made once, used for any number of streams and texts. */
export interface Mask {
  open(): Redactor
  /** A whole text without the secrets. */
  text(text: string): string
}

/**
 * A mask for these values, and for files whose lines others may print, too: of those only what is encoded is hidden.
 * Its work grows with the text alone, not with the number or the length of the values.
 */
export function maskOf(values: Iterable<string>, files: Iterable<string> = []): Mask {
  const building = buildIndex({ values, files, words: triggers })
  for (;;) {
    const step = building.next()
    if (step.done === true) return maskBy(step.value)
  }
}

/** The same for many and large values: made in turns of a few milliseconds, so that nothing else has to wait for it. */
export async function makeMask(
  values: Iterable<string>,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  files: Iterable<string> = [],
): Promise<Mask> {
  const building = buildIndex({ values, files, words: triggers })
  let turn = clock.monotonic()
  for (;;) {
    const step = building.next()
    if (step.done === true) return maskBy(step.value)
    if (clock.monotonic() - turn < turnMs) continue
    await clock.sleep(0)
    turn = clock.monotonic()
  }
}

function maskBy(index: Index): Mask {
  const open = () => openRedactor(index)
  return {
    open,
    text(text) {
      const one = open()
      return shownIn([...one.push(Buffer.from(text)), ...one.end()]).toString()
    },
  }
}

/** What is shown of the stretches, in one. */
export function shownIn(stretches: readonly Stretch[]): Buffer {
  return Buffer.concat(stretches.map(({ shown }) => shown))
}

/** What was printed, with what is hidden. */
export function printedIn(stretches: readonly Stretch[]): Buffer {
  return Buffer.concat(stretches.map(({ shown, hidden = shown }) => hidden))
}

/** A whole text without these values. */
export function redactText(text: string, secrets: Iterable<string>): string {
  return maskOf(secrets).text(text)
}

/** The texts and numbers in a JSON value, in their order. Programs may nest it deeper than calls can be. */
export function* secretTexts(value: unknown): Generator<string> {
  const open = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (typeof item === 'string') yield item
    else if (typeof item === 'number' || typeof item === 'bigint') yield String(item)
    else if (isExact(item)) yield item.rawJSON
    else if (typeof item === 'object' && item !== null)
      for (const inner of Object.values(item).reverse()) open.push(inner)
  }
}

interface Searching {
  readonly index: Index
  readonly looks: Patterns
}

/** From, to. */
export type Range = readonly [number, number]

interface Scanned {
  readonly ranges: readonly Range[]
  /** From here on the text waits. */
  readonly open: number
  /** A part of a long secret that goes on to the end of the text; nothing of it has to be kept. */
  readonly walk?: Walk
  /** The long secrets that the text has left, in order. */
  readonly left: readonly Left[]
}

function openRedactor(index: Index): Redactor {
  let waiting: Uint8Array = new Uint8Array()
  let walk: Walk | undefined
  /** The bytes that the walk has seen. */
  let passed: Uint8Array[] = []
  /** The first bytes of what waits, or of what the walk has seen, that were given back as the end of a secret: another may begin in them. */
  let given = 0
  /** The long secret that was left last, seen from where the next text begins. */
  let left: Left | undefined

  /** Follows a secret that had begun before. Answers the bytes from its last part on; nothing as long as it may go on. */
  function goOn(
    current: Walk,
    bytes: Uint8Array,
    isLast: boolean,
  ): { readonly found: readonly Stretch[]; readonly rest: Uint8Array } | undefined {
    const stop = follow(current, bytes, 0)
    if (stop === bytes.length && !isAtEnd(current) && !isLast) {
      passed.push(kept(bytes))
      return undefined
    }
    const all = [...passed, bytes]
    // A line break at its end is no part of it.
    const end = current.seen - current.breaks
    const found = between(all, given, end).map((part, index) => hidden(part, given > 0 || index > 0))
    walk = undefined
    passed = []
    given = Math.min(partBytes, end)
    left = leftBy(current, given)
    return { found, rest: joined(between(all, end - given)) }
  }

  function take(bytes: Uint8Array, isLast: boolean): readonly Stretch[] {
    const before = walk === undefined ? undefined : goOn(walk, bytes, isLast)
    if (walk !== undefined) return []
    const stretches: Stretch[] = [...(before?.found ?? [])]
    const rest = before?.rest ?? bytes
    if (waiting.length > 0 && given === 0 && !isLast && isApart(index, waiting, rest, left)) {
      stretches.push({ shown: waiting })
      left = leftAt([left], waiting.length)
      waiting = new Uint8Array()
    }
    const text = waiting.length === 0 ? asBuffer(rest) : Buffer.concat([waiting, rest])
    const scanned = scan(index, text, isLast, left)
    const { parts, end } = partsOf(text, scanned, given)
    stretches.push(...parts)
    walk = scanned.walk
    left = leftAt(scanned.left, scanned.open)
    given = Math.max(0, end - scanned.open)
    const open = kept(text.subarray(scanned.open))
    passed = walk === undefined ? [] : [open]
    waiting = walk === undefined ? open : new Uint8Array()
    return stretches
  }

  return {
    get held() {
      return (walk === undefined ? waiting.length : walk.seen) - given
    },
    push: (bytes) => take(bytes, false),
    end: () => take(new Uint8Array(), true),
  }
}

/** Bytes that wait: as they are, or a copy where they would keep much more in memory. */
function kept(bytes: Uint8Array): Uint8Array {
  return bytes.length * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes
}

/** What lies between two places of successive bytes, none of it empty. */
function between(pieces: readonly Uint8Array[], from: number, to = Number.POSITIVE_INFINITY): Uint8Array[] {
  let start = 0
  const parts: Uint8Array[] = []
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, from - start), Math.max(0, to - start))
    if (part.length > 0) parts.push(part)
    start += piece.length
  }
  return parts
}

/** Successive bytes as one; a single piece is not copied. */
function joined([first = new Uint8Array(), ...others]: readonly Uint8Array[]): Uint8Array {
  return others.length === 0 ? first : Buffer.concat([first, ...others])
}

/** What is given back of a text behind what was given back already: all that does not wait, and the secret that began before, to its end. */
function partsOf(
  text: Buffer,
  { ranges, open }: Scanned,
  given: number,
): { readonly parts: readonly Stretch[]; readonly end: number } {
  const parts: Stretch[] = []
  let from = given
  for (const [start, end] of ranges) {
    if (end <= from) continue
    if (from < start) parts.push({ shown: text.subarray(from, start) })
    parts.push(hidden(text.subarray(Math.max(from, start), end), start < given))
    from = end
  }
  if (from < open) parts.push({ shown: text.subarray(from, open) })
  return { parts, end: Math.max(from, open) }
}

/** Bytes that go on with what was hidden right before them have no mark of their own. */
function hidden(bytes: Uint8Array, goesOn: boolean): Stretch {
  return goesOn ? { shown: new Uint8Array(), hidden: bytes } : hiding(bytes)
}

/** Bytes behind a mark. */
export function hiding(bytes: Uint8Array): Stretch {
  return { shown: mark, hidden: bytes }
}

/** Longer beginnings are joined with what follows at once. */
const briefMax = 64
const seamBytes = 4096

/** Whether nothing begins in a few bytes that have waited: then the next ones are looked at alone, without a copy. */
function isApart(index: Index, waiting: Uint8Array, next: Uint8Array, left: Left | undefined): boolean {
  if (waiting.length > briefMax || next.length <= seamBytes) return false
  const seam = Buffer.concat([waiting, next.subarray(0, seamBytes)])
  const { ranges, open, walk } = scan(index, seam, false, left)
  return ranges.length === 0 && walk === undefined && open >= waiting.length
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Everything to hide in a text, and from where on the next bytes decide; `before`: what was left in the text before it. */
function scan(index: Index, text: Buffer, isLast: boolean, before: Left | undefined): Scanned {
  const looks = openPatterns(text, isLast)
  const { walk, left, ...values } = findValues({ index, looks }, text, isLast, before)
  const patterns = looks.found()
  const ranges = mergeRanges([...values.ranges, ...patterns.ranges])
  if (walk !== undefined && patterns.open >= values.open)
    return { ranges: ranges.filter(([start]) => start < values.open), open: values.open, walk, left }
  let open = Math.min(values.open, patterns.open)
  // What is hidden is not parted.
  for (const [start, end] of ranges.toReversed()) if (start < open && end > open) open = start
  return { ranges: ranges.filter(([start]) => start < open), open, left }
}

function findValues(searching: Searching, text: Buffer, isLast: boolean, before: Left | undefined): Scanned {
  const ranges: Range[] = []
  const meetings = openMeetings(searching, text, before)
  const { left } = meetings
  for (let met = meetings.next(); met !== undefined; met = meetings.next()) {
    const { at, walk } = met
    const stop = follow(walk, text, at)
    const isOpen = stop === text.length && !isAtEnd(walk) && !isLast
    if (isOpen) return { ranges, open: at, left, ...(walk.sure >= partBytes ? { walk } : {}) }
    if (walk.sure > 0) ranges.push([at, at + walk.sure])
    meetings.end(met)
  }
  const open = isLast ? text.length : Math.min(openTail(searching.index, text), openSince(left.at(-1), text))
  return { ranges, open, left }
}

/** A place where the text begins a secret, or goes on with one that it had left. */
interface Meeting {
  readonly at: number
  readonly walk: Walk
  readonly isAgain: boolean
}

interface Meetings {
  next(): Meeting | undefined
  /** The walk of a meeting is over. */
  end(met: Meeting): void
  readonly left: readonly Left[]
}

function openMeetings({ index, looks }: Searching, text: Buffer, before: Left | undefined): Meetings {
  const left: Left[] = before === undefined ? [] : [before]
  const looking = index.open(text)
  let start = looking.next(0)
  let again = placeOf(before, text)
  return {
    left,
    next() {
      for (;;) {
        const last = left.at(-1)
        const isAgain = again >= 0 && (start < 0 || again <= start)
        if (isAgain && last !== undefined) return { at: again, walk: walkOn(last.walk), isAgain }
        if (start < 0) return undefined
        looks.at(start)
        const tree = index.treeAt(text, start)
        if (tree !== undefined) return { at: start, walk: beginWalk(tree), isAgain }
        start = looking.next(start + 1)
      }
    },
    end({ at, walk, isAgain }) {
      const now = leftBy(walk, at + walk.sure)
      const isLater = now.rests.length > 0 && now.at > (left.at(-1)?.at ?? -1)
      if (isAgain || isLater) {
        left.push(now)
        again = placeOf(now, text)
      }
      // Another secret may begin in the last part of this one and reach beyond it.
      if (!isAgain) start = looking.next(Math.max(at + 1, at + walk.sure - partBytes))
    },
  }
}

/** Where the end of a text may be the beginning of a secret: its last bytes are too few to be looked up. */
function openTail(index: Index, text: Buffer): number {
  for (let start = Math.max(0, text.length - index.span + 1); start < text.length; start++) {
    if (text.length - start < keyBytes) {
      if (index.begins(text, start)) return start
      continue
    }
    const tree = index.treeAt(text, start)
    if (tree !== undefined && follow(beginWalk(tree), text, start) === text.length) return start
  }
  return text.length
}

/** In order, joined where they overlap. */
export function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  if (ranges.length < 2) return ranges
  const merged: [number, number][] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}
