/** Secrets that are known only when a run is over: what was printed of them before is hidden in the logs that are kept already. */
import type { Ports } from '../broker/ports.ts'
import type { Clock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import {
  hiding,
  type Mask,
  mergeRanges,
  printedIn,
  type Range,
  type Stretch,
  shownIn,
} from '../kit/redact.ts'
import type { Operation } from '../model/operation.ts'
import type { LogRow, Store } from '../store/store.ts'
import { hiddenIn } from './log-rows.ts'

const pageRows = 200
/** A log may be full of secrets: others have their turn in between, for no slice takes long. */
const turnMs = 5
const sliceBytes = 4096

/** What an instance was made with is often handed out by a later bind: the logs of all its own operations are gone through. */
export async function hideInLogs(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  { id, target }: Operation,
  mask: Mask,
): Promise<void> {
  const { platform, instance } = target
  const hide = async (operation: string): Promise<void> => {
    for (const rows of await textsOf(store, operation)) {
      const pieces = await hideMore(rows, mask, clock)
      const changed = pieces.filter((piece, index) => !isSame(piece, rows[index]))
      if (changed.length > 0) await store.write((tx) => tx.rewriteLog(changed))
    }
  }
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const page = { platform, instance, binding: '', most: pageRows, ...present({ after }) }
    const { items, next } = await store.look.operations(page)
    for (const operation of items) if (operation.id !== id) await hide(operation.id)
    after = next
  }
  await hide(id)
}

/** The log of an operation as texts without a gap: of each stream, and of what stands behind bytes that are left out. */
async function textsOf(store: Store, operation: string): Promise<readonly (readonly LogRow[])[]> {
  const texts: LogRow[][] = []
  const latest = new Map<string, { readonly text: LogRow[]; readonly end: number }>()
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly LogRow[] = await store.look.printedLog(operation, after, pageRows)
    for (const row of rows) {
      const stream = JSON.stringify([row.run, row.step, row.stream])
      const before = latest.get(stream)
      const text = before?.end === row.position ? before.text : []
      if (text.length === 0) texts.push(text)
      text.push(row)
      latest.set(stream, { text, end: row.position + row.span })
    }
    after = rows.length < pageRows ? undefined : rows.at(-1)?.number
  }
  return texts
}

/**
 * The pieces of a text without what the mask hides. It judges what was printed, not what was shown of it: there a secret can be
 * interrupted by the marks of others. What was hidden before stays so.
 */
export async function hideMore(
  rows: readonly LogRow[],
  mask: Mask,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<readonly LogRow[]> {
  const redactor = mask.open()
  const pause = turns(clock)
  const texts = rows.map(stretchesOf)
  const found: Range[] = []
  let end = 0
  for (const stretches of texts) {
    const printed = printedIn(stretches)
    for (let at = 0; at < printed.length; at += sliceBytes) {
      end = addRanges(found, redactor.push(printed.subarray(at, at + sliceBytes)), end)
      await pause()
    }
  }
  addRanges(found, redactor.end(), end)
  const before: Range[] = []
  addRanges(before, texts.flat(), 0)
  const ranges = mergeRanges([...before, ...found])
  if (JSON.stringify(ranges) === JSON.stringify(before)) return rows
  const pieces: LogRow[] = []
  let [start, next] = [0, 0]
  for (const [index, row] of rows.entries()) {
    const printed = printedIn(texts[index] ?? [])
    const stop = start + printed.length
    const inside: Range[] = []
    for (let range = ranges[next]; range !== undefined && range[0] < stop; range = ranges[next]) {
      inside.push([range[0] - start, range[1] - start])
      if (range[1] > stop) break
      next++
    }
    start = stop
    pieces.push(pieceWith(row, hide(printed, inside)))
    await pause()
  }
  return pieces
}

/** Lets others have their turn after some milliseconds. */
function turns(clock: Pick<Clock, 'monotonic' | 'sleep'>): () => Promise<void> {
  let begun = clock.monotonic()
  return async () => {
    if (clock.monotonic() - begun < turnMs) return
    await clock.sleep(0)
    begun = clock.monotonic()
  }
}

/** The bytes without these ranges; what began before them has its mark there. */
function hide(printed: Uint8Array, ranges: readonly Range[]): readonly Stretch[] {
  const parts: Stretch[] = []
  let at = 0
  for (const [from, to] of ranges) {
    if (from > at) parts.push({ shown: printed.subarray(at, from) })
    const one = hiding(printed.subarray(Math.max(0, from), to))
    if (to > 0) parts.push(from < 0 ? { ...one, shown: new Uint8Array() } : one)
    at = to
  }
  return at < printed.length ? [...parts, { shown: printed.subarray(at) }] : parts
}

function pieceWith({ hidden: _before, ...row }: LogRow, parts: readonly Stretch[]): LogRow {
  const hidden = hiddenIn(parts)
  return { ...row, bytes: shownIn(parts), ...(hidden.length > 0 && { hidden }) }
}

function isSame(one: LogRow, other: LogRow | undefined): boolean {
  const marks = ({ hidden = [] }: LogRow) => hidden.map(({ at, bytes }) => [at, bytes.length])
  return (
    other !== undefined &&
    Buffer.compare(one.bytes, other.bytes) === 0 &&
    JSON.stringify(marks(one)) === JSON.stringify(marks(other))
  )
}

/** A kept piece as the stretches that it was made of. */
function stretchesOf({ bytes, hidden = [] }: LogRow): readonly Stretch[] {
  let from = 0
  const stretches = hidden.flatMap((one): readonly Stretch[] => {
    const plain = { shown: bytes.subarray(from, one.at) }
    from = one.at + one.mark
    return [plain, { shown: bytes.subarray(one.at, from), hidden: one.bytes }]
  })
  return [...stretches, { shown: bytes.subarray(from) }]
}

/** Adds what is hidden of a printed text, from a place on; a stretch without a mark goes on with the one before it. Answers its end. */
function addRanges(ranges: Range[], stretches: readonly Stretch[], from: number): number {
  let at = from
  for (const { shown, hidden } of stretches) {
    const end = at + (hidden ?? shown).length
    const last = ranges.at(-1)
    if (hidden !== undefined && shown.length === 0 && last?.[1] === at)
      ranges[ranges.length - 1] = [last[0], end]
    else if (hidden !== undefined) ranges.push([at, end])
    at = end
  }
  return at
}
